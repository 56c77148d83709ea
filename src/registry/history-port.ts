// Kept turns: what people read of them, and what a fork is made from.

import type { HistoryPoint, PointDetail } from "../contract/history.ts";
import type { JsonText } from "../contract/json.ts";
import type { RunRecord } from "../contract/records.ts";
import type { SnapshotBlob } from "../contract/snapshot.ts";
import type { Viewer } from "./readers-port.ts";

export interface NewFork {
  runId: string;
  sourceRunId: string;
  /** The first state of the fork, sealed for it; `turn` says which turn of the source it is. */
  snapshot: SnapshotBlob;
  name: string;
  groupId: string;
  limits: JsonText;
  /** Answers of calls that were pending then, instead of those that the source got. */
  answers: { callId: number; value: JsonText }[];
  keepHistoryTurns: number;
  /** As with a new run (D-009). */
  reuseFrom: string | undefined;
  /** Same session and key: the first fork is returned. */
  idempotencyKey: string | undefined;
  at: number;
}

export interface Forked {
  run: RunRecord;
  created: boolean;
  /** Children that have to be put in line: they had been killed in the source. */
  queued: string[];
  earliestDueAt: number | null;
}

export interface RegistryHistory {
  /** Kept turns of a run, oldest first; empty when none is kept, or when the run is unknown. */
  historyPoints(runId: string): Promise<HistoryPoint[]>;
  /** The run as it was after a kept turn. Throws `turn_not_kept`, naming the turns that are kept. */
  pointDetail(runId: string, turn: number, viewer: Viewer): Promise<Omit<PointDetail, "run">>;
  /** The stored chain after a kept turn; empty when it is not kept. */
  chainAt(runId: string, turn: number): Promise<SnapshotBlob[]>;
  /**
   * Makes a run that begins after a kept turn of another one. Its children are its own: see `fork-children.ts`.
   * Throws `not_found`, `turn_not_kept`, `call_not_pending`, `answer_type`, `idempotency_conflict`.
   */
  forkRun(fork: NewFork): Promise<Forked>;
  /** Children that go on by themselves because the one that they followed was killed: they have to be put in line. */
  freedBy(childIds: string[]): Promise<string[]>;
}
