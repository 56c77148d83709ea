// The memory, as use cases. Asynchronous, because a store across a network implements it too; every
// promise of a write resolves only after the fsync that holds it. `test/suites/registry.ts` is the
// contract that any store must pass. Upholds L1 (one transaction a turn), L3 (settle once),
// L12 (attempt numbers), R-001, R-002.

import type { Budget } from "../contract/budget.ts";
import type { Call, CallPlace, ChildOptions, Note } from "../contract/calls.ts";
import type { FaultData } from "../contract/fault.ts";
import type { Json, JsonText } from "../contract/json.ts";
import type { ChildRecord, ChildStatus, RunRecord, Usage } from "../contract/records.ts";
import type { SwarmSettings } from "../contract/settings.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";
import type { RegistryHistory } from "./history-port.ts";
import type { People } from "./people-port.ts";
import type { RegistryReaders } from "./readers-port.ts";
import type { RegistrySpending } from "./spending-port.ts";
import type { Settled, WriteHooks } from "./writes-port.ts";

export type { Settled, WriteHooks } from "./writes-port.ts";

export interface NewRun {
  runId: string;
  sessionKey: string;
  /** The session that may see this run as well, or null. */
  parentSessionKey: string | null;
  groupId: string;
  name: string;
  language: "js" | "ts";
  fileName: string;
  /** As submitted; stored once per content hash. */
  sourceText: string;
  /** What the VM is given, with positions kept; stored once per content hash. */
  code: string;
  args: JsonText | undefined;
  /** SavedWorkflow[] that its script may call (D-008); stored once per content hash. */
  workflows?: JsonText | undefined;
  model: string;
  agentId: string | undefined;
  /** Same session and key: the first run is returned, if its script and args are the same (else `idempotency_conflict`). */
  idempotencyKey: string | undefined;
  /** Resolved limits of the script and the group, kept with the run so that a configuration change does not break it. */
  limits: JsonText;
  /** Results of this run's done children answer the same calls of the new one (D-009). */
  reuseFrom?: string | undefined;
  /** S-019; undefined: none. */
  budget?: Budget | undefined;
  /** For a group that this run is the first to use. */
  groupBudget?: Budget | undefined;
  at: number;
}

/** Everything a turn needs. */
export interface RunForTurn {
  run: RunRecord;
  epoch: number;
  fileName: string;
  code: string;
  sourceText: string;
  args: JsonText | undefined;
  agentId: string | undefined;
  limits: JsonText;
  notesStored: number;
}

/** A settled call whose answer the guest has not consumed. Ordered by `settleNumber` (L4). */
export interface UndeliveredAnswer {
  callId: number;
  settleNumber: number;
  ok: boolean;
  /** The JSON text of the value, or of `{ name, message, data }` for an error. */
  payload: JsonText;
  usage: Usage | undefined;
  costUsd: number | undefined;
}

export interface NewChild {
  childId: string;
  callId: number;
  agentId: string | undefined;
  model: string;
  prompt: string;
  options: ChildOptions;
  groupId: string;
  sessionKey: string;
  depth: number;
  /** A lane slot is already reserved: it is stored as `running`, attempt 1, so that no further commit is needed before it starts. */
  admitted: boolean;
  /** Absolute time at which it becomes `timeout`, or null. */
  deadlineAt: number | null;
}

export type GroupLimits = Pick<SwarmSettings, "maxChildrenPerGroup" | "maxTotalPerGroup" | "budget">;

