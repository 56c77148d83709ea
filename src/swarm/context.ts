// What the parts of the swarm share. One object, made once by openSwarm.

import type { GuestHost } from "../bridge/port.ts";
import type { Clock } from "../contract/clock.ts";
import type { AgentSettings, CodeModeSettings, DialectLimits, SwarmSettings } from "../contract/settings.ts";
import type { Registry } from "../registry/port.ts";
import type { Notifier } from "./notifier.ts";
import type { ChildRunner } from "./runner.ts";
import type { ScriptTools } from "./tool-port.ts";

/** Log lines carry ids, codes and counts; never prompts, answers, paths or keys. */
export type SwarmLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Record<string, string | number | boolean>,
) => void;

/** What of the settings decides here. Agents are looked up, never guessed. */
export interface SwarmPolicy {
  codeMode: CodeModeSettings;
  swarmFor(agentId: string | undefined): SwarmSettings;
  /** Undefined for an agent that is not configured. */
  agent(agentId: string): AgentSettings | undefined;
  /** What a workflow that is submitted now begins with. */
  dialect(strict: boolean): DialectLimits;
  defaultModel: string;
  maxConcurrentGlobal: number;
}

export interface SwarmContext {
  registry: Registry;
  guest: GuestHost;
  runners: ChildRunner[];
  policy: SwarmPolicy;
  clock: Clock;
  notifier: Notifier;
  log: SwarmLog;
  /** Named failure points, for the crash suite. */
  failurePoint: (name: SwarmFailurePoint) => void;
  tools: ScriptTools;
}

/** Instants at which a crash is interesting; `test/crash` loops over all of them. */
export const SWARM_FAILURE_POINTS = [
  "beforeTurn",
  "afterSlice",
  "beforeTurnCommit",
  "afterTurnCommit",
  "beforeChildStart",
  "afterChildRun",
  "beforeSettle",
  "afterSettle",
  "beforeTimers",
  "afterTimers",
  "beforeRunEnd",
  "afterRunEnd",
] as const;
/** The same of a fork. */
export const FORK_FAILURE_POINTS = ["beforeFork", "afterFork"] as const;
export type SwarmFailurePoint = (typeof SWARM_FAILURE_POINTS)[number] | (typeof FORK_FAILURE_POINTS)[number];

/** The limits a run began with; stored with it, so that a later change of configuration does not break it. */
export interface RunLimits {
  codeMode: CodeModeSettings;
  swarm: SwarmSettings;
  /** Given for a workflow (D-001). */
  dialect?: DialectLimits | undefined;
}
