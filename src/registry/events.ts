// Events as readers get them. A stored event is a few numbers; what it says about a child or a run is
// read from that row, which at that point of the story no longer changes. Upholds L9.

import type { ApprovalState } from "../contract/approvals.ts";
import type { SwarmEvent } from "../contract/events.ts";
import type { FaultData } from "../contract/fault.ts";
import { approvalIdOf } from "../contract/ids.ts";
import type { ChildStatus } from "../contract/records.ts";
import { type Connection, type Query, query } from "./driver.ts";

export interface EventRow {
  seq: number;
  type: SwarmEvent["type"];
  at: number;
  number: number | null;
  detail: string | null;
  body: string | null;
  sessionKey: string;
  groupId: string;
  runId: string | null;
  runName: string | null;
  childId: string | null;
  label: string | null;
  phase: string | null;
  model: string | null;
  status: ChildStatus | null;
  attempt: number | null;
  error: string | null;
  reusedFrom: string | null;
  approvalCall: number | null;
  title: string | null;
  approvalState: ApprovalState | null;
  dueAt: number | null;
  decidedBy: string | null;
  comment: string | null;
}

export const SELECT_EVENT = `SELECT e.seq, e.type, e.at, e.number, e.detail, e.body, s.session_key AS sessionKey,
  g.group_id AS groupId, r.run_id AS runId, i.name AS runName, c.child_id AS childId, c.label, c.phase, c.model,
  c.status, c.attempt, c.error, CASE WHEN c.started_at IS NULL AND o.changed = 0 THEN o.source_id END AS reusedFrom, a.call_id AS approvalCall, a.title,
  a.state AS approvalState, a.due_at AS dueAt, a.decided_by AS decidedBy, a.comment
  FROM events e JOIN sessions s ON s.n = e.session_n JOIN groups g ON g.n = e.group_n
  LEFT JOIN runs r ON r.n = e.run_n LEFT JOIN run_inputs i ON i.run_n = e.run_n LEFT JOIN children c ON c.n = e.child_n
  LEFT JOIN child_origins o ON o.child_n = e.child_n
  LEFT JOIN approvals a ON a.n = e.number AND e.type IN ('approval.requested', 'approval.decided')`;

export interface NoteRow {
  seq: number;
  turn: number;
  kind: string;
  level: string;
  text: string;
  at: number;
}

/** Undefined for an event of a child or an approval that was archived since. */
export function eventOf(row: EventRow): SwarmEvent | undefined {
  const base = {
    seq: row.seq,
    at: row.at,
    sessionKey: row.sessionKey,
    groupId: row.groupId,
    runId: row.runId,
  };
  switch (row.type) {
    case "run.created":
      return { ...base, type: row.type, name: row.runName ?? "" };
    case "run.ended":
      return endedEvent(base, row);
    case "run.resumed":
      return { ...base, type: row.type, turn: row.number ?? 0 };
    case "run.note":
      return { ...base, type: row.type, ...noteParts(row.detail), text: row.body ?? "", turn: row.number ?? 0 };
    case "approval.requested":
    case "approval.decided":
      return approvalEvent(base, row);
    case "group.archived":
      return { ...base, type: row.type, summary: row.body ?? "" };
    default:
      return childEvent(base, row);
  }
}

type Base = Pick<SwarmEvent, "seq" | "at" | "sessionKey" | "groupId" | "runId">;

function endedEvent(base: Base, row: EventRow): SwarmEvent {
  const state = row.detail as "done" | "failed" | "killed" | "quarantined";
  const error = row.body === null ? undefined : (JSON.parse(row.body) as FaultData);
  return error ? { ...base, type: "run.ended", state, error } : { ...base, type: "run.ended", state };
}

function approvalEvent(base: Base, row: EventRow): SwarmEvent | undefined {
  const { approvalCall, approvalState: state, title } = row;
  if (approvalCall === null || title === null || base.runId === null) return undefined;
  const approval = { ...base, approvalId: approvalIdOf(base.runId, approvalCall), title };
  if (row.type === "approval.requested") {
    return { ...approval, type: row.type, ...(row.dueAt === null ? {} : { dueAt: row.dueAt }) };
  }
  if (state === null || state === "pending") return undefined;
  return {
    ...{ ...approval, type: "approval.decided", state },
    ...(row.decidedBy === null ? {} : { by: row.decidedBy }),
    ...(row.comment === null ? {} : { comment: row.comment }),
  };
}

function childEvent(base: Base, row: EventRow): SwarmEvent | undefined {
  const { childId } = row;
  if (childId === null) return undefined;
  if (row.type === "child.started") return { ...base, type: row.type, childId, attempt: row.number ?? 1 };
  if (row.type === "child.ended") {
    const ended = { ...base, type: row.type, childId, status: row.status ?? "failed", attempts: row.attempt ?? 0 };
    return {
      ...ended,
      ...(row.error === null ? {} : { error: row.error }),
      ...(row.reusedFrom === null ? {} : { reusedFrom: row.reusedFrom }),
    };
  }
  return {
    ...{ ...base, type: "child.spawned", childId, model: row.model ?? "" },
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.phase === null ? {} : { phase: row.phase }),
  };
}

function noteParts(detail: string | null): { kind: "phase" | "log" | "console"; level: string } {
  const [kind, level] = (detail ?? "log info").split(" ");
  return { kind: kind as "phase" | "log" | "console", level: level ?? "info" };
}

export function prepareNotes(reader: Connection): (runId: string, afterSeq: number, limit: number) => NoteRow[] {
  const notes: Query<{ seq: number; at: number; number: number; detail: string; body: string }> = query(
    reader,
    `SELECT seq, at, number, detail, body FROM events WHERE run_n = (SELECT n FROM runs WHERE run_id = ?)
       AND type = 'run.note' AND seq > ? ORDER BY seq LIMIT ?`,
  );
  return (runId, afterSeq, limit) =>
    notes.all(runId, afterSeq, limit).map(({ seq, at, number, detail, body }) => {
      return { seq, turn: number, ...noteParts(detail), text: body, at };
    });
}
