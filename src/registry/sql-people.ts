// The prepared statements of approvals and sent events, with the rows they give. No decision is made here.

import type { ApprovalRecord, ApprovalState } from "../contract/approvals.ts";
import { approvalIdOf } from "../contract/ids.ts";
import type { Json } from "../contract/json.ts";
import { type Connection, column, query } from "./driver.ts";
import { seenRow } from "./listing.ts";

export interface ApprovalRow {
  n: number;
  runN: number;
  runId: string;
  runName: string;
  sessionN: number;
  groupN: number;
  sessionKey: string;
  groupId: string;
  callId: number;
  state: ApprovalState;
  failsLate: number;
  createdAt: number;
  dueAt: number | null;
  decidedAt: number | null;
  decidedBy: string | null;
  comment: string | null;
  title: string;
  data: string | null;
  details: string | null;
}

/** Everything of an approval; a condition on `a` or `r` follows. */
export const SELECT_APPROVAL = `SELECT a.n, a.run_n AS runN, r.run_id AS runId, i.name AS runName,
  r.session_n AS sessionN, r.group_n AS groupN, s.session_key AS sessionKey, g.group_id AS groupId,
  a.call_id AS callId, a.state, a.fails_late AS failsLate, a.created_at AS createdAt, a.due_at AS dueAt,
  a.decided_at AS decidedAt, a.decided_by AS decidedBy, a.comment, a.title, a.data, a.details
  FROM approvals a JOIN runs r ON r.n = a.run_n JOIN run_inputs i ON i.run_n = a.run_n
  JOIN sessions s ON s.n = r.session_n JOIN groups g ON g.n = r.group_n`;

/** By the run's id and the call's number, for a viewer. */
export const APPROVAL_SEEN = `${SELECT_APPROVAL} WHERE a.run_n = (SELECT n FROM runs WHERE run_id = ?) AND a.call_id = ?
  AND ${seenRow("r.session_n")}`;

export function approvalRecord(row: ApprovalRow): ApprovalRecord {
  const record: ApprovalRecord = {
    approvalId: approvalIdOf(row.runId, row.callId),
    runId: row.runId,
    runName: row.runName,
    sessionKey: row.sessionKey,
    groupId: row.groupId,
    callId: row.callId,
    title: row.title,
    state: row.state,
    createdAt: row.createdAt,
  };
  if (row.details !== null) record.details = JSON.parse(row.details) as Json;
  if (row.dueAt !== null) record.dueAt = row.dueAt;
  if (row.decidedAt !== null) record.decidedAt = row.decidedAt;
  if (row.decidedBy !== null) record.by = row.decidedBy;
  if (row.comment !== null) record.comment = row.comment;
  if (row.data !== null) record.data = JSON.parse(row.data) as Json;
  return record;
}

export interface KeptEvent {
  number: number;
  payload: string;
}

export function preparePeople(db: Connection) {
  return {
    approvalSeen: query<ApprovalRow>(db, APPROVAL_SEEN),
    approvalByNumber: query<ApprovalRow>(db, `${SELECT_APPROVAL} WHERE a.n = ?`),
    approvalOfCall: query<ApprovalRow>(db, `${SELECT_APPROVAL} WHERE a.run_n = ? AND a.call_id = ?`),
    pendingOfRun: query<ApprovalRow>(
      db,
      `${SELECT_APPROVAL} WHERE a.run_n = ? AND a.state = 'pending' ORDER BY a.call_id`,
    ),
    approvalCount: column<number>(db, "SELECT count(*) FROM approvals WHERE run_n = ?"),
    insertApproval: query(
      db,
      `INSERT INTO approvals (run_n, call_id, state, fails_late, created_at, due_at, title, details)
       VALUES (?, ?, 'pending', ?, ?, ?, ?, ?)`,
    ),
    decide: query(
      db,
      `UPDATE approvals SET state = ?, decided_at = ?, decided_by = ?, comment = ?, data = ?
       WHERE n = ? AND state = 'pending'`,
    ),
    runSeen: query<{ n: number; state: string }>(
      db,
      `SELECT r.n, r.state FROM runs r WHERE r.run_id = ? AND ${seenRow("r.session_n")}`,
    ),
    /** The oldest wait for an event of this name; its row holds the name as JSON text. */
    waiter: query<{ callId: number; dueAt: number | null }>(
      db,
      `SELECT call_id AS callId, due_at AS dueAt FROM calls
       WHERE run_n = ? AND state = 'pending' AND method = 'waitForEvent' AND payload = ? ORDER BY call_id LIMIT 1`,
    ),
    oldestEvent: query<KeptEvent>(
      db,
      "SELECT number, payload FROM sent_events WHERE run_n = ? AND name = ? ORDER BY number LIMIT 1",
    ),
    keptOfName: column<number>(db, "SELECT count(*) FROM sent_events WHERE run_n = ? AND name = ?"),
    keptOfRun: column<number>(db, "SELECT count(*) FROM sent_events WHERE run_n = ?"),
    keepEvent: query(
      db,
      `INSERT INTO sent_events (run_n, name, sent_at, payload, number) VALUES (?, ?, ?, ?,
         coalesce((SELECT max(number) + 1 FROM sent_events WHERE run_n = ? AND name = ?), 1))`,
    ),
    putBackEvent: query(
      db,
      `INSERT INTO sent_events (run_n, name, sent_at, payload, number) VALUES (?, ?, ?, ?,
         coalesce((SELECT min(number) - 1 FROM sent_events WHERE run_n = ? AND name = ?), 1))`,
    ),
    takeEvent: query(db, "DELETE FROM sent_events WHERE run_n = ? AND name = ? AND number = ?"),
    dropEventsOfRun: query(db, "DELETE FROM sent_events WHERE run_n = ?"),
  };
}
