// The calls a run waits at, with the source line of each. Upholds L9.

import { approvalIdOf } from "../contract/ids.ts";
import type { PendingCall } from "../contract/records.ts";
import { type Connection, column, query } from "./driver.ts";

interface PendingRow {
  callId: number;
  method: string;
  line: number | null;
  col: number | null;
  childId: string | null;
  payload: string | null;
  dueAt: number | null;
  createdAt: number;
}

export function preparePendingCalls(reader: Connection): (runId: string) => PendingCall[] {
  const pending = query<PendingRow & { title: string | null }>(
    reader,
    `SELECT k.call_id AS callId, k.method, k.line, k.col, c.child_id AS childId, k.payload, k.due_at AS dueAt,
       k.created_at AS createdAt, a.title FROM calls k LEFT JOIN children c ON c.n = k.child_n
       LEFT JOIN approvals a ON k.method = 'approve' AND a.run_n = k.run_n AND a.call_id = k.call_id
     WHERE k.run_n = (SELECT n FROM runs WHERE run_id = ?) AND k.state = 'pending' ORDER BY k.call_id`,
  );
  const sourceLines = prepareSourceLines(reader);
  return (runId) => {
    const rows = pending.all(runId);
    const lines = rows.length > 0 ? sourceLines(runId) : [];
    return rows.map((row) => {
      const call = pendingCall(row, lines);
      return row.title === null ? call : { ...call, approvalId: approvalIdOf(runId, row.callId), title: row.title };
    });
  };
}

/** The script of a run as submitted, line by line. */
export function prepareSourceLines(reader: Connection): (runId: string) => string[] {
  const source = column<string>(
    reader,
    `SELECT t.body FROM runs r JOIN run_inputs i ON i.run_n = r.n JOIN sources t ON t.n = i.source_n
     WHERE r.run_id = ?`,
  );
  return (runId) => (source.get(runId) ?? "").split("\n");
}

export function pendingCall(row: PendingRow, sourceLines: readonly string[]): PendingCall {
  const call: PendingCall = { callId: row.callId, method: row.method, createdAt: row.createdAt };
  const sourceLine = row.line === null ? undefined : sourceLines[row.line - 1]?.trim();
  if (row.line !== null) call.line = row.line;
  if (row.col !== null) call.column = row.col;
  if (sourceLine !== undefined) call.sourceLine = sourceLine;
  if (row.childId !== null) call.children = [row.childId];
  else if (row.method === "agentWait" && row.payload !== null) call.children = JSON.parse(row.payload) as string[];
  if (row.method === "waitForEvent" && row.payload !== null) call.event = JSON.parse(row.payload) as string;
  if (row.dueAt !== null) call.dueAt = row.dueAt;
  return call;
}
