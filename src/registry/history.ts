// the last turns of a run that asked for it stay restorable: their snapshots, and what was pending at
// each of them with the answers that came later. All of it is written in the turn's own commit (L1), and
// bounded by the number of turns that the run keeps (L10). A run that keeps nothing writes nothing here.

import { fault } from "../contract/fault.ts";
import type { TurnCommit } from "./port.ts";
import type { PastCallRow, PointRow } from "./sql-history.ts";
import type { RunHead } from "./sql-runs.ts";
import type { Store } from "./store.ts";

/** Before its answer is consumed: the call moves to the past. */
export function keepConsumed(store: Store, run: RunHead, commit: TurnCommit, callId: number): void {
  store.history.keepCall.run(commit.turn, run.n, callId);
}

/** After the run's row has advanced: this turn becomes a point, and points that are too old are let go of. */
export function keepPoint(store: Store, run: RunHead, commit: TurnCommit, turnsMax: number): void {
  const made = [...commit.calls, ...commit.settled].reduce((last, call) => Math.max(last, call.callId), 0);
  const lastCall = Math.max(made, store.history.newest.get(run.n)?.lastCall ?? 0);
  store.history.insert.run(commit.at, lastCall, run.n);
  const expired = store.history.newestUpTo.get(run.n, commit.turn - turnsMax);
  if (!expired) return;
  const oldest = store.history.oldestAfter.get(run.n, expired.turn);
  // A chain goes when the oldest point that is kept stands on another one.
  if (oldest?.standsAlone === 1) store.texts.dropSnapshots.run(expired.snapshotN, -1);
  store.history.dropUpTo.run(run.n, expired.turn);
  store.history.dropPastUpTo.run(run.n, expired.turn + 1);
}

/** At the run's end: whether it has points, whose snapshots stay. What was never answered moves to the past. */
export function keepEnd(store: Store, run: RunHead): boolean {
  if (!store.history.newest.get(run.n)) return false;
  store.history.keepLeft.run(run.turn + 1, run.n);
  return true;
}

/** With its group, a run lets go of its points. */
export function dropHistory(store: Store, runN: number): void {
  for (const point of store.history.ofRun.all(runN).reverse()) store.texts.dropSnapshots.run(point.snapshotN, -1);
  store.history.dropUpTo.run(runN, Number.MAX_SAFE_INTEGER);
  store.history.dropPastUpTo.run(runN, Number.MAX_SAFE_INTEGER);
}

/** Throws `turn_not_kept`, naming the turns that are. */
export function knownPoint(store: Store, run: { n: number; runId: string }, turn: number): PointRow {
  const point = store.history.ofTurn.get(run.n, turn);
  if (point) return point;
  throw turnNotKept(
    run.runId,
    turn,
    store.history.ofRun.all(run.n).map((row) => row.turn),
  );
}

export function turnNotKept(runId: string, turn: number, kept: number[]): Error {
  const first = kept[0];
  const which = first === undefined ? "none of its turns is" : `kept are the turns ${first} to ${kept.at(-1)}`;
  return fault("turn_not_kept", `Turn ${turn} of run ${runId} is not kept; ${which}.`, {
    details: { turn, kept: first === undefined ? [] : [first, kept.at(-1) ?? first] },
  });
}

export function pendingAt(store: Store, runN: number, point: PointRow): PastCallRow[] {
  return store.history.pendingAt.all(runN, point.turn, point.lastCall, runN, point.lastCall);
}
