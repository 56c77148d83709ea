// Rows of the in-memory Runtime: who sees them, how they are paged, and when something is over.

import { Script } from "node:vm";
import type { SpawnRequest, SubmitRequest } from "../../src/contract/api.ts";
import { type Fault, fault } from "../../src/contract/fault.ts";
import type { ChildCounts, ChildRecord, GroupRecord, RunState, WaitAnswer } from "../../src/contract/records.ts";
import type { Caller, PageRequest, RuntimeHealth } from "../../src/runtime/api.ts";

export type Owned = { sessionKey: string };
export type Listing<Row> = { rows: Row[]; next: string | undefined };

export function compile({ script, fileName }: SubmitRequest): void {
  try {
    new Script(`(async () => {${script}\n})`, { filename: fileName });
  } catch (error) {
    throw fault("script_syntax", (error as Error).message, { place: { file: fileName, line: 1 } });
  }
}

export function owned<Row>(row: Row | undefined): Row {
  if (row === undefined) throw notFound();
  return row;
}

export function sees(caller: Caller, row: Owned): boolean {
  return caller.operator || row.sessionKey === caller.sessionKey;
}

/** Absent and foreign are the same to a caller (S-014). */
export function visible<Row extends Owned>(caller: Caller, row: Row | undefined): Row {
  if (row === undefined || !sees(caller, row)) throw notFound();
  return row;
}

export function notFound(): Fault {
  return fault("not_found", "There is nothing with this id.");
}

export function pageOf<Row extends Owned>(
  caller: Caller,
  rows: Row[],
  { limit = 100, after }: PageRequest,
  idOf: (row: Row) => string,
): Listing<Row> {
  const seen = rows.filter((row) => sees(caller, row));
  const start = after === undefined ? 0 : seen.findIndex((row) => idOf(row) === after) + 1;
  const page = seen.slice(start, start + limit);
  const last = page.at(-1);
  return { rows: page, next: last && start + limit < seen.length ? idOf(last) : undefined };
}

export function isOver(answer: WaitAnswer): boolean {
  return answer.completed.length > 0 || answer.pending.length === 0;
}

export function isFinal(state: RunState | undefined): boolean {
  return state !== "running" && state !== "waiting";
}

export function goodHealth(startedAt: number, activeRuns: number): RuntimeHealth {
  return {
    ...{ version: "0.0.0", startedAt, activeRuns, recovered: { runs: 0, children: 0 } },
    ...{ lanes: { running: 0, queued: 0 }, vm: { workers: 0, hot: 0, restores: 0, terminated: 0 } },
    storage: { ok: true },
  };
}

export function noCounts(): ChildCounts {
  return { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };
}

export function newChild(
  caller: Caller,
  request: SpawnRequest,
  { runId, groupId, at }: { runId: string; groupId: string; at: number },
): ChildRecord {
  return {
    runId,
    status: "running",
    result: "",
    sessionKey: caller.sessionKey,
    model: request.model ?? "offline:echo",
    prompt: request.task,
    attempts: 1,
    groupId,
    parentRunId: request.requesterRunId ?? null,
    callId: 0,
    createdAt: at,
    ...(request.label !== undefined && { label: request.label }),
  };
}

export function groupsOf(children: Iterable<ChildRecord>): GroupRecord[] {
  const groups = new Map<string, GroupRecord>();
  for (const { groupId, sessionKey, createdAt, status } of children) {
    const group = groups.get(groupId) ?? { groupId, sessionKey, counts: noCounts(), total: 0, phases: [], createdAt };
    group.counts[status] += 1;
    group.total += 1;
    groups.set(groupId, group);
  }
  return [...groups.values()];
}
