// What a gateway process can do, as its surfaces (HTTP, CLI, library) call it. Every method takes the
// caller: identity comes from the connection, never from the body.

import type { FoundWorkflow } from "../config/workflows.ts";
import type { ForkRequest, SpawnRequest, SubmitRequest } from "../contract/api.ts";
import type { SwarmEvent } from "../contract/events.ts";
import type { PointDetail, RunHistory } from "../contract/history.ts";
import type {
  ChildCounts,
  ChildRecord,
  ChildStatus,
  GroupRecord,
  RunDetail,
  RunRecord,
  RunState,
  WaitAnswer,
} from "../contract/records.ts";
import type { Caller, PageRequest } from "./caller.ts";
import type { PeopleApi } from "./people-api.ts";

export type { Caller, PageRequest } from "./caller.ts";

/** Kept turns of runs. Each rejects with `not_found` for a run that the caller may not see. */
export interface RuntimeHistory {
  history(caller: Caller, runId: string): Promise<RunHistory>;
  /** The run as it was after a kept turn, without one the newest; `turn_not_kept` names the turns that are. */
  pointDetail(caller: Caller, runId: string, turn?: number): Promise<PointDetail>;
  /** A new run that begins with a kept turn; `turn_not_kept`, `call_not_pending`, `answer_type`. */
  fork(caller: Caller, runId: string, request: ForkRequest): Promise<{ run: RunRecord; created: boolean }>;
}

export interface Runtime extends RuntimeHistory, PeopleApi {
  /** Compiles first: a script that cannot be compiled leaves no run behind (G-012). */
  submit(caller: Caller, request: SubmitRequest): Promise<{ run: RunRecord; created: boolean }>;
  /** Saved workflows of the folders that this gateway reads, with what is wrong with those that cannot run (D-008). */
  savedWorkflows(): Promise<FoundWorkflow[]>;
  /** S-001: a collector child at once. */
  spawn(
    caller: Caller,
    request: SpawnRequest,
  ): Promise<{ status: "accepted"; runId: string; sessionKey: string; groupId: string }>;
  /**
   * S-011 to S-014: first completion; takes run ids too, whose record is then mapped on the same shape.
   * When `signal` aborts or the gateway closes it answers at once, with what is pending.
   */
  wait(caller: Caller, ids: string[], timeoutSeconds: number | undefined, signal?: AbortSignal): Promise<WaitAnswer>;
  /** Resolves when the run is final, or as it stands when `signal` aborts or the gateway closes; rejects with `not_found`. */
  runEnded(caller: Caller, runId: string, signal?: AbortSignal): Promise<RunRecord>;
  run(caller: Caller, runId: string): Promise<RunRecord>;
  runDetail(caller: Caller, runId: string): Promise<RunDetail>;
  runs(caller: Caller, page: PageRequest, state?: RunState): Promise<{ rows: RunRecord[]; next: string | undefined }>;
  children(
    caller: Caller,
    filter: { runId?: string | undefined; groupId?: string | undefined; status?: ChildStatus | undefined },
    page: PageRequest,
  ): Promise<{ rows: ChildRecord[]; next: string | undefined }>;
  groups(caller: Caller, page: PageRequest): Promise<{ rows: GroupRecord[]; next: string | undefined }>;
  group(caller: Caller, groupId: string): Promise<{ group: GroupRecord; children: ChildRecord[] }>;
  /** Stops a run or one child, with its descendants (S-016). `wrong_state` when it is already final. */
  stop(caller: Caller, id: string, reason?: string): Promise<{ stopped: string; cancelledChildren: number }>;
  /** Releases a quarantined run; for any other unfinished run it only says that it is going on. */
  resume(caller: Caller, runId: string): Promise<RunRecord>;
  eventsAfter(caller: Caller, seq: number, runId: string | undefined, limit: number): Promise<SwarmEvent[]>;
  lastEventSeq(): Promise<number>;
  /** Calls back after each commit that appended events. */
  onEvents(listener: (lastSeq: number) => void): () => void;
  backup(targetPath: string): Promise<{ bytes: number }>;
  health(): RuntimeHealth;
  /** Ends turns and children cleanly; what runs is parked and resumes at the next start (L7). */
  close(): Promise<void>;
}

export interface RuntimeHealth {
  version: string;
  startedAt: number;
  activeRuns: number;
  recovered: { runs: number; children: number };
  lanes: { running: number; queued: number };
  vm: { workers: number; hot: number; restores: number; terminated: number };
  storage: { ok: boolean; reason?: string | undefined };
  children?: ChildCounts | undefined;
}
