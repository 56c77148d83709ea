// The prepared statements of children, calls, waits and timers, with the rows they give. No decision
// is made here.

import { type Connection, column, query } from "./driver.ts";

/** What a change of a child has to know of it. */
export interface ChildHead {
  n: number;
  childId: string;
  runN: number | null;
  parentN: number | null;
  sessionN: number;
  groupN: number;
  status: string;
  attempt: number;
  /** The call of its own run that waits for it. */
  waitCall: number | null;
  /** 1: it is one turn of a conversation (G-005). */
  inSession: number;
  /** 1: its call said onRestart: "fail". */
  failOnRestart: number;
}

export interface CallKey {
  runN: number;
  callId: number;
  dueAt: number | null;
}

export interface WaitingCall extends CallKey {
  sessionN: number;
  /** The ids of a wait for any, as a JSON array; null for a wait for one. */
  payload: string | null;
}

export interface DueTimer extends CallKey {
  dueAt: number;
  method: string;
  sessionN: number;
  payload: string | null;
}

export interface VisibleChild {
  n: number;
  runN: number | null;
  groupN: number;
  waitCall: number | null;
  status: string;
  resultChars: number;
}

const HEAD = `c.n, c.child_id AS childId, c.run_n AS runN, c.parent_n AS parentN, c.session_n AS sessionN,
  c.group_n AS groupN, c.status, c.attempt, c.wait_call AS waitCall,
  c.in_session AS inSession, c.fail_on_restart AS failOnRestart`;

/** A child that a session sees: its own, or one of a session that descends from it (S-014). */
const SEEN = `(c.session_n = ? OR EXISTS (WITH RECURSIVE chain (n) AS (SELECT c.session_n UNION
  SELECT s.parent_n FROM sessions s JOIN chain ON s.n = chain.n WHERE s.parent_n IS NOT NULL)
  SELECT 1 FROM chain WHERE n = ?))`;

