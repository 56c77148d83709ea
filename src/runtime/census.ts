// D-010: how every child of a run ended, so that a run with dead agents is never simply "completed".

import type { Census, ChildRecord } from "../contract/records.ts";

/** A schema failure is counted as `schema`, not as `failed` as well. */
export function censusOf(children: ChildRecord[], warnings: string[]): Census {
  const census: Census = { done: 0, failed: 0, killed: 0, timeout: 0, schema: 0, problems: [], warnings };
  for (const child of children) {
    if (child.status === "queued" || child.status === "running") continue;
    if (child.status === "failed" && child.schemaError !== undefined) census.schema += 1;
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
