// The calls of one turn, in the order in which the guest made them: what can be answered at once is
// settled here, the rest is stored to wait. Upholds L2 (one key per call), L4 (same-commit order is
// guest order), S-008 (a refused spawn rejects the wait that belongs to it).

import type { Call } from "../contract/calls.ts";
import { toFaultData } from "../contract/fault.ts";
import { anyPayload, anyState, type Settlement } from "./answers.ts";
import { budgetFault, ensureGroup, ensureSession, limitFault } from "./belonging.ts";
import { insertChild, killChildren, refusalData } from "./children.ts";
import { failurePayload } from "./inbox.ts";
import type { NewChild, TurnCommit } from "./port.ts";
import { resultFor, spawnReused } from "./reuse.ts";
import type { RunHead } from "./sql-runs.ts";
import type { Store } from "./store.ts";
import { askPerson, giveUpWait, takeBackEvent, waitForEvent } from "./turn-people.ts";
import {
  answerAtOnce,
  insertPending,
  noteDue,
  settleNow,
  type TurnState,
  type WaitedChild,
  waitUntil,
} from "./turn-state.ts";

type MadeCall = { callId: number; call: Call } | { callId: number; settled: TurnCommit["settled"][number] };

/**
 * Which call of the commit waits for which child, so that a new child is stored with it. Nothing when
 * the commit cancels as well: a child could then be final before the guest waits for it.
 */
export function firstWaits(commit: TurnCommit): Map<string, number> {
  const waits = new Map<string, number>();
  if (commit.calls.some((call) => call.method === "agentCancel")) return waits;
  const settled = new Set(commit.settled.map(({ callId }) => callId));
  for (const call of commit.calls) {
    if (call.method !== "agentWait" || call.args.mode !== "one" || settled.has(call.callId)) continue;
    const childId = call.args.ids[0];
    if (childId !== undefined && !waits.has(childId)) waits.set(childId, call.callId);
  }
  return waits;
}

export function makeCalls(store: Store, state: TurnState): void {
  const children = new Map(state.commit.children.map((child) => [child.callId, child]));
  for (const made of inGuestOrder(state.commit)) {
    const child = children.get(made.callId);
    if (child) {
      children.delete(made.callId);
      spawn(store, state, child);
    } else if ("settled" in made) answerAtOnce(store, state, made.settled, settlementOf(made.settled));
    else makeCall(store, state, made.call);
  }
  for (const child of children.values()) spawn(store, state, child);
}

/** A call that was settled by the bridge or by swarm stands for the same call among `calls`. */
function inGuestOrder(commit: TurnCommit): MadeCall[] {
  if (commit.settled.length === 0) return commit.calls.map((call) => ({ callId: call.callId, call }));
  const settled = new Set(commit.settled.map(({ callId }) => callId));
  const made: MadeCall[] = commit.settled.map((answer) => ({ callId: answer.callId, settled: answer }));
  for (const call of commit.calls) if (!settled.has(call.callId)) made.push({ callId: call.callId, call });
  return made.sort((left, right) => left.callId - right.callId);
}

function settlementOf(answer: TurnCommit["settled"][number]): Settlement {
  return { ok: answer.ok, source: "text", payload: answer.payload };
}

function makeCall(store: Store, state: TurnState, call: Call): void {
  if (call.method === "agentWait" && call.args.mode === "one") waitForOne(store, state, call);
  else if (call.method === "agentWait") waitForAny(store, state, call);
  else if (call.method === "agentCancel") cancel(store, state, call);
  else if (call.method === "sleep") waitUntil(store, state, call, state.commit.at + call.args.milliseconds, null);
  else if (call.method === "waitForEvent") waitForEvent(store, state, call);
  else if (call.method === "approve") askPerson(store, state, call);
  else if (call.method === "waitCancel") giveUpWait(store, state, call);
  else if (call.method === "eventReturn") takeBackEvent(store, state, call);
  else if (call.method === "toolCall") insertPending(store, state, call, { payload: JSON.stringify(call.args) });
}