export interface TurnCommit {
  runId: string;
  /** Fencing token: refused with `stale_epoch` when the row's differs. */
  epoch: number;
  /** Must be the row's turn + 1. */
  turn: number;
  consumed: { callId: number; settleNumber: number }[];
  /** In guest order. Spawns are in `children` as well, keyed by their call id. */
  calls: Call[];
  children: NewChild[];
  groupLimits: GroupLimits;
  /** Calls answered in this very commit (refused by the bridge or by swarm). */
  settled: ({ callId: number; method: string; ok: boolean; payload: JsonText } & CallPlace)[];
  notes: Note[];
  notesDropped: number;
  /** Null exactly when `outcome` is given. */
  snapshot: SnapshotBlob | null;
  outcome: RunOutcome | null;
  /** Becomes the outcome `failed`, with its children, when this commit leaves nothing that could ever wake the run (G-015). */
  deadlock?: FaultData | undefined;
  /** How many turns, this one included, stay restorable; 0 or absent: none. */
  keepHistoryTurns?: number | undefined;
  /** With an outcome: the run's live children and their descendants become `killed` in this commit (S-016). */
  cancelChildren?: boolean | undefined;
  at: number;
}

export type RunOutcome =
  | { state: "done"; result: JsonText }
  | { state: "failed" | "killed" | "quarantined"; error: FaultData };

export interface TurnCommitted {
  /** Children that were stored; refused ones are missing and their waits were settled with the error. */
  spawned: string[];
  refused: { childId: string; error: FaultData }[];
  /** Children that became final in this commit because the guest cancelled them: abort what runs. */
  cancelled: string[];
  /** Whether undelivered answers are there now (including ones that came in meanwhile): give it another turn. */
  wake: boolean;
  /** Other runs that have something to consume now, because a child that they waited for was cancelled. */
  woken: string[];
  /** Timers that this commit set; the earliest due time, or null. */
  earliestDueAt: number | null;
  /** Pending calls of the run after the commit; 0 with no outcome and no wake means that it ended with `deadlock` (G-015). */
  pendingCalls: number;
}

export interface DetachedSpawn {
  child: NewChild;
  /** The run or child that asked; null for another harness. */
  parentRunId: string | null;
  groupLimits: GroupLimits;
  /** Same session and key: the first child is returned. */
  idempotencyKey: string | undefined;
  at: number;
}

/** What the lanes and runners need of a stored child. */
export interface ChildForRun {
  record: ChildRecord;
  options: ChildOptions;
  depth: number;
  deadlineAt: number | null;
  /** Place in the queue; survives restarts. */
  ticket: number;
}

export interface ChildCompletion {
  childId: string;
  /** Refused as stale when it is not the current attempt (L3, L12). */
  attempt: number;
  status: Exclude<ChildStatus, "queued" | "running">;
  text: string;
  structured: Json | undefined;
  schemaError: string | undefined;
  error: string | undefined;
  errorCode: string | undefined;
  /** What this attempt has used and was not billed yet: added to what the child has used before. */
  usage: Usage | undefined;
  costUsd: number | undefined;
  at: number;
}

/** How somebody outside answers a call: the value, or `{ name, message, data }` of an error, as JSON text. */
export interface OutsideAnswer {
  ok: boolean;
  payload: JsonText;
}

export interface Stopped {
  /** False when it was already final. */
  applied: boolean;
  /** Children that became `killed`: abort what runs. */
  cancelled: string[];
  wake: string[];
}

export interface Recovery {
  /** Runs that were found active. */
  activeRuns: number;
  /** Runs with undelivered answers or an unrun first turn, oldest first. */
  readyRuns: string[];
  /** Children that had been running and are queued again at their old place, attempt to be counted at claim. */
  requeued: number;
  /** Children ended because their call said onRestart: "fail". */
  interrupted: number;
  earliestDueAt: number | null;
}

