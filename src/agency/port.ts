// What a team needs from the outside: one model step at a time, each with a key that is the same whenever the
// same run gets there again (B-001), a clock and a log. Nothing in this folder knows a provider or a store.

import type { Clock } from "../contract/clock.ts";
import type { Json } from "../contract/json.ts";

/** Which call of which run: equal keys mean the same call, before a crash and after it (L2). */
export interface SeatKey {
  runId: string;
  /** `member#0`; `team#1/member#0` inside a nested agency; `:synthesizer#0` for a call that is no member's. */
  path: string;
  /** Counts the steps of one call from 0. */
  index: number;
}

export type SeatRole = "member" | "synthesizer" | "judge" | "manager" | "emergent-judge";

/** Where a call goes. A field that is there and undefined counts as set and blocks inheritance. */
export interface RouteFields {
  model?: string | undefined;
  provider?: string | undefined;
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
}

export interface SeatRoute {
  seat: RouteFields;
  /** What the seat inherits from; empty for an agent that belongs to no agency, and for one built before. */
  agency: RouteFields;
  /** Of this one call; replaces both. */
  call: Pick<RouteFields, "model" | "provider">;
  /** Where a failed call goes on; undefined: the usual order. Empty: nowhere. */
  fallbackProviders: readonly string[] | undefined;
}

export interface SeatSettings {
  effort?: string | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
}

export interface ToolRequest {
  id: string;
  name: string;
  input: Json;
}

export type SeatMessage =
  | { role: "user"; text: string }
  /** `content` is what the provider wants back with the next request; it is opaque here. */
  | { role: "assistant"; text: string; toolCalls: ToolRequest[]; content?: Json | undefined }
  | { role: "tool"; results: { id: string; name: string; text: string; isError: boolean }[] };

export interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema of the input: an object. */
  inputSchema: { [key: string]: Json };
}

/** One request to one model. */
export interface SeatRequest {
  key: SeatKey;
  role: SeatRole;
  /** The member's name, or what the call is for. */
  agent: string;
  route: SeatRoute;
  settings: SeatSettings;
  system: string | undefined;
  messages: readonly SeatMessage[];
  tools: readonly ToolDescription[];
  /** "none": tools are described because the conversation used them, and none may be called any more. */
  toolChoice: "auto" | "none";
  signal: AbortSignal;
  /** Text as it comes in. Optional for the one who answers; the whole text is in the answer. */
  onText(delta: string): void;
}

export interface SeatUsage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** US dollars of the calls whose price is known; left out when none is. */
  costUSD?: number | undefined;
}

/** The step's whole outcome: plain data, so that it can be stored and given again. */
export interface SeatAnswer {
  text: string;
  toolCalls: ToolRequest[];
  content?: Json | undefined;
  usage: SeatUsage;
  /** Who answered, which after a failover is not who was asked. */
  provider: string;
  model: string;
  /** Who was asked, when somebody else answered. */
  fallback?: { from: string; reason: string } | undefined;
  /** Milliseconds, measured by who sent it, so that a stored answer keeps it. */
  durationMs: number;
}

/**
 * Asks once. A key that is settled is answered from storage, without sending. Rejects with a Fault; nothing
 * is stored then, and the same key may be asked again.
 */
export type SeatCall = (request: SeatRequest) => Promise<SeatAnswer>;

/** Work of the host that is a step of a run: a tool, or a foreign agent. */
export type SeatWork = (key: SeatKey, work: () => Promise<Json>) => Promise<Json>;

export interface AgencyHost {
  clock: Clock;
  call: SeatCall;
  /** Runs `work` unless the key is settled; its result is kept. Without it work is simply run. */
  once?: SeatWork | undefined;
  log(level: "info" | "warn", event: string, details: { [key: string]: Json }): void;
}
