// What a person writes: the raw options of an agent and of a team, and what comes back. resolve.ts turns them
// into what the strategies read.

import type { Json } from "../contract/json.ts";
import type { HitlConfig } from "./approvals.ts";
import type { Breach } from "./breach.ts";
import type { AgencyEvents } from "./callbacks.ts";
import type { AgencyStream } from "./parts.ts";
import type { RouteFields, SeatSettings, SeatUsage } from "./port.ts";
import type { ProvenanceConfig, TrailEntry } from "./provenance.ts";
import type { ToolTable } from "./tools.ts";

export type StrategyName = "sequential" | "parallel" | "debate" | "review-loop" | "hierarchical" | "graph";

/** A Zod schema, or anything that parses like one. */
export interface OutputSchema<Output = unknown> {
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: unknown };
}

/** A member that the agency builds. Left-out route fields are inherited from the agency, one by one. */
export interface AgentConfig extends RouteFields, SeatSettings {
  instructions?: string | undefined;
  /** What the manager of a hierarchical agency reads; default: the instructions. */
  description?: string | undefined;
  tools?: ToolTable | undefined;
  /** Model steps of one call; default 10. At the last one no tool may be called any more. */
  maxSteps?: number | undefined;
  /** Read from the member's own reply into `parsed`. */
  responseSchema?: OutputSchema | undefined;
  /** Members of the same agency that have to answer first. */
  dependsOn?: readonly string[] | null | undefined;
  /** Times a failed call of this member is repeated; default 0 (B-009). */
  retries?: number | undefined;
  /** Milliseconds one call may take; default: the agency's `seatDeadlineMs`. */
  deadlineMs?: number | undefined;
}

/** Options of one call. Those that go to models go to every member and to the chair. */
export interface GenerateOptions {
  model?: string | undefined;
  provider?: string | undefined;
  effort?: string | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  fallbackProviders?: readonly string[] | undefined;
  abortSignal?: AbortSignal | undefined;
  /** Names the run, so that a later process can go on with it where the host keeps what is settled. */
  runId?: string | undefined;
}

export interface ToolCallRecord {
  name: string;
  input: Json;
  output: string;
  isError: boolean;
}

interface Origin {
  usage: SeatUsage;
  /** Who answered; left out where no single one did. */
  provider?: string | undefined;
  model?: string | undefined;
}

export interface AgentResult<Output = unknown> extends Origin {
  text: string;
  toolCalls: ToolCallRecord[];
  parsed?: Output | undefined;
  fallback?: { from: string; reason: string } | undefined;
  durationMs: number;
}

/** One call of one member; the chair's own calls are not among them. */
export interface AgentCallRecord extends Origin {
  agent: string;
  /** What the member was really sent. */
  input: string;
  output: string;
  toolCalls: ToolCallRecord[];
  fallback?: { from: string; reason: string } | undefined;
  durationMs: number;
}

export interface AgencyResult<Output = unknown> extends Origin {
  /** Empty when nobody answered. */
  text: string;
  agentCalls: AgentCallRecord[];
  parsed?: Output | undefined;
  /** The limit that ended the run before it was done (B-004). */
  stopped?: Breach | undefined;
  provenanceTrail?: TrailEntry[] | undefined;
}

/** Totals of finished runs; what runs that failed had used is kept apart (A-025, B-003). */
export interface UsageTotals extends SeatUsage {
  failed: SeatUsage;
}

/** Anything that can take a seat: an agent, an agency, or an object of the host's own. */
export interface Agent {
  generate(prompt: string, options?: GenerateOptions): Promise<{ text: string }>;
  close?(): Promise<void> | void;
  description?: string | undefined;
  dependsOn?: readonly string[] | null | undefined;
}

export interface SessionMessage {
  role: "user" | "assistant";
  content: string;
}

export interface Session<Result> {
  readonly id: string;
  send(text: string, options?: GenerateOptions): Promise<Result>;
  stream(text: string, options?: GenerateOptions): AgencyStream<Result>;
  messages(): SessionMessage[];
  usage(): Promise<SeatUsage>;
}

export interface AgentHandle<Output = unknown> extends Agent {
  generate(prompt: string, options?: GenerateOptions): Promise<AgentResult<Output>>;
  stream(prompt: string, options?: GenerateOptions): AgencyStream<AgentResult<Output>>;
  session(id?: string): Session<AgentResult<Output>>;
  usage(): Promise<UsageTotals>;
  close(): Promise<void>;
}

