// Resolved settings as the floors use them. src/config turns files and strings into these, once.

import type { Budget } from "./budget.ts";
import type { ModelSettings } from "./model-settings.ts";
import type { ToolSettings } from "./tool-settings.ts";

/** tools.swarm.budget: what one may spend at most. A run's own budget can only be smaller. */
export interface BudgetSettings {
  run?: Budget | undefined;
  group?: Budget | undefined;
}

/** tools.swarm after defaults, per-agent override and clamping (C-002 to C-005). */
export interface SwarmSettings {
  enabled: boolean;
  /** Children of one group that run at once. */
  maxConcurrent: number;
  /** Live (queued and running) children of one group. */
  maxChildrenPerGroup: number;
  /** Children that one group may ever spawn. */
  maxTotalPerGroup: number;
  waitTimeoutSecondsMax: number;
  /** Empty: the requester's agent. */
  defaultAgentId: string;
  /** 1: children are leaves (S-009). */
  maxSpawnDepth: number;
  /** Stop children that were spawned and not awaited when their run completes (S-016). */
  cancelUnawaited: boolean;
  /** 0 = never (S-017). */
  archiveAfterMinutes: number;
  /** Of each run and of each group (S-019); undefined: none. */
  budget?: BudgetSettings | undefined;
}

/** tools.codeMode (C-007). */
export interface CodeModeSettings {
  enabled: boolean;
  timeoutMs: number;
  memoryLimitBytes: number;
  maxOutputBytes: number;
  maxSnapshotBytes: number;
  maxPendingToolCalls: number;
  snapshotTtlSeconds: number;
  /** Turns of a run whose snapshots stay restorable. */
  keepHistoryTurns: number;
}

/** What a workflow begins with; kept with its run, so that a change of configuration does not change it (D-012). */
export interface DialectLimits {
  /** Model names of other products → models of ours. */
  models: { [name: string]: string };
  /** Agent types of other products, and the ids of configured agents → ids of configured agents. */
  agentTypes: { [name: string]: string };
  /** A name that stands in neither is an error; otherwise it is a warning. */
  strict: boolean;
  /** Agents that one run may start (D-006). */
  agentsMax: number;
}

/** `dialect` of the configuration. */
export interface DialectSettings {
  models: { [name: string]: string };
  agentTypes: { [name: string]: string };
  agentsMax: number;
  /** Folders of saved workflows, absolute, the most important first; the personal one is the last (D-008). */
  workflowFolders: string[];
}

export interface AgentSettings {
  id: string;
  model: string | undefined;
  instructions: string | undefined;
  /** Agents it may spawn; undefined = any configured agent. */
  allowedAgents: string[] | undefined;
  /** For children that say nothing else (S-006). */
  thinking?: string | undefined;
  fastMode?: boolean | "auto" | undefined;
  /** Answers of its model that one child may use; undefined = the default. */
  maxSteps?: number | undefined;
  /** Patterns of tools it may use, "server.tool"; undefined = those that a call names. */
  tools?: string[] | undefined;
}

/** What the runtime is started with: one frozen object. */
export interface Settings {
  dataDir: string;
  gateway: {
    host: string;
    port: number;
    allowedHosts: string[];
    allowedOrigins: string[];
    /** Given by the environment or the operator; without it the gateway keeps one of its own in the data directory. */
    token?: string | undefined;
  };
  /** Children of all groups that run at once. */
  maxConcurrentGlobal: number;
  /** VM worker threads; 0 = cores - 1, at least 1. */
  vmWorkers: number;
  hotVmsPerWorker: number;
  defaultModel: string;
  /** Delay of one offline answer, milliseconds; `offline:slow` takes `offlineSlowMs`. */
  offlineDelayMs: number;
  offlineSlowMs: number;
  agents: { [id: string]: AgentSettings };
  /** Model providers, their keys and addresses; without it only offline models and given runners answer. */
  models?: ModelSettings | undefined;
  /** Servers that offer tools; without it only the tools that the host registers are there. */
  tools?: ToolSettings | undefined;
  /** tools.swarm for an agent id, or for the requester without one (""). */
  swarmFor(agentId: string | undefined): SwarmSettings;
  codeMode: CodeModeSettings;
  /** The workflow dialect; without it nothing is mapped and nothing is saved. */
  dialect?: DialectSettings | undefined;
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
}
