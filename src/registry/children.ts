// A child's life: stored, claimed, queued again, completed once, cancelled. Upholds L3 (compare and
// set on status and attempt), L12 (attempts are counted at the claim), R-004 (a ticket is kept).

import { type FaultData, fault } from "../contract/fault.ts";
import { answerWaiters, type Wakes } from "./answers.ts";
import { budgetFault, countGroup, countRun, deltaOf, ensureGroup, ensureSession, limitFault } from "./belonging.ts";
import { converse, releaseFollowers } from "./fork-children.ts";
import type { ChildCompletion, DetachedSpawn, NewChild, Settled, Stopped } from "./port.ts";
import { billEnd } from "./spending.ts";
import type { ChildHead } from "./sql-children.ts";
import { appendEvent, type Place, type Store } from "./store.ts";

export interface ChildPlace extends Place {
  /** The child that spawned it, when no run did. */
  parentN: number | null;
  /** The call of its own run that waits for it, when that is known already. */
  waitCall: number | null;
}

/** Prompt and options up to this length stand in the child's own row. */
const INLINE_CHARS_MAX = 1_000;

/** Stores a child, in the group row's counts as well; the run's counts are the caller's. Returns its number. */
export function insertChild(store: Store, child: NewChild, place: ChildPlace, at: number): number {
  const { options, admitted } = child;
  const status = admitted ? "running" : "queued";
  const text = JSON.stringify(options);
  const inline = text.length + child.prompt.length <= INLINE_CHARS_MAX;
  const { lastInsertRowid } = store.children.insert.run(
    ...[child.childId, place.runN, place.parentN, child.callId, place.sessionN, place.groupN, status],
    ...[admitted ? 1 : 0, child.depth, options.schema === undefined ? 0 : 1, options.onRestart === "fail" ? 1 : 0],
    ...[options.session === undefined ? 0 : 1],
    ...[child.deadlineAt === null ? null : Math.ceil(child.deadlineAt), at, admitted ? at : null],
    ...[options.label ?? null, options.phase ?? null, child.model, child.agentId ?? null, place.waitCall],
    ...[inline ? text : null, inline ? child.prompt : null],
  );
  const n = Number(lastInsertRowid);
  if (!inline) store.children.insertInput.run(n, text, child.prompt);
  countGroup(store, place.groupN, { delta: deltaOf(null, status), spawned: 1 }, at);
  appendEvent(store, "child.spawned", place, at, { childN: n });
  if (admitted) appendEvent(store, "child.started", place, at, { childN: n, number: 1 });
  return n;
}

/** A spawn outside any turn (S-001). Throws `child_limit`, `group_total_limit`, `not_found`. */
export function spawnDetached(store: Store, spawn: DetachedSpawn): { childN: number; created: boolean } {
  const { child, at } = spawn;
  const sessionN = ensureSession(store, child.sessionKey, null);
  if (spawn.idempotencyKey !== undefined) {
    const first = store.texts.keyed.get(sessionN, "child", spawn.idempotencyKey);
    if (first) return { childN: first.targetN, created: false };
  }
  const parent = parentOf(store, spawn.parentRunId);
  const group = ensureGroup(store, { groupId: child.groupId, sessionN, budget: spawn.groupLimits.budget?.group }, at);
  const refused =
    limitFault(child.groupId, group, spawn.groupLimits) ??
    budgetFault(store, { group, runN: parent.runN, more: 0 }, at);
  if (refused) throw refused;
  const n = insertChild(store, child, { sessionN, groupN: group.n, waitCall: null, ...parent }, at);
  countRun(store, parent.runN, deltaOf(null, child.admitted ? "running" : "queued"));
  if (spawn.idempotencyKey !== undefined) {
    store.texts.insertKey.run(sessionN, "child", spawn.idempotencyKey, n, "");
  }
  return { childN: n, created: true };
}

function parentOf(store: Store, id: string | null): { runN: number | null; parentN: number | null } {
  if (id === null) return { runN: null, parentN: null };
  const run = store.runs.head.get(id);
  if (run) return { runN: run.n, parentN: null };
  const child = store.children.head.get(id);
  if (child) return { runN: null, parentN: child.n };
  throw fault("not_found", `There is no run or child ${id} to spawn for.`);
}

/** Numbers of those that were queued and run now. */
export function claimChildren(store: Store, childIds: readonly string[], at: number): number[] {
  return childIds.flatMap((childId) => {
    const child = store.children.head.get(childId);
    if (child?.status !== "queued") return [];
    store.children.claim.run(at, child.n);
    moveChild(store, child, "running", at);
    appendEvent(store, "child.started", child, at, { childN: child.n, number: child.attempt + 1 });
    return [child.n];
  });
}

export function requeueChild(store: Store, childId: string, attempt: number, reason: string, at: number): boolean {
  const child = store.children.head.get(childId);
  if (child?.status !== "running" || child.attempt !== attempt) return false;
  backToQueue(store, child, reason, at);
  return true;
}

