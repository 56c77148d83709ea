// The calls of a fork: those that were pending at the point, each pending again or answered as it was answered
// in the original run, in the same order (L4), unless the fork sets another answer.

import { type AnyAnswer, anyPayload, anyState, type Settlement, settleCall, type Wakes } from "./answers.ts";
import type { ForkPlace, SetAnswer, Twin } from "./fork-children.ts";
import type { PastCallRow } from "./sql-history.ts";
import { appendEvent, type Store } from "./store.ts";

interface Twins {
  /** By the original child's number. */
  byN: ReadonlyMap<number, Twin>;
  /** By each id that the script or a stored answer may use for it. */
  byId: ReadonlyMap<string, Twin>;
}

interface Answered {
  call: PastCallRow;
  settlement: Settlement;
  /** Answers go in this order; those that the original never gave come last, as they came in. */
  order: number;
  endedAt: number;
}

const NEVER_SETTLED = Number.MAX_SAFE_INTEGER;

/** Stores the calls and answers those that can be. Returns the earliest time at which one is due, or null. */
export function forkCalls(
  store: Store,
  place: ForkPlace,
  calls: readonly PastCallRow[],
  twins: Twins,
  answers: ReadonlyMap<number, SetAnswer>,
): number | null {
  const answered: Answered[] = [];
  let earliestDueAt: number | null = null;
  for (const call of calls) {
    const settlement = settlementOf(store, place, call, twins, answers.get(call.callId));
    const dueAt = settlement ? null : call.dueAt;
    insertCall(store, place, call, twins, dueAt);
    const twin = call.childN === null ? undefined : twins.byN.get(call.childN);
    if (settlement) {
      const order = call.settleNumber ?? NEVER_SETTLED;
      answered.push({ call, settlement, order, endedAt: twin?.endedAt ?? 0 });
    } else waitAgain(store, place, call, twins);
    if (dueAt === null) continue;
    store.timers.insert.run(dueAt, place.runN, call.callId);
    earliestDueAt = Math.min(earliestDueAt ?? dueAt, dueAt);
  }
  answered.sort((a, b) => a.order - b.order || a.endedAt - b.endedAt || a.call.callId - b.call.callId);
  const wakes: Wakes = new Set();
  for (const { call, settlement } of answered) {
    settleCall(store, { runN: place.runN, callId: call.callId, dueAt: null }, settlement, wakes);
  }
  return earliestDueAt;
}

/** How the call is answered at once; undefined when the fork waits for it. */
function settlementOf(
  store: Store,
  place: ForkPlace,
  call: PastCallRow,
  twins: Twins,
  set: SetAnswer | undefined,
): Settlement | undefined {
  if (set) return { ok: true, source: "text", payload: set.value };
  if (call.childN !== null) return settlementOfChild(call, twins.byN.get(call.childN));
  const isAny = call.answer === "children" || (call.answer === null && isWaitForAny(call));
  if (isAny) return settlementOfAny(store, place, idsOf(call, twins), call.answer !== null ? call : undefined, twins);
  if (call.answer === null) return undefined;
  return { ok: call.ok === 1, source: "text", payload: call.payload };
}

function settlementOfChild(call: PastCallRow, twin: Twin | undefined): Settlement | undefined {
  // A child of another run: both runs wait for it, and it is nobody's of the two.
  if (!twin) return call.answer === null ? undefined : { ok: call.ok === 1, source: "child", payload: null };
  if (twin.live) return undefined;
  return { ok: twin.status === "done", source: "child", payload: null };
}

function settlementOfAny(
  store: Store,
  place: ForkPlace,
  ids: string[],
  given: PastCallRow | undefined,
  twins: Twins,
): Settlement | undefined {
  const now = anyState(store, place.sessionN, ids);
  if (given) {
    const then = JSON.parse(given.payload ?? "{}") as AnyAnswer;
    const completed = then.completed.map((id) => twinId(twins, id));
    const stillSo = completed.every((id) => now.completed.includes(id));
    const rest = ids.filter((id) => !completed.includes(id) && !now.errors.includes(id));
    if (stillSo) {
      return { ok: true, source: "children", payload: anyPayload({ completed, pending: rest, errors: now.errors }) };
    }
  }
  if (now.completed.length === 0 && now.pending.length > 0) return undefined;
  return { ok: true, source: "children", payload: anyPayload(now) };
}

function isWaitForAny(call: PastCallRow): boolean {
  return call.method === "agentWait" && call.childN === null;
}

/** The children that a wait for any asks for, as the fork has them. */
function idsOf(call: PastCallRow, twins: Twins): string[] {
  const stored = JSON.parse(call.payload ?? "[]") as string[] | AnyAnswer;
  const ids = Array.isArray(stored) ? stored : [...stored.completed, ...stored.pending, ...stored.errors];
  return ids.map((id) => twinId(twins, id));
}

function twinId(twins: Twins, id: string): string {
  return twins.byId.get(id)?.childId ?? id;
}

function insertCall(store: Store, place: ForkPlace, call: PastCallRow, twins: Twins, dueAt: number | null): void {
  const twin = call.childN === null ? undefined : twins.byN.get(call.childN);
  const foreign = call.childN !== null && twin === undefined ? 1 : 0;
  const payload = isWaitForAny(call) ? JSON.stringify(idsOf(call, twins)) : call.answer === null ? call.payload : null;
  store.calls.insertPending.run(
    ...[place.runN, call.callId, call.method, twin?.n ?? call.childN, foreign, dueAt],
    ...[call.line, call.col, place.at, payload],
  );
}

/** What will answer it has to know of it. A live child of the fork's own knows it already. */
function waitAgain(store: Store, place: ForkPlace, call: PastCallRow, twins: Twins): void {
  if (call.childN !== null && !twins.byN.has(call.childN)) {
    store.calls.insertWait.run(call.childN, place.runN, call.callId);
  }
  if (call.method === "approve") askAgain(store, place, call.callId);
  if (!isWaitForAny(call)) return;
  const { liveChildren } = anyState(store, place.sessionN, idsOf(call, twins));
  for (const childN of liveChildren) store.calls.insertWait.run(childN, place.runN, call.callId);
}

/** The fork has an approval of its own, to be decided by itself. */
function askAgain(store: Store, place: ForkPlace, callId: number): void {
  const { changes, lastInsertRowid } = store.forks.copyApproval.run(place.runN, place.at, place.sourceN, callId);
  if (changes === 1) appendEvent(store, "approval.requested", place, place.at, { number: Number(lastInsertRowid) });
}
