// D-010: how every child of a run ended, so that a run with dead agents is never simply "completed".

import { isChildId } from "../contract/ids.ts";
import { CENSUS_WARNINGS_MAX, PAGE_ROWS_MAX } from "../contract/limits.ts";
import type { Census, ChildRecord, ChildStatus, RunRecord, WaitAnswer } from "../contract/records.ts";
import type { Registry } from "../registry/port.ts";
import type { Viewer } from "../registry/readers-port.ts";

/** Children that are read for the census of one run. */
const DEAD_CHILDREN_MAX = 20_000;

/** A schema failure is counted as `schema` and a cut by a budget as `budget`, not as `failed` as well. */
export function censusOf(children: ChildRecord[], warnings: string[]): Census {
  const census: Census = { done: 0, failed: 0, killed: 0, timeout: 0, schema: 0, problems: [], warnings };
  for (const child of children) {
    if (child.status === "queued" || child.status === "running") continue;
    if (child.status === "failed" && child.schemaError !== undefined) census.schema += 1;
    else if (child.errorCode === "budget_exceeded") census.budget = (census.budget ?? 0) + 1;
    else census[child.status] += 1;
    if (child.status === "done" && child.reusedFrom !== undefined) census.reused = (census.reused ?? 0) + 1;
    if (child.status === "done") continue;
    const reason = child.schemaError ?? child.error ?? child.status;
    census.problems.push(
      child.label === undefined
        ? { runId: child.runId, status: child.status, reason }
        : { runId: child.runId, label: child.label, status: child.status, reason },
    );
  }
  return census;
}

/** The record of a run that has ended, with its census: read from its counts and from those that did not succeed. */
export async function withCensus(registry: Registry, viewer: Viewer, run: RunRecord): Promise<RunRecord> {
  if (run.endedAt === undefined) return run;
  const { done, failed, killed, timeout } = run.children;
  const dead: ChildRecord[] = [];
  for (const [status, count] of Object.entries({ failed, killed, timeout } as const)) {
    if (count > 0) dead.push(...(await all(registry, viewer, run.runId, status as "failed" | "killed" | "timeout")));
  }
  const warnings = await registry.warningsOf(run.runId, CENSUS_WARNINGS_MAX);
  return { ...run, census: { ...censusOf(dead, warnings), done } };
}

async function all(registry: Registry, viewer: Viewer, runId: string, status: ChildStatus): Promise<ChildRecord[]> {
  const rows: ChildRecord[] = [];
  let after: string | undefined;
  do {
    const page = await registry.children(viewer, { runId, status }, { limit: PAGE_ROWS_MAX, after });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && rows.length < DEAD_CHILDREN_MAX);
  return rows;
}

/** A run among what has completed carries its census when not all of its children succeeded. */
export async function withCensuses(registry: Registry, viewer: Viewer, answer: WaitAnswer): Promise<WaitAnswer> {
  const completed: ChildRecord[] = [];
  for (const record of answer.completed) {
    const run = isChildId(record.runId) ? undefined : await registry.run(record.runId, viewer);
    const census = run && (await withCensus(registry, viewer, run)).census;
    const isWhole = !census || (census.problems.length === 0 && census.warnings.length === 0);
    completed.push(isWhole ? record : { ...record, census });
  }
  return { ...answer, completed };
}
