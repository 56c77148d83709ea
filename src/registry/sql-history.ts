// The prepared statements of kept turns. No decision is made here.

import { type Connection, query } from "./driver.ts";

export interface PointRow {
  turn: number;
  at: number;
  phase: string | null;
  lastCall: number;
  eventSeq: number;
  pending: number;
  snapshotN: number;
}

/** A call that was pending at a point. `turn`: who consumed its answer later; null when nobody has. */
export interface PastCallRow {
  turn: number | null;
  callId: number;
  method: string;
  childN: number | null;
  settleNumber: number | null;
  ok: number | null;
  answer: "text" | "child" | "children" | null;
  dueAt: number | null;
  line: number | null;
  col: number | null;
  createdAt: number;
  payload: string | null;
}

const POINT = `turn, at, phase, last_call AS lastCall, event_seq AS eventSeq, pending, snapshot_n AS snapshotN FROM points`;

const COLUMNS = "call_id, method, child_n, settle_number, ok, answer, due_at, line, col, created_at, payload";
const NAMED = `call_id AS callId, method, child_n AS childN, settle_number AS settleNumber, ok, answer,
  due_at AS dueAt, line, col, created_at AS createdAt, payload`;

/** Bind the run, the turn, the last call made by then, and the run and the call again. */
export const PENDING_AT = `SELECT turn, ${NAMED} FROM past_calls WHERE run_n = ? AND turn > ? AND call_id <= ?
  UNION ALL SELECT NULL, ${NAMED} FROM calls WHERE run_n = ? AND call_id <= ? ORDER BY callId`;

export const POINT_OF_TURN = `SELECT ${POINT} WHERE run_n = ? AND turn = ?`;
export const POINTS_OF_RUN = `SELECT ${POINT} WHERE run_n = ? ORDER BY turn`;

export function prepareHistory(db: Connection) {
  return {
    insert: query(
      db,
      `INSERT INTO points (run_n, turn, at, phase, last_call, event_seq, pending, snapshot_n)
       SELECT n, turn, ?, phase, ?, (SELECT coalesce(max(seq), 0) FROM events), pending_calls + undelivered, snapshot_n
       FROM runs WHERE n = ?`,
    ),
    newest: query<PointRow>(db, `SELECT ${POINT} WHERE run_n = ? ORDER BY turn DESC LIMIT 1`),
    newestUpTo: query<PointRow>(db, `SELECT ${POINT} WHERE run_n = ? AND turn <= ? ORDER BY turn DESC LIMIT 1`),
    oldestAfter: query<PointRow & { standsAlone: number }>(
      db,
      `SELECT p.turn, p.at, p.phase, p.last_call AS lastCall, p.event_seq AS eventSeq, p.pending,
         p.snapshot_n AS snapshotN, t.previous_n IS NULL AS standsAlone
       FROM points p CROSS JOIN snapshots t ON t.n = p.snapshot_n WHERE p.run_n = ? AND p.turn > ? ORDER BY p.turn LIMIT 1`,
    ),
    ofTurn: query<PointRow>(db, POINT_OF_TURN),
    ofRun: query<PointRow>(db, POINTS_OF_RUN),
    dropUpTo: query(db, "DELETE FROM points WHERE run_n = ? AND turn <= ?"),
    dropPastUpTo: query(db, "DELETE FROM past_calls WHERE run_n = ? AND turn <= ?"),
    keepCall: query(
      db,
      `INSERT INTO past_calls (run_n, turn, ${COLUMNS}) SELECT run_n, ?, ${COLUMNS} FROM calls WHERE run_n = ? AND call_id = ?`,
    ),
    keepLeft: query(
      db,
      `INSERT INTO past_calls (run_n, turn, ${COLUMNS}) SELECT run_n, ?, ${COLUMNS} FROM calls WHERE run_n = ?`,
    ),
    pendingAt: query<PastCallRow>(db, PENDING_AT),
  };
}
