// One turn, one transaction (L1, R-002): the answers it consumed, the calls it made, its notes and its
// snapshot or result. Refused as a whole when the run is not where the turn began (epoch, turn
// number, answers); the caller's VM is condemned then and goes back to the last snapshot.

import { fault } from "../contract/fault.ts";
import { NOTES_PER_RUN_MAX } from "../contract/limits.ts";
import { killChildren } from "./children.ts";
import { keepConsumed, keepPoint } from "./history.ts";
import { appendNotes, type NotesStored } from "./notes.ts";
import type { RunOutcome, TurnCommit, TurnCommitted } from "./port.ts";
import { endRunRow, knownRun } from "./runs.ts";
import type { RunHead } from "./sql-runs.ts";
import type { Store } from "./store.ts";
import { firstWaits, makeCalls } from "./turn-calls.ts";
import type { TurnState } from "./turn-state.ts";

/** Throws `not_found`, `stale_epoch`. */
export function commitTurn(store: Store, commit: TurnCommit): TurnCommitted {
  const run = store.runs.head.get(commit.runId);
  if (!run) throw fault("not_found", `There is no run ${commit.runId}.`);
  checkPlace(run, commit);
  consume(store, run, commit);
  const state: TurnState = {
    run,
    commit,
    spawned: new Map(),
    refused: new Map(),
    waits: firstWaits(commit),
    cancelled: [],
    delta: [0, 0, 0, 0, 0, 0],
    pending: 0,
    earliestDueAt: null,
    wakes: new Set(),
  };
  // Notes before calls: a phase is announced before the children that belong to it.
  const notes = appendNotes(store, run, commit);
  makeCalls(store, state);
  const snapshotN = commit.snapshot ? storeSnapshot(store, run, commit, commit.snapshot) : run.snapshotN;
  const after = advance(store, state, notes, snapshotN);
  if (commit.snapshot && keepsHistory(commit)) keepPoint(store, run, commit, commit.keepHistoryTurns ?? 0);
  if (commit.outcome) endWithTurn(store, state, commit.outcome, commit.cancelChildren === true);
  else if (commit.deadlock && after.pendingCalls === 0 && after.undelivered === 0) {
    endWithTurn(store, state, { state: "failed", error: commit.deadlock }, true);
  }
  const goesOn = commit.outcome === null;
  return {
    spawned: [...state.spawned.keys()],
    refused: [...state.refused].map(([childId, { error }]) => ({ childId, error })),
    cancelled: state.cancelled,
    wake: goesOn && after.undelivered > 0,
    woken: [...state.wakes].filter((runId) => runId !== run.runId),
    earliestDueAt: state.earliestDueAt,
    pendingCalls: goesOn ? after.pendingCalls : 0,
  };
}

/** S-016: what the turn spawned itself belongs to the run as well. */
function endWithTurn(store: Store, state: TurnState, outcome: RunOutcome, cancelChildren: boolean): void {
  const { commit } = state;
  const run = knownRun(store, commit.runId);
  endRunRow(store, run, outcome, commit.at);
  if (!cancelChildren) return;
  const live = store.children.liveOfRun.all(run.n);
  state.cancelled.push(...killChildren(store, live, "Its run has ended", commit.at, state.wakes));
}

function checkPlace(run: RunHead, commit: TurnCommit): void {
  if (run.endedAt !== null || run.epoch !== commit.epoch) {
    throw stale(`Run ${run.runId} is ${run.state} in epoch ${run.epoch}; the turn began in epoch ${commit.epoch}.`);
  }
  if (commit.turn !== run.turn + 1) {
    throw stale(`Run ${run.runId} has committed turn ${run.turn}; turn ${commit.turn} does not follow it.`);
  }
  if ((commit.snapshot === null) !== (commit.outcome !== null)) {
    throw fault("internal", "A turn needs either a snapshot or an outcome.");
  }
}

function keepsHistory(commit: TurnCommit): boolean {
  return (commit.keepHistoryTurns ?? 0) > 0;
}

/** Each answer must be there, undelivered, under that settle number. */
function consume(store: Store, run: RunHead, commit: TurnCommit): void {
  for (const { callId, settleNumber } of commit.consumed) {
    if (keepsHistory(commit)) keepConsumed(store, run, commit, callId);
    if (store.calls.consume.run(run.n, callId, settleNumber).changes === 1) continue;
    throw stale(`Call ${callId} of run ${run.runId} has no undelivered answer ${settleNumber}.`);
  }
}

function stale(message: string): Error {
  return fault("stale_epoch", message);
}

/**
 * A full snapshot replaces the chain; a difference stands on a link of it, and replaces what came after that.
 * Where turns are kept, their chains stay and go with the points (`keepPoint`).
 */
function storeSnapshot(
  store: Store,
  run: RunHead,
  commit: TurnCommit,
  snapshot: NonNullable<TurnCommit["snapshot"]>,
): number {
  const { turn, parentTurn, imageHash, bytes } = snapshot;
  if (turn !== run.turn + 1) {
    throw fault("internal", `The snapshot is of turn ${turn}; the commit is turn ${run.turn + 1}.`);
  }
  let previousN: number | null = null;
  if (parentTurn !== null) {
    const newest = parentTurn === run.turn ? run.snapshotN : undefined;
    previousN = newest ?? store.texts.snapshotOfTurn.get(run.snapshotN, parentTurn) ?? null;
    if (previousN === null) {
      throw fault("internal", `The snapshot stands on turn ${parentTurn}, which is not stored.`);
    }
  }
  if (run.snapshotN !== null && previousN !== run.snapshotN && !keepsHistory(commit)) {
    store.texts.dropSnapshots.run(run.snapshotN, parentTurn ?? -1);
  }
  const stored = store.texts.insertSnapshot.run(run.n, turn, parentTurn, previousN, imageHash, bytes);
  return Number(stored.lastInsertRowid);
}

function advance(store: Store, state: TurnState, notes: NotesStored, snapshotN: number | null) {
  const { run, commit } = state;
  const consumed = commit.consumed.length;
  const stored = Math.min(notes.stored, NOTES_PER_RUN_MAX + 1 - run.notesStored);
  const after = store.runs.advance.get(
    ...[commit.turn, snapshotN, ...state.delta, state.pending, consumed, stored, notes.phase, consumed, run.n],
  );
  if (!after) throw fault("internal", `Run ${run.runId} vanished during its commit.`);
  return after;
}
