// Every number that people may set: its default, its range and what it means (C-002, C-003, C-007; law L10).
// The schema, the resolver, `quickswarm config` and docs/configuration.md all follow this table.

import {
  DEFAULT_SUBAGENT_ARCHIVE_AFTER_MINUTES,
  KEEP_HISTORY_TURNS_MAX,
  KIB_BYTES,
  MIB_BYTES,
  WORKFLOW_AGENTS_MAX,
} from "../contract/limits.ts";

export interface IntegerField {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly help: string;
}

function integer(value: number, min: number, max: number, help: string): IntegerField {
  return { default: value, min, max, help };
}

const DAY_SECONDS = 86_400;
const YEAR_MINUTES = 365 * 24 * 60;

/** tools.swarm and agents.<id>.tools.swarm. Values outside the range are clamped by the resolver (C-003). */
export const SWARM_FIELDS = {
  maxConcurrent: integer(8, 1, 1000, "children of one group that run at once; the rest queue"),
  maxChildrenPerGroup: integer(50, 1, 10_000, "live (queued and running) children of one group"),
  maxTotalPerGroup: integer(200, 1, 100_000, "children that one group may ever spawn"),
  waitTimeoutSecondsMax: integer(600, 1, DAY_SECONDS, "longest agents_wait, seconds"),
  maxSpawnDepth: integer(1, 1, 16, "1: children are leaves; more: children may spawn children"),
  archiveAfterMinutes: integer(
    DEFAULT_SUBAGENT_ARCHIVE_AFTER_MINUTES,
    0,
    10 * YEAR_MINUTES,
    "minutes after its run ended until a group is archived; 0: never",
  ),
} as const satisfies Record<string, IntegerField>;

/** tools.codeMode. Values outside the range are clamped by the resolver (C-007). */
export const CODE_MODE_FIELDS = {
  timeoutMs: integer(10_000, 100, 60_000, "guest CPU time of one turn, milliseconds; waiting does not count"),
  memoryLimitBytes: integer(64 * MIB_BYTES, MIB_BYTES, 1024 * MIB_BYTES, "memory of one script, bytes"),
  maxOutputBytes: integer(64 * KIB_BYTES, KIB_BYTES, 10 * MIB_BYTES, "text that one turn may send out, bytes"),
  maxSnapshotBytes: integer(10 * MIB_BYTES, KIB_BYTES, 256 * MIB_BYTES, "one stored (compressed) snapshot, bytes"),
  maxPendingToolCalls: integer(10_000, 1, 100_000, "calls of one run that wait at the same time"),
  snapshotTtlSeconds: integer(
    7 * DAY_SECONDS,
    1,
    3650 * DAY_SECONDS,
    "life of an idle snapshot, seconds; a run with pending children never expires",
  ),
  keepHistoryTurns: integer(0, 0, KEEP_HISTORY_TURNS_MAX, "turns of a run that stay restorable; 0: none"),
} as const satisfies Record<string, IntegerField>;

/** limits. Values outside the range are refused. */
export const LIMIT_FIELDS = {
  maxConcurrentGlobal: integer(64, 1, 10_000, "children of all groups that run at once"),
  vmWorkers: integer(0, 0, 256, "threads that run scripts; 0: one less than the machine's cores, at least 1"),
  hotVmsPerWorker: integer(16, 0, 4096, "scripts kept in memory per thread between two turns"),
} as const satisfies Record<string, IntegerField>;

/** Top-level numbers. Values outside the range are refused. */
export const OFFLINE_FIELDS = {
  offlineDelayMs: integer(30, 0, 600_000, "delay of one offline answer, milliseconds"),
  offlineSlowMs: integer(1500, 0, 600_000, "delay of one answer of offline:slow, milliseconds"),
} as const satisfies Record<string, IntegerField>;

/** models and models.providers.<id>. Values outside the range are refused. */
export const MODEL_FIELDS = {
  maxConcurrent: integer(8, 1, 1000, "requests of one provider that are under way at once"),
  maxOutputTokens: integer(
    8_192,
    1,
    1_000_000,
    "output tokens of one answer; left out: the model's own, and this under a budget",
  ),
  progressTimeoutMs: integer(300_000, 1_000, 3_600_000, "a request that brings nothing for so long is ended, ms"),
} as const satisfies Record<string, IntegerField>;

/** dialect. Values outside the range are refused. */
export const DIALECT_FIELDS = {
  agentsMax: integer(WORKFLOW_AGENTS_MAX, 1, WORKFLOW_AGENTS_MAX, "agents that one workflow may start"),
} as const satisfies Record<string, IntegerField>;

/** tools, and tools.mcp.<server>. Values outside the range are refused. */
export const TOOL_FIELDS = {
  maxConcurrentCalls: integer(64, 1, 1000, "tool calls of all scripts and children that are under way at once"),
  maxConcurrentCallsPerRun: integer(16, 1, 1000, "tool calls of one script that are under way at once"),
  startTimeoutMs: integer(30_000, 100, 600_000, "time that a server has to start and to list its tools, ms"),
  timeoutMs: integer(60_000, 100, 86_400_000, "time that one call of a tool has, ms"),
  maxResultBytes: integer(64 * KIB_BYTES, KIB_BYTES, 4 * MIB_BYTES, "longest result of one call, bytes"),
} as const satisfies Record<string, IntegerField>;

/** agents.<id>. Values outside the range are refused. */
export const AGENT_FIELDS = {
  maxSteps: integer(50, 1, 1000, "answers of its model that one child may use"),
} as const satisfies Record<string, IntegerField>;

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high"] as const;

/** 0 lets the system choose a free port. */
export const PORT_FIELD = integer(7976, 0, 65_535, "TCP port of the gateway; 0: any free one");

export const HOST_DEFAULT = "127.0.0.1";
export const MODEL_DEFAULT = "offline:echo";
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const LOG_LEVEL_DEFAULT = "info";

/** Longest configuration file that is read. */
export const CONFIG_BYTES_MAX = MIB_BYTES;
export const AGENTS_COUNT_MAX = 1000;
export const INSTRUCTIONS_CHARS_MAX = 100_000;
export const TOKEN_CHARS_MIN = 16;
export const TOKEN_CHARS_MAX = 512;