export function backToQueue(store: Store, child: ChildHead, reason: string | null, at: number): void {
  store.children.requeue.run(reason, child.n);
  moveChild(store, child, "queued", at);
}

/** Only the attempt that runs may store a step. Throws `not_found`, `stale_epoch`. */
export function recordStep(store: Store, childId: string, attempt: number, step: string, at: number): void {
  const child = store.children.head.get(childId);
  if (!child) throw fault("not_found", `There is no child ${childId}.`);
  if (child.status !== "running" || child.attempt !== attempt) {
    throw fault("stale_epoch", `Child ${childId} is ${child.status} in attempt ${child.attempt}, not ${attempt}.`);
  }
  store.transcripts.insertStep.run(child.n, attempt, at, step);
}

/**
 * Final once: only the attempt that runs may end it. A child that is still queued may time out, since
 * its deadline does not wait for a slot. Anything else changes nothing.
 */
export function completeChild(store: Store, completion: ChildCompletion): Settled {
  const child = store.children.head.get(completion.childId);
  if (!child || child.attempt !== completion.attempt) return { applied: false, runIds: [] };
  const timedOutInQueue = child.status === "queued" && completion.status === "timeout";
  if (child.status !== "running" && !timedOutInQueue) return { applied: false, runIds: [] };
  const wakes: Wakes = new Set();
  billEnd(store, child, completion);
  finishChild(store, child, completion, wakes);
  if (completion.status === "done" && child.inSession === 1) converse(store, child.n, completion.text);
  return { applied: true, runIds: [...wakes] };
}

export type ChildEnd = Omit<ChildCompletion, "childId" | "attempt" | "usage" | "costUsd">;

/** Makes a live child final and answers who waits for it. */
export function finishChild(store: Store, child: ChildHead, end: ChildEnd, wakes: Wakes): void {
  store.children.finish.run(
    ...[end.status, end.at, end.text, end.structured === undefined ? null : JSON.stringify(end.structured)],
    ...[end.schemaError ?? null, end.error ?? null, end.errorCode ?? null],
    child.n,
  );
  const delta = deltaOf(child.status, end.status);
  countGroup(store, child.groupN, { delta }, end.at);
  appendEvent(store, "child.ended", child, end.at, { childN: child.n });
  answerWaiters(store, child, end.status === "done", delta, wakes);
  // A budget that cut the original is not the fork's.
  if (end.status === "killed" || end.errorCode === "budget_exceeded") releaseFollowers(store, child);
  else endFollowers(store, child, end, wakes);
}

/** children of forks that waited for this one end as it ended, and have used nothing. */
function endFollowers(store: Store, child: ChildHead, end: ChildEnd, wakes: Wakes): void {
  for (const { childId } of store.forks.followers.all(child.n)) {
    const follower = store.children.head.get(childId);
    if (!follower) continue;
    store.spending.addToChild.run(0, 0, 0, 0, null, null, 0, 0, 0, 0, 0, follower.n);
    finishChild(store, follower, end, wakes);
    if (end.status === "done" && follower.inSession === 1) converse(store, follower.n, end.text);
  }
}

/** Counts of the run and of the group follow the child. */
function moveChild(store: Store, child: ChildHead, to: string, at: number): void {
  const delta = deltaOf(child.status, to);
  countRun(store, child.runN, delta);
  countGroup(store, child.groupN, { delta }, at);
}

/** Kills these live children; returns their ids. */
export function killChildren(
  store: Store,
  children: readonly ChildHead[],
  reason: string,
  at: number,
  wakes: Wakes,
): string[] {
  return endChildren(store, children, { status: "killed", error: reason, errorCode: "child_killed", at }, wakes);
}

/** Ends these live children without their answers; returns their ids. */
export function endChildren(
  store: Store,
  children: readonly ChildHead[],
  why: Pick<ChildEnd, "status" | "error" | "errorCode" | "at">,
  wakes: Wakes,
): string[] {
  const end: ChildEnd = { ...why, text: "", structured: undefined, schemaError: undefined };
  for (const child of children) finishChild(store, child, end, wakes);
  return children.map(({ childId }) => childId);
}

/** S-016: a child with all that descends from it. Throws `not_found`. */
export function cancelChild(store: Store, childId: string, reason: string, at: number): Stopped {
  const child = store.children.head.get(childId);
  if (!child) throw fault("not_found", `There is no child ${childId}.`);
  if (child.status !== "queued" && child.status !== "running") return { applied: false, cancelled: [], wake: [] };
  const wakes: Wakes = new Set();
  const cancelled = killChildren(store, store.children.liveOf.all(child.n), reason, at, wakes);
  return { applied: true, cancelled, wake: [...wakes] };
}

/** What the guest is told about a spawn that was refused (S-008). */
export function refusalData(child: NewChild, error: FaultData): { [key: string]: unknown } {
  const data: { [key: string]: unknown } = { runId: child.childId, status: "failed", attempts: 0 };
  if (child.options.label !== undefined) data.label = child.options.label;
  data.text = "";
  data.code = error.code;
  return data;
}