/** A member as `export()` tells it. */
export interface ExportedMember {
  kind: "config" | "built";
  description: string;
  dependsOn: readonly string[];
  instructions?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  tools?: string[];
}

export interface AgencyExport {
  name: string;
  strategy: StrategyName;
  model?: string | undefined;
  provider?: string | undefined;
  instructions?: string | undefined;
  maxRounds: number;
  agents: { [name: string]: ExportedMember };
}

export interface AgencyInstance<Output = unknown> extends Agent {
  readonly name: string;
  /** The strategy that was compiled. */
  readonly strategy: StrategyName;
  generate(prompt: string, options?: GenerateOptions): Promise<AgencyResult<Output>>;
  stream(prompt: string, options?: GenerateOptions): AgencyStream<AgencyResult<Output>>;
  session(id?: string): Session<AgencyResult<Output>>;
  /** What it is, as plain data without keys, addresses and functions. */
  export(): AgencyExport;
  exportJSON(): string;
  usage(): Promise<UsageTotals>;
  close(): Promise<void>;
}

export interface QuorumConfig {
  minAgents?: number | undefined;
  minProviders?: number | undefined;
  onShortfall?: "error" | "proceed" | undefined;
}

export interface ControlsConfig {
  maxTotalTokens?: number | undefined;
  maxCostUSD?: number | undefined;
  maxDurationMs?: number | undefined;
  maxAgentCalls?: number | undefined;
  onLimitReached?: "stop" | "warn" | "error" | undefined;
  /**
   * "live": checked before each call too, and what is under way is stopped. The result is then what there is,
   * with `stopped`; under "error" the limit is thrown, under "warn" only told (B-004). Default "end".
   */
  enforce?: "end" | "live" | undefined;
  /** Times a run is repeated whose text does not fit `output`; default 1. */
  maxValidationRetries?: number | undefined;
  /** Accepted and not read. */
  maxStepsPerAgent?: number | undefined;
  maxEmergentAgents?: number | undefined;
}

export interface EmergentConfig {
  enabled?: boolean | undefined;
  judge?: boolean | undefined;
  /** Accepted and not read. */
  tier?: "session" | "agent" | "shared" | undefined;
  planner?:
    | {
        maxSpecialists?: number | undefined;
        requireJustification?: boolean | undefined;
        maxJudgeCalls?: number | undefined;
        judgeModel?: string | undefined;
      }
    | undefined;
}

/** Accepted so that options can be shared with other surfaces; each is logged and changes nothing. */
interface AcceptedConfig {
  agencies?: unknown;
  cognitiveMechanisms?: unknown;
  effort?: unknown;
  maxTokens?: unknown;
  memory?: unknown;
  observability?: unknown;
  permissions?: unknown;
  rag?: unknown;
  security?: unknown;
  thinking?: unknown;
}

/** A team. Route fields are the members' defaults and the chair's own. */
export interface AgencyConfig<Output = unknown> extends RouteFields, AcceptedConfig {
  agents: { readonly [name: string]: AgentConfig | Agent };
  name?: string | undefined;
  strategy?: StrategyName | undefined;
  /** For the synthesizer, the judge and the manager. */
  instructions?: string | undefined;
  tools?: ToolTable | undefined;
  /** Of debate and review-loop; default 3. */
  maxRounds?: number | undefined;
  quorum?: QuorumConfig | undefined;
  /** Graph: "tiers" waits for whole tiers, "ready" for a member's own dependencies; default "tiers" (B-009). */
  scheduling?: "tiers" | "ready" | undefined;
  /** Milliseconds one call of a member may take; no default (B-006). */
  seatDeadlineMs?: number | undefined;
  /** Members that work at once; default: all that may. */
  concurrency?: number | undefined;
  adaptive?: boolean | undefined;
  emergent?: EmergentConfig | undefined;
  output?: OutputSchema<Output> | undefined;
  controls?: ControlsConfig | undefined;
  hitl?: HitlConfig | undefined;
  on?: AgencyEvents | undefined;
  provenance?: ProvenanceConfig | undefined;
  /** Ids of the host's; reported through `on.guardrailResult` and not evaluated. */
  guardrails?: readonly string[] | { input?: readonly string[]; output?: readonly string[] } | undefined;
}