export interface Registry extends RegistryReaders, RegistryHistory, People, RegistrySpending {
  /** A write that belongs with those already applied is about to come: one fsync may hold both. Returns the end. */
  hold(): () => void;
  // Runs and turns
  createRun(run: NewRun): Promise<{ run: RunRecord; created: boolean }>;
  runForTurn(runId: string): Promise<RunForTurn | undefined>;
  undelivered(runId: string, limit: number, bytesMax: number): Promise<UndeliveredAnswer[]>;
  snapshotChain(runId: string): Promise<SnapshotBlob[]>;
  commitTurn(commit: TurnCommit, hooks?: WriteHooks<TurnCommitted>): Promise<TurnCommitted>;
  /**
   * Answers a call that waits for somebody outside (`OUTSIDE_METHODS`), once: of several answers the first
   * one counts, and so it is with the call's time-out and with the run's end (L3).
   */
  settleCall(
    call: { runId: string; callId: number },
    answer: OutsideAnswer,
    hooks?: WriteHooks<Settled>,
  ): Promise<Settled>;
  /** Ends a run outside a turn (stop, host fault); cancels its live children and their descendants when `cancelChildren`. */
  endRun(runId: string, outcome: RunOutcome, cancelChildren: boolean, at: number): Promise<Stopped>;
  /** Written before the first turn after a restart; a committed turn resets it. Returns the new count. */
  countResume(runId: string, at: number): Promise<number>;
  /** Takes one count back: an orderly end cut the turn short. */
  forgiveResume(runId: string): Promise<void>;
  /** Releases a quarantined run; false when it is in another state. */
  releaseRun(runId: string, at: number): Promise<boolean>;
  // Children
  spawnDetached(spawn: DetachedSpawn): Promise<{ child: ChildForRun; created: boolean }>;
  /** queued → running, attempt + 1, for those still queued. */
  claimChildren(childIds: string[], at: number, hooks?: WriteHooks<ChildForRun[]>): Promise<ChildForRun[]>;
  /** running → queued at its old place, for a retry inside the child; refused when stale. */
  requeueChild(childId: string, attempt: number, reason: string, at: number): Promise<boolean>;
  recordStep(childId: string, attempt: number, step: JsonText, at: number): Promise<void>;
  steps(childId: string): Promise<JsonText[]>;
  sessionHistory(sessionId: string): Promise<{ role: "user" | "assistant"; text: string }[]>;
  /** Sets the final state once, answers every call that waits for it, appends the session's messages. */
  completeChild(completion: ChildCompletion, hooks?: WriteHooks<Settled>): Promise<Settled>;
  cancelChild(childId: string, reason: string, at: number): Promise<Stopped>;
  /** Queued children in ticket order, after `ticket`; only those below the run or child `rootId`, if given. */
  queuedChildren(afterTicket: number, limit: number, rootId?: string): Promise<ChildForRun[]>;
  childForRun(childId: string): Promise<ChildForRun | undefined>;
  // Time
  /** Answers sleeps and waits that are due, and gives the children past their deadline, at most `limit` each. */
  fireTimers(
    now: number,
    limit: number,
  ): Promise<{
    wake: string[];
    overdueChildren: string[];
    /** Ended, since a budget of time is over (S-019): abort what runs. */
    cut: string[];
    earliestDueAt: number | null;
    more: boolean;
  }>;
  // Start, end, keeping
  /** What a dead process was at goes back to its place: all of it, or what is below the run or child `rootId`. */
  recover(at: number, rootId?: string): Promise<Recovery>;
  /** Runs with something to consume, in id order after `afterRunId`; for the sweep that makes a missed wake cost time, never a hang. */
  readyRuns(afterRunId: string, limit: number): Promise<string[]>;
  /** Archives groups whose run ended (or that were quiet) before `endedBefore`; frees snapshots, prompts, results, notes. */
  archiveGroups(endedBefore: number, at: number, limit: number): Promise<string[]>;
  putImage(image: ImageBlob, at: number): Promise<void>;
  image(imageHash: string): Promise<ImageBlob | undefined>;
  setting(name: string): Promise<JsonText | undefined>;
  putSetting(name: string, value: JsonText, at: number): Promise<void>;
  /** A consistent copy by SQLite's backup API while work goes on. Returns its bytes. */
  backup(targetPath: string): Promise<number>;
  close(): Promise<void>;

  /** Called after each durable commit that appended events; returns the end of the subscription (L8). */
  onEvents(listener: (lastSeq: number) => void): () => void;
  counters(): { staleSettlements: number; commits: number; operations: number };
}
