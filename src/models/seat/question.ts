// One step of a seat as the models are asked for it: what a team says in its own port, and nothing of the team.

import type { Json } from "../../contract/json.ts";
import type { RouteFields } from "../resolve/route.ts";

export interface SeatQuestion {
  route: {
    seat: RouteFields;
    agency: RouteFields;
    call: Pick<RouteFields, "model" | "provider">;
    /** Undefined: the usual order. Empty: nowhere. */
    fallbackProviders: readonly string[] | undefined;
  };
  settings: { effort?: string | undefined; maxTokens?: number | undefined; temperature?: number | undefined };
  system: string | undefined;
  messages: readonly SeatTurn[];
  tools: readonly { name: string; description: string; inputSchema: { [key: string]: Json } }[];
  toolChoice: "auto" | "none";
  signal: AbortSignal;
  onText(delta: string): void;
}

export type SeatTurn =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; toolCalls: SeatToolCall[]; content?: Json | undefined }
  | { role: "tool"; results: { id: string; name: string; text: string; isError: boolean }[] };

export interface SeatToolCall {
  id: string;
  name: string;
  input: Json;
}

export interface SeatReply {
  text: string;
  toolCalls: SeatToolCall[];
  /** What the provider wants back with the next request. */
  content?: Json | undefined;
  usage: { promptTokens: number; completionTokens: number; totalTokens: number; costUSD?: number | undefined };
  provider: string;
  model: string;
  fallback?: { from: string; reason: string } | undefined;
  durationMs: number;
}

/** The text that was said last by the one who asks, or by tools. */
export function lastAsked(messages: readonly SeatTurn[]): string {
  const last = messages.at(-1);
  return last?.role === "tool" ? last.results.map((result) => result.text).join("\n\n") : (last?.text ?? "");
}
