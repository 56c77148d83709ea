// What time does by itself: sleeps and time-outs that are due are answered, children past their
// deadline are named. And what a restart finds. Upholds L3, L8, L12.

import { isChildId } from "../contract/ids.ts";
import { anyState, settleAny, settleCall, type Wakes } from "./answers.ts";
import { expireApproval } from "./approvals.ts";
import { limitsIn } from "./budgets.ts";
import { backToQueue, endChildren, finishChild } from "./children.ts";
import { lateAnswer } from "./outside.ts";
import type { Recovery } from "./port.ts";
import { knownRun } from "./runs.ts";
import { settleStanding } from "./spending.ts";
import type { ChildHead, DueTimer } from "./sql-children.ts";
import type { Store } from "./store.ts";

export interface Fired {
  wake: string[];
  overdueChildren: string[];
  cut: string[];
  earliestDueAt: number | null;
  more: boolean;
}

/** Nothing is due: the answer without a transaction. */
export function nothingDue(store: Store, now: number): Fired | undefined {
  const timer = store.timers.nextTimer.get() ?? null;
  if (timer !== null && timer <= now) return undefined;
  if (store.timers.overdueChildren.get(now, 1) !== undefined) return undefined;
  if (store.spending.dueEnds.get(now, 1) !== undefined) return undefined;
  return { wake: [], overdueChildren: [], cut: [], earliestDueAt: earliestAfter(store, now), more: false };
}

export function fireTimers(store: Store, now: number, limit: number): Fired {
  const wakes: Wakes = new Set();
  const due = store.timers.due.all(now, limit);
  for (const timer of due) {
    fire(store, timer, now, wakes);
  }
  const overdueChildren = store.timers.overdueChildren.all(now, limit);
  const cut = endBudgets(store, now, limit, wakes);
  const more = due.length === limit || overdueChildren.length === limit;
  return { wake: [...wakes], overdueChildren, cut, earliestDueAt: earliestAfter(store, now), more };
}

function fire(store: Store, timer: DueTimer, now: number, wakes: Wakes): void {
  const { method, payload } = timer;
  if (method === "agentWait") {
    settleAny(store, timer, anyState(store, timer.sessionN, JSON.parse(payload ?? "[]") as string[]), wakes);
  } else if (method === "sleep") settleCall(store, timer, { ok: true, source: "text", payload: "null" }, wakes);
  else if (method === "approve") expireApproval(store, timer, now, wakes);
  else settleCall(store, timer, { ok: false, source: "text", payload: lateAnswer(method, payload) }, wakes);
}

/** S-019: what still runs for an owner whose time is over ends as cut by its budget. */
function endBudgets(store: Store, now: number, limit: number, wakes: Wakes): string[] {
  return store.spending.dueEnds.all(now, limit).flatMap(({ dueAt, owner, ownerN }) => {
    store.spending.dropEnd.run(dueAt, owner, ownerN);
    const row = (owner === "run" ? store.spending.run : store.spending.group).get(ownerN);
    const live = (owner === "run" ? store.children.liveOfRun : store.children.liveOfGroup).all(ownerN);
    const error = `The ${owner}'s budget of ${limitsIn(row?.budget ?? null).seconds} seconds is over.`;
    return endChildren(store, live, { status: "failed", error, errorCode: "budget_exceeded", at: now }, wakes);
  });
}

/** The next timer, or the next deadline after `now`: overdue children were named and are not due again. */
export function earliestAfter(store: Store, now: number): number | null {
  const timer = store.timers.nextTimer.get() ?? null;
  const deadline = store.timers.nextDeadline.get(now) ?? null;
  const budget = store.spending.nextEnd.get() ?? null;
  const known = [timer, deadline, budget].filter((due) => due !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Children that a dead process was running go back to their place in the queue, or end, as their call said. */
export function recover(store: Store, at: number, rootId?: string): Recovery {
  settleStanding(store);
  let requeued = 0;
  let interrupted = 0;
  const live = rootId === undefined ? store.children.runningNow.all() : liveBelow(store, rootId);
  for (const child of live) {
    if (child.status !== "running") continue;
    if (child.failOnRestart === 0) {
      backToQueue(store, child, null, at);
      requeued += 1;
      continue;
    }
    const error = `The gateway ended during attempt ${child.attempt} and the call said onRestart: "fail"`;
    finishChild(
      store,
      child,
      {
        ...{ status: "failed", text: "", structured: undefined, schemaError: undefined },
        ...{ error, errorCode: "child_interrupted", at },
      },
      new Set(),
    );
    interrupted += 1;
  }
  return {
    activeRuns: store.runs.activeCount.get() ?? 0,
    readyRuns: rootId === undefined ? store.runs.allReady.all() : [rootId].filter((id) => !isChildId(id)),
    requeued,
    interrupted,
    earliestDueAt: earliestOfAll(store),
  };
}

/** Children that are not final: those of a run and what they spawned, or one child and what it spawned. */
export function liveBelow(store: Store, rootId: string): ChildHead[] {
  if (!isChildId(rootId)) return store.children.liveOfRun.all(knownRun(store, rootId).n);
  const child = store.children.head.get(rootId);
  return child ? store.children.liveOf.all(child.n) : [];
}

function earliestOfAll(store: Store): number | null {
  return earliestAfter(store, Number.MIN_SAFE_INTEGER);
}
