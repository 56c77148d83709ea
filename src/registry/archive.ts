// S-017: a group whose runs ended and whose children are final is let go of as one batch. What stays is
// a line of summary, the runs' rows without their texts, and one event.

import { type Connection, query } from "./driver.ts";
import { dropHistory } from "./history.ts";
import { appendEvent, type Store } from "./store.ts";

export interface QuietGroup {
  n: number;
  groupId: string;
  sessionN: number;
  total: number;
  done: number;
  failed: number;
  killed: number;
  timedOut: number;
}

interface ArchivedRun {
  n: number;
  name: string;
  state: string;
  sourceN: number | null;
  codeN: number | null;
  workflowsN: number | null;
}

/** Runs that a summary names; the rest are counted. */
const SUMMARY_RUNS_MAX = 3;

export type Archiver = ReturnType<typeof prepareArchiver>;

/** Quiet, and no living run has still to consume an answer or to take a result from one of its children. */
const FREE = `g.quiet_at IS NOT NULL AND g.archived_at IS NULL AND NOT EXISTS
  (SELECT 1 FROM children c JOIN calls k ON k.child_n = c.n AND k.holds_group = 1 WHERE c.group_n = g.n)
  AND NOT EXISTS (SELECT 1 FROM runs old JOIN run_origins o ON o.reuse_n = old.n JOIN runs new ON new.n = o.run_n
    WHERE old.group_n = g.n AND new.ended_at IS NULL)`;

const OF_GROUP = "IN (SELECT n FROM children WHERE group_n = ?)";

export function prepareArchiver(db: Connection) {
  return {
    quiet: query<QuietGroup>(
      db,
      `SELECT g.n, g.group_id AS groupId, g.session_n AS sessionN, g.total, g.done, g.failed, g.killed,
         g.timed_out AS timedOut FROM groups g WHERE ${FREE} AND g.quiet_at < ? ORDER BY g.quiet_at LIMIT ?`,
    ),
    isFree: query(db, `SELECT 1 FROM groups g WHERE g.n = ? AND ${FREE}`),
    runs: query<ArchivedRun>(
      db,
      `SELECT r.n, i.name, r.state, i.source_n AS sourceN, i.code_n AS codeN, i.workflows_n AS workflowsN FROM runs r
       JOIN run_inputs i ON i.run_n = r.n WHERE r.group_n = ? AND r.archived_at IS NULL ORDER BY r.n`,
    ),
    archiveRun: query(db, "UPDATE runs SET archived_at = ?, result = NULL WHERE n = ?"),
    clearInput: query(
      db,
      "UPDATE run_inputs SET args = NULL, limits = '{}', source_n = NULL, code_n = NULL, workflows_n = NULL WHERE run_n = ?",
    ),
    approvals: query(db, "DELETE FROM approvals WHERE run_n = ?"),
    archiveGroup: query(db, "UPDATE groups SET archived_at = ?, summary = ? WHERE n = ?"),
    events: query(
      db,
      `DELETE FROM events WHERE group_n = ? AND run_n IN (SELECT n FROM runs WHERE group_n = ? UNION
         SELECT run_n FROM children WHERE group_n = ? AND run_n IS NOT NULL)`,
    ),
    detachedEvents: query(db, "DELETE FROM events WHERE run_n IS NULL AND group_n = ?"),
    steps: query(db, `DELETE FROM steps WHERE child_n ${OF_GROUP}`),
    messages: query(db, `DELETE FROM messages WHERE child_n ${OF_GROUP}`),
    inputs: query(db, `DELETE FROM child_inputs WHERE child_n ${OF_GROUP}`),
    keys: query(db, `DELETE FROM idempotency WHERE kind = 'child' AND target_n ${OF_GROUP}`),
    orphans: query(db, `UPDATE children SET parent_n = NULL WHERE parent_n ${OF_GROUP}`),
    children: query(db, "DELETE FROM children WHERE group_n = ?"),
  };
}

/** False when the group has come to life since it was found quiet. */
export function archiveGroup(store: Store, archiver: Archiver, group: QuietGroup, at: number): boolean {
  if (!archiver.isFree.get(group.n)) return false;
  const runs = archiver.runs.all(group.n);
  archiver.events.run(group.n, group.n, group.n);
  for (const clear of [archiver.detachedEvents, archiver.steps, archiver.messages, archiver.inputs]) clear.run(group.n);
  for (const clear of [archiver.keys, archiver.orphans, archiver.children]) clear.run(group.n);
  for (const run of runs) {
    archiver.archiveRun.run(at, run.n);
    archiver.clearInput.run(run.n);
    dropHistory(store, run.n);
    archiver.approvals.run(run.n);
    for (const sourceN of [run.sourceN, run.codeN, run.workflowsN]) releaseText(store, sourceN);
  }
  const summary = summaryOf(group, runs);
  archiver.archiveGroup.run(at, summary, group.n);
  const place = { sessionN: group.sessionN, groupN: group.n, runN: null };
  appendEvent(store, "group.archived", place, at, { body: summary });
  return true;
}

function releaseText(store: Store, sourceN: number | null): void {
  if (sourceN === null) return;
  store.texts.releaseSource.run(sourceN);
  store.texts.dropSource.run(sourceN);
}

function summaryOf(group: QuietGroup, runs: readonly ArchivedRun[]): string {
  const ends = [
    [group.done, "done"],
    [group.failed, "failed"],
    [group.killed, "killed"],
    [group.timedOut, "timed out"],
  ] as const;
  const told = ends.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const named = runs.slice(0, SUMMARY_RUNS_MAX).map((run) => `${run.name} (${run.state})`);
  if (runs.length > SUMMARY_RUNS_MAX) named.push(`${runs.length - SUMMARY_RUNS_MAX} more`);
  const children = `${group.total} ${group.total === 1 ? "child" : "children"}`;
  const parts = [told.length > 0 ? `${children}: ${told.join(", ")}` : children];
  if (named.length > 0) parts.push(`runs: ${named.join(", ")}`);
  return parts.join("; ").replace(/\s+/g, " ");
}
