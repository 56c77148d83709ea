// What one turn's commit gathers, and how it stores a call that waits or answers one at once. Upholds L2
// (one key per call), L3.

import type { FaultData } from "../contract/fault.ts";
import { type Settlement, settleCall, type Wakes } from "./answers.ts";
import type { Delta } from "./belonging.ts";
import type { NewChild, TurnCommit } from "./port.ts";
import type { RunHead } from "./sql-runs.ts";
import type { Store } from "./store.ts";

export interface WaitedChild {
  n: number;
  runN: number | null;
  groupN: number;
  waitCall: number | null;
}

/** What a commit gathers while its calls are made. */
export interface TurnState {
  readonly run: RunHead;
  readonly commit: TurnCommit;
  /** Children stored by this commit, by id. */
  readonly spawned: Map<string, WaitedChild>;
  readonly refused: Map<string, { child: NewChild; error: FaultData }>;
  /** The first wait of this commit for one child, by the child's id. */
  readonly waits: ReadonlyMap<string, number>;
  readonly cancelled: string[];
  /** What the run's child counts gain. */
  readonly delta: Delta;
  /** What the run's count of pending calls gains. */
  pending: number;
  earliestDueAt: number | null;
  readonly wakes: Wakes;
}

export interface CallPlaceRow {
  callId: number;
  method: string;
  line?: number | undefined;
  column?: number | undefined;
}

export function waitUntil(
  store: Store,
  state: TurnState,
  call: CallPlaceRow,
  dueAt: number,
  payload: string | null,
): void {
  if (state.commit.outcome) return;
  const due = Math.ceil(dueAt);
  insertPending(store, state, call, { payload, dueAt: due });
  store.timers.insert.run(due, state.run.n, call.callId);
  noteDue(state, due);
}

export function noteDue(state: TurnState, dueAt: number): void {
  state.earliestDueAt = Math.min(state.earliestDueAt ?? dueAt, dueAt);
}

interface PendingFacts {
  childN?: number;
  holdsGroup?: boolean;
  payload?: string | null;
  dueAt?: number;
}

/** A run that ends with this turn waits for nothing. */
export function insertPending(store: Store, state: TurnState, call: CallPlaceRow, facts: PendingFacts): void {
  if (state.commit.outcome) return;
  store.calls.insertPending.run(
    ...[state.run.n, call.callId, call.method, facts.childN ?? null, facts.holdsGroup === true ? 1 : 0],
    ...[facts.dueAt ?? null, call.line ?? null, call.column ?? null, state.commit.at, facts.payload ?? null],
  );
  state.pending += 1;
}

export function answerAtOnce(store: Store, state: TurnState, call: CallPlaceRow, settlement: Settlement): void {
  insertPending(store, state, call, {});
  settleNow(store, state, call.callId, settlement);
}

export function settleNow(store: Store, state: TurnState, callId: number, settlement: Settlement): void {
  if (state.commit.outcome) return;
  settleCall(store, { runN: state.run.n, callId, dueAt: null }, settlement, state.wakes);
}