const INSERT_CHILD = `INSERT INTO children (child_id, run_n, parent_n, call_id, session_n, group_n, status, attempt,
  depth, wants_value, fail_on_restart, in_session, deadline_at, created_at, started_at, label, phase, model, agent_id, wait_call,
  options, prompt)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const FINISH_CHILD = `UPDATE children SET status = ?, ended_at = ?, result = ?, structured = ?, schema_error = ?,
  error = ?, error_code = ? WHERE n = ?`;

export function prepareChildren(db: Connection) {
  return {
    insert: query(db, INSERT_CHILD),
    insertInput: query(db, "INSERT INTO child_inputs (child_n, options, prompt) VALUES (?, ?, ?)"),
    head: query<ChildHead>(db, `SELECT ${HEAD} FROM children c WHERE c.child_id = ?`),
    visible: query<VisibleChild>(
      db,
      `SELECT c.n, c.run_n AS runN, c.group_n AS groupN, c.wait_call AS waitCall, c.status, coalesce(length(c.result), 0) + coalesce(length(c.structured), 0) AS resultChars
       FROM children c WHERE c.child_id = ? AND ${SEEN}`,
    ),
    claim: query(
      db,
      `UPDATE children SET status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, ?)
       WHERE n = ?`,
    ),
    requeue: query(db, "UPDATE children SET status = 'queued', error = ? WHERE n = ?"),
    finish: query(db, FINISH_CHILD),
    setWaitCall: query(db, "UPDATE children SET wait_call = ? WHERE n = ?"),
    liveOf: query<ChildHead>(
      db,
      `WITH RECURSIVE tree (n) AS (SELECT n FROM children WHERE n = ? UNION
         SELECT c.n FROM children c JOIN tree ON c.parent_n = tree.n)
       SELECT ${HEAD} FROM tree CROSS JOIN children c ON c.n = tree.n WHERE c.ended_at IS NULL ORDER BY c.n`,
    ),
    liveOfRun: query<ChildHead>(
      db,
      `WITH RECURSIVE tree (n) AS (SELECT n FROM children WHERE run_n = ? UNION
         SELECT c.n FROM children c JOIN tree ON c.parent_n = tree.n)
       SELECT ${HEAD} FROM tree CROSS JOIN children c ON c.n = tree.n WHERE c.ended_at IS NULL ORDER BY c.n`,
    ),
    liveOfGroup: query<ChildHead>(
      db,
      `SELECT ${HEAD} FROM children c WHERE c.group_n = ? AND c.ended_at IS NULL ORDER BY c.n`,
    ),
    isOfRun: query(
      db,
      `WITH RECURSIVE chain (n) AS (VALUES (?) UNION SELECT c.parent_n FROM children c JOIN chain ON c.n = chain.n
         WHERE c.parent_n IS NOT NULL) SELECT 1 FROM chain JOIN children c ON c.n = chain.n WHERE c.run_n = ?`,
    ),
    runningNow: query<ChildHead>(
      db,
      `SELECT ${HEAD} FROM groups g INDEXED BY groups_busy
       CROSS JOIN children c ON c.group_n = g.n
       WHERE g.quiet_at IS NULL AND g.running > 0 AND c.status = 'running' ORDER BY c.n`,
    ),
    inputOf: query<{ options: string; prompt: string }>(
      db,
      `SELECT coalesce(c.options, i.options) AS options, coalesce(c.prompt, i.prompt) AS prompt
       FROM children c LEFT JOIN child_inputs i ON i.child_n = c.n WHERE c.n = ?`,
    ),
  };
}

export function prepareTranscripts(db: Connection) {
  return {
    insertStep: query(db, "INSERT INTO steps (child_n, attempt, created_at, step) VALUES (?, ?, ?, ?)"),
    steps: column<string>(
      db,
      "SELECT step FROM steps WHERE child_n = (SELECT n FROM children WHERE child_id = ?) ORDER BY n",
    ),
    insertMessage: query(db, "INSERT INTO messages (session_id, child_n, role, body) VALUES (?, ?, ?, ?)"),
    messages: query<{ role: "user" | "assistant"; text: string }>(
      db,
      "SELECT role, body AS text FROM messages WHERE session_id = ? ORDER BY n",
    ),
  };
}

export function prepareCalls(db: Connection) {
  return {
    insertPending: query(
      db,
      `INSERT INTO calls (run_n, call_id, method, state, child_n, holds_group, due_at, line, col, created_at, payload)
       VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)`,
    ),
    consume: query(db, "DELETE FROM calls WHERE run_n = ? AND call_id = ? AND settle_number = ? AND state = 'settled'"),
    settle: query(
      db,
      `UPDATE calls SET state = 'settled', settle_number = ?, ok = ?, answer = ?, payload = ?, due_at = NULL
       WHERE run_n = ? AND call_id = ? AND state = 'pending'`,
    ),
    /** Of a run by its id, whatever state it is in. */
    pending: query<CallKey & { method: string }>(
      db,
      `SELECT k.run_n AS runN, k.call_id AS callId, k.due_at AS dueAt, k.method FROM calls k
       WHERE k.run_n = (SELECT n FROM runs WHERE run_id = ?) AND k.call_id = ? AND k.state = 'pending'`,
    ),
    othersWaiting: query<WaitingCall>(
      db,
      `SELECT k.run_n AS runN, k.call_id AS callId, k.due_at AS dueAt, k.payload, r.session_n AS sessionN
       FROM waits w JOIN calls k ON k.run_n = w.run_n AND k.call_id = w.call_id JOIN runs r ON r.n = w.run_n
       WHERE w.child_n = ? ORDER BY w.run_n, w.call_id`,
    ),
    insertWait: query(db, "INSERT INTO waits (child_n, run_n, call_id) VALUES (?, ?, ?)"),
    dropWaits: query(db, "DELETE FROM waits WHERE run_n = ? AND call_id = ?"),
    dropCallsOfRun: query(db, "DELETE FROM calls WHERE run_n = ?"),
    dropWaitsOfRun: query(db, "DELETE FROM waits WHERE run_n = ?"),
  };
}

export function prepareTimers(db: Connection) {
  return {
    insert: query(db, "INSERT INTO timers (due_at, run_n, call_id) VALUES (?, ?, ?)"),
    drop: query(db, "DELETE FROM timers WHERE due_at = ? AND run_n = ? AND call_id = ?"),
    dropOfRun: query(db, "DELETE FROM timers WHERE run_n = ?"),
    due: query<DueTimer>(
      db,
      `SELECT t.due_at AS dueAt, t.run_n AS runN, t.call_id AS callId, k.method, k.payload, r.session_n AS sessionN
       FROM timers t JOIN calls k ON k.run_n = t.run_n AND k.call_id = t.call_id JOIN runs r ON r.n = t.run_n
       WHERE t.due_at <= ? ORDER BY t.due_at, t.run_n, t.call_id LIMIT ?`,
    ),
    overdueChildren: column<string>(
      db,
      `SELECT child_id FROM children WHERE ended_at IS NULL AND deadline_at IS NOT NULL AND deadline_at <= ?
       ORDER BY deadline_at, n LIMIT ?`,
    ),
    nextTimer: column<number | null>(db, "SELECT min(due_at) FROM timers"),
    nextDeadline: column<number | null>(
      db,
      `SELECT min(deadline_at) FROM children WHERE ended_at IS NULL AND deadline_at IS NOT NULL AND deadline_at > ?`,
    ),
  };
}
