// Who owns what: sessions and their parents (S-014), groups with their limits and counts (S-004, S-008).

import type { Budget } from "../contract/budget.ts";
import { type Fault, fault } from "../contract/fault.ts";
import type { ChildStatus } from "../contract/records.ts";
import { giveBudget, spawnFault } from "./budgets.ts";
import type { GroupLimits } from "./port.ts";
import type { GroupRow } from "./sql-runs.ts";
import type { Store } from "./store.ts";

const CHILD_SESSION = /^child:(.+)$/;

/** The session's number; made when it is new. The first parent that a session is given stays. */
export function ensureSession(store: Store, sessionKey: string, parentKey: string | null): number {
  const known = store.sessions.byKey.get(sessionKey);
  const wanted = parentKey !== null && parentKey !== sessionKey ? parentKey : null;
  if (known && (known.parentN !== null || wanted === null)) return known.n;
  const parentN = wanted === null ? sessionOfChild(store, sessionKey) : ensureSession(store, wanted, null);
  if (!known) return Number(store.sessions.insert.run(sessionKey, parentN).lastInsertRowid);
  const wouldLoop = parentN === null || store.sessions.isAncestor.get(parentN, known.n) !== undefined;
  if (!wouldLoop) store.sessions.setParent.run(parentN, known.n);
  return known.n;
}

/** A child that spawns acts as `child:<id>`; the session that spawned it sees what it spawns. */
function sessionOfChild(store: Store, sessionKey: string): number | null {
  const childId = CHILD_SESSION.exec(sessionKey)?.[1];
  return childId === undefined ? null : (store.sessions.ofChild.get(childId)?.sessionN ?? null);
}

export interface GroupWanted {
  groupId: string;
  sessionN: number;
  /** Given to a group that is new; one that is there keeps its own. */
  budget: Budget | undefined;
}

/** The group of this session with that id; made when new, alive again when it was archived. */
export function ensureGroup(store: Store, wanted: GroupWanted, at: number): GroupRow {
  const { groupId, sessionN } = wanted;
  const known = store.groups.byKey.get(groupId, sessionN);
  if (known) {
    if (known.archivedAt !== null) store.groups.revive.run(known.n);
    return known;
  }
  const n = Number(store.groups.insert.run(groupId, sessionN, at).lastInsertRowid);
  giveBudget(store, { kind: "group", n, createdAt: at }, wanted.budget);
  const budget = wanted.budget === undefined ? null : JSON.stringify(wanted.budget);
  return { n, total: 0, queued: 0, running: 0, archivedAt: null, budget };
}

/** S-008: why one more child is refused, naming the key and the numbers; undefined when it may be spawned. */
export function limitFault(groupId: string, group: GroupRow, limits: GroupLimits): Fault | undefined {
  const live = group.queued + group.running;
  if (group.total >= limits.maxTotalPerGroup) {
    return fault(
      "group_total_limit",
      `Group ${groupId} has spawned ${group.total} children; tools.swarm.maxTotalPerGroup is ${limits.maxTotalPerGroup}.`,
      { details: { key: "tools.swarm.maxTotalPerGroup", limit: limits.maxTotalPerGroup, got: group.total, groupId } },
    );
  }
  if (live >= limits.maxChildrenPerGroup) {
    return fault(
      "child_limit",
      `Group ${groupId} has ${live} live children; tools.swarm.maxChildrenPerGroup is ${limits.maxChildrenPerGroup}.`,
      { details: { key: "tools.swarm.maxChildrenPerGroup", limit: limits.maxChildrenPerGroup, got: live, groupId } },
    );
  }
  return undefined;
}

export interface Spawner {
  group: GroupRow;
  /** Null: no run spawns. */
  runN: number | null;
  /** Children of the run that this very commit has spawned before. */
  more: number;
}

/** S-019: why a budget refuses one more child, naming whose and the numbers; undefined when it may be spawned. */
export function budgetFault(store: Store, { group, runN, more }: Spawner, at: number): Fault | undefined {
  const run = runN === null ? undefined : store.spending.run.get(runN);
  const ofRun = run && run.budget !== null ? spawnFault({ scope: "run", row: run, more }, at) : undefined;
  if (ofRun || group.budget === null) return ofRun;
  const row = store.spending.group.get(group.n);
  return row && spawnFault({ scope: "group", row, more: 0 }, at);
}

/** Queued, running, done, failed, killed, timed out: what a change adds to each. */
export type Delta = [number, number, number, number, number, number];

const ORDER: readonly ChildStatus[] = ["queued", "running", "done", "failed", "killed", "timeout"];

/** `from` is null for a child that is new. */
export function deltaOf(from: string | null, to: string): Delta {
  const delta: Delta = [0, 0, 0, 0, 0, 0];
  ORDER.forEach((status, index) => {
    delta[index] = (status === to ? 1 : 0) - (status === from ? 1 : 0);
  });
  return delta;
}

export interface GroupChange {
  delta?: Delta;
  spawned?: number;
  runs?: number;
}

const NO_DELTA: Delta = [0, 0, 0, 0, 0, 0];

/** Keeps the group's counts, and since when it is quiet (no active run, no live child; S-017). */
export function countGroup(store: Store, groupN: number, change: GroupChange, at: number): void {
  const { delta = NO_DELTA, spawned = 0, runs = 0 } = change;
  const group = store.groups.count.get(...delta, spawned, runs, groupN);
  if (group?.active === 0) store.groups.setQuiet.run(at, groupN);
  else if (group && group.quietAt !== null) store.groups.setQuiet.run(null, groupN);
}

export function countRun(store: Store, runN: number | null, delta: Delta): void {
  if (runN !== null) store.runs.count.run(...delta, runN);
}
