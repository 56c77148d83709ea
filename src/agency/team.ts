// A team as the strategies read it: checked, with every default in its place.

import type { HitlConfig } from "./approvals.ts";
import type { AgencyEvents } from "./callbacks.ts";
import type { Agent, AgentConfig, ControlsConfig, EmergentConfig, OutputSchema, StrategyName } from "./config.ts";
import type { RouteFields } from "./port.ts";
import type { ProvenanceConfig } from "./provenance.ts";
import type { ToolReader } from "./tools.ts";

export interface Member {
  name: string;
  dependsOn: readonly string[];
  /** What the manager reads about it. */
  description: string;
  retries: number;
  deadlineMs: number | undefined;
  seat: { kind: "config"; config: AgentConfig; tools: ToolReader } | { kind: "built"; agent: Agent };
}

export interface Team {
  name: string;
  strategy: StrategyName;
  members: readonly Member[];
  /** Members in tiers, each after all it depends on; for the graph. */
  tiers: readonly (readonly Member[])[];
  route: RouteFields;
  instructions: string | undefined;
  tools: ToolReader;
  maxRounds: number;
  quorum: { minAgents: number; minProviders: number; onShortfall: "error" | "proceed" } | undefined;
  scheduling: "tiers" | "ready";
  concurrency: number;
  output: OutputSchema | undefined;
  controls: ControlsConfig;
  emergent: EmergentConfig | undefined;
  hitl: HitlConfig | undefined;
  /** The host's own object; read only when an event fires. */
  on: AgencyEvents | undefined;
  provenance: ProvenanceConfig | undefined;
  guardrails: { input: readonly string[]; output: readonly string[] };
}