function spawn(store: Store, state: TurnState, child: NewChild): void {
  const { run, commit } = state;
  const sessionN = child.sessionKey === run.sessionKey ? run.sessionN : ensureSession(store, child.sessionKey, null);
  const groupBudget = commit.groupLimits.budget?.group;
  const group = ensureGroup(store, { groupId: child.groupId, sessionN, budget: groupBudget }, commit.at);
  if (groupBudget?.seconds !== undefined) noteDue(state, store.spending.nextEnd.get() ?? Number.POSITIVE_INFINITY);
  const more = state.delta.reduce((sum, count) => sum + count, 0);
  const refused =
    limitFault(child.groupId, group, commit.groupLimits) ??
    budgetFault(store, { group, runN: run.budget === null ? null : run.n, more }, commit.at);
  if (refused) {
    state.refused.set(child.childId, { child, error: toFaultData(refused) });
    return;
  }
  const result = resultFor(store, run.n, child);
  if (result) {
    spawnReused(store, { child, result }, { sessionN, groupN: group.n, runN: run.n }, commit.at);
    state.delta[2] += 1;
    return;
  }
  const waitCall = commit.outcome ? null : (state.waits.get(child.childId) ?? null);
  const place = { sessionN, groupN: group.n, runN: run.n, parentN: null, waitCall };
  const n = insertChild(store, child, place, commit.at);
  state.spawned.set(child.childId, { n, runN: run.n, groupN: group.n, waitCall });
  state.delta[child.admitted ? 1 : 0] += 1;
  if (child.deadlineAt !== null) noteDue(state, Math.ceil(child.deadlineAt));
}

function waitForOne(store: Store, state: TurnState, call: Call & { method: "agentWait" }): void {
  const childId = childIdIn(store, state.run, call.args.ids[0] ?? "");
  const refused = state.refused.get(childId);
  if (refused) {
    const { child, error } = refused;
    answerAtOnce(store, state, call, failed(`${error.message} ${error.next}`, refusalData(child, error)));
    return;
  }
  const fresh = state.cancelled.length === 0 ? state.spawned.get(childId) : undefined;
  if (fresh) {
    waitForLive(store, state, call, fresh);
    return;
  }
  const { sessionN } = state.run;
  const child = store.children.visible.get(childId, sessionN, sessionN);
  if (!child) {
    const data = { runId: childId, status: "failed", attempts: 0, text: "", code: "not_found" };
    answerAtOnce(store, state, call, failed(`There is no agent ${childId}.`, data));
    return;
  }
  if (child.status === "queued" || child.status === "running") {
    waitForLive(store, state, call, child);
    return;
  }
  insertPending(store, state, call, { childN: child.n, holdsGroup: child.groupN !== state.run.groupN });
  settleNow(store, state, call.callId, { ok: child.status === "done", source: "child", payload: null });
}

/** The script of a fork may hold ids of the run that it was forked from: they mean the fork's own children. */
function childIdIn(store: Store, run: RunHead, id: string): string {
  if (id.startsWith(`agt_${run.runId.slice(4)}_`)) return id;
  return store.forks.byAlias.get(run.n, id) ?? id;
}

/** The child's own run notes its first wait at the child; any other waiter stands in a table. */
function waitForLive(store: Store, state: TurnState, call: Call, child: WaitedChild): void {
  const { run } = state;
  insertPending(store, state, call, { childN: child.n, holdsGroup: child.groupN !== run.groupN });
  if (child.waitCall === call.callId || state.commit.outcome) return;
  const own = child.runN === run.n && child.waitCall === null;
  if (own) {
    store.children.setWaitCall.run(call.callId, child.n);
    child.waitCall = call.callId;
  } else store.calls.insertWait.run(child.n, run.n, call.callId);
}

function failed(message: string, data: { [key: string]: unknown }): Settlement {
  return { ok: false, source: "text", payload: failurePayload({ message, data }) };
}

function waitForAny(store: Store, state: TurnState, call: Call & { method: "agentWait" }): void {
  const { timeoutMs } = call.args;
  const ids = call.args.ids.map((id) => childIdIn(store, state.run, id));
  const now = anyState(store, state.run.sessionN, ids);
  if (now.completed.length > 0 || now.pending.length === 0 || timeoutMs === 0) {
    answerAtOnce(store, state, call, { ok: true, source: "children", payload: anyPayload(now) });
    return;
  }
  const payload = JSON.stringify(ids);
  if (timeoutMs === null) insertPending(store, state, call, { payload });
  else waitUntil(store, state, call, state.commit.at + timeoutMs, payload);
  if (state.commit.outcome) return;
  for (const childN of now.liveChildren) store.calls.insertWait.run(childN, state.run.n, call.callId);
}

/** Only a child of the same run, or what descends from one. */
function cancel(store: Store, state: TurnState, call: Call & { method: "agentCancel" }): void {
  const child = store.children.head.get(childIdIn(store, state.run, call.args.id));
  const own = child !== undefined && store.children.isOfRun.get(child.n, state.run.n) !== undefined;
  const live = own && (child.status === "queued" || child.status === "running");
  if (live) {
    const reason = call.args.reason ?? "Cancelled by the script";
    const children = store.children.liveOf.all(child.n);
    state.cancelled.push(...killChildren(store, children, reason, state.commit.at, state.wakes));
  }
  answerAtOnce(store, state, call, { ok: true, source: "text", payload: live ? "true" : "false" });
}
