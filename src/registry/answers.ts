// How a call is settled, once (L3), with the next settle number of its run (L4), and what its answer
// says when it is read. A wait for one child stores no copy of the child's text: a final child never
// changes, so its answer is read from it.

import { ANSWER_BYTES_PER_TURN_MAX } from "../contract/limits.ts";
import { countRun, type Delta } from "./belonging.ts";
import type { CallKey, ChildHead, WaitingCall } from "./sql-children.ts";
import type { Store } from "./store.ts";

/** Where a settled call's payload comes from: stored as text, one child's record, or several. */
export type AnswerSource = "text" | "child" | "children";

/** Runs that have something to consume after the write. */
export type Wakes = Set<string>;

/** A wait for any, as it stands when it is settled. Children by id, so that no text is copied. */
export interface AnyAnswer {
  completed: string[];
  pending: string[];
  errors: string[];
}

export interface AnyState extends AnyAnswer {
  /** The live ones, to wait for. */
  liveChildren: number[];
}

export interface Settlement {
  ok: boolean;
  source: AnswerSource;
  payload: string | null;
}

const NO_DELTA: Delta = [0, 0, 0, 0, 0, 0];

/** The call must be pending. Ends its timer; counts `delta` of the run's children in the same write. */
export function settleCall(
  store: Store,
  call: CallKey,
  settlement: Settlement,
  wakes: Wakes,
  delta: Delta = NO_DELTA,
): boolean {
  const run = store.runs.settle.get(...delta, call.runN);
  if (!run) return false;
  const { ok, source, payload } = settlement;
  store.calls.settle.run(run.settleNumber, ok ? 1 : 0, source, payload, call.runN, call.callId);
  if (call.dueAt !== null) store.timers.drop.run(call.dueAt, call.runN, call.callId);
  if (run.state === "running") wakes.add(run.runId);
  return true;
}

/**
 * Answers every call that waits for a child that has just become final, those of one run in the order
 * in which they were made, and counts `delta` of the child's own run.
 */
export function answerWaiters(store: Store, child: ChildHead, ok: boolean, delta: Delta, wakes: Wakes): void {
  const settlement: Settlement = { ok, source: "child", payload: null };
  const { runN, waitCall } = child;
  const others = store.calls.othersWaiting.all(child.n);
  const isEarlier = (call: WaitingCall): boolean => call.runN === runN && call.callId < (waitCall ?? 0);
  for (const call of others) if (isEarlier(call)) settleOther(store, call, settlement, wakes);
  const own = runN !== null && waitCall !== null ? { runN, callId: waitCall, dueAt: null } : undefined;
  if (!own || !settleCall(store, own, settlement, wakes, delta)) countRun(store, runN, delta);
  for (const call of others) if (!isEarlier(call)) settleOther(store, call, settlement, wakes);
}

function settleOther(store: Store, call: WaitingCall, settlement: Settlement, wakes: Wakes): void {
  if (call.payload === null) settleWait(store, call, settlement, wakes);
  else settleAny(store, call, anyState(store, call.sessionN, JSON.parse(call.payload) as string[]), wakes);
}

function settleWait(store: Store, call: CallKey, settlement: Settlement, wakes: Wakes): void {
  store.calls.dropWaits.run(call.runN, call.callId);
  settleCall(store, call, settlement, wakes);
}

export function settleAny(store: Store, call: CallKey, state: AnyAnswer, wakes: Wakes): void {
  settleWait(store, call, { ok: true, source: "children", payload: anyPayload(state) }, wakes);
}

export function anyPayload(state: AnyAnswer): string {
  return JSON.stringify({ completed: state.completed, pending: state.pending, errors: state.errors });
}

/**
 * What a session would be told about these ids now (S-011, S-013). Ids that it may not see are errors
 * like unknown ones (S-014). Completed ones whose texts would not fit into one turn stay pending: the
 * next wait for them answers at once.
 */
export function anyState(store: Store, sessionN: number, ids: readonly string[]): AnyState {
  const state: AnyState = { completed: [], pending: [], errors: [], liveChildren: [] };
  let chars = 0;
  for (const id of new Set(ids)) {
    const child = store.children.visible.get(id, sessionN, sessionN);
    if (!child) {
      state.errors.push(id);
      continue;
    }
    const live = child.status === "queued" || child.status === "running";
    const fits = state.completed.length === 0 || chars + child.resultChars <= ANSWER_BYTES_PER_TURN_MAX;
    if (!live && fits) {
      state.completed.push(id);
      chars += child.resultChars;
      continue;
    }
    state.pending.push(id);
    if (live) state.liveChildren.push(child.n);
  }
  return state;
}
