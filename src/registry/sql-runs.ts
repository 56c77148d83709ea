// The prepared statements of sessions, groups, runs, their texts and their snapshots, with the rows
// they give. No decision is made here.

import { type Connection, column, query } from "./driver.ts";

export interface GroupRow {
  n: number;
  total: number;
  queued: number;
  running: number;
  archivedAt: number | null;
  /** As JSON, or null. */
  budget: string | null;
}

export interface GroupActivity {
  /** Active runs and live children. */
  active: number;
  quietAt: number | null;
}

/** What a commit has to know of its run. */
export interface RunHead {
  n: number;
  runId: string;
  epoch: number;
  turn: number;
  state: string;
  endedAt: number | null;
  sessionN: number;
  groupN: number;
  notesStored: number;
  pendingCalls: number;
  undelivered: number;
  /** Its newest snapshot. */
  snapshotN: number | null;
  sessionKey: string;
  groupId: string;
  /** As JSON, or null. */
  budget: string | null;
}

export interface SettledRun {
  settleNumber: number;
  runId: string;
  state: string;
}

export interface IdempotencyRow {
  targetN: number;
  fingerprint: string;
}

export interface SourceRow {
  n: number;
}

export interface SnapshotRow {
  turn: number;
  parentTurn: number | null;
  imageHash: string;
  bytes: Buffer;
}

const RUN_HEAD = `SELECT r.n, r.run_id AS runId, r.epoch, r.turn, r.state, r.ended_at AS endedAt, r.session_n AS sessionN,
  r.group_n AS groupN, r.notes_stored AS notesStored, r.pending_calls AS pendingCalls, r.undelivered,
  r.snapshot_n AS snapshotN, s.session_key AS sessionKey, g.group_id AS groupId, r.budget
  FROM runs r JOIN sessions s ON s.n = r.session_n JOIN groups g ON g.n = r.group_n WHERE r.run_id = ?`;

const ADD_COUNTS = `queued = queued + ?, running = running + ?, done = done + ?, failed = failed + ?,
  killed = killed + ?, timed_out = timed_out + ?`;

/** With an answer to consume, or without a first turn. */
const READY = `state = 'running' AND n IN (SELECT run_n FROM calls INDEXED BY calls_settled WHERE state = 'settled'
  UNION SELECT n FROM runs INDEXED BY runs_fresh WHERE turn = 0 AND ended_at IS NULL)`;

/** A snapshot and those it stands on. Bind the newest. */
const CHAIN = `WITH RECURSIVE chain (n) AS (VALUES (?) UNION
  SELECT s.previous_n FROM snapshots s JOIN chain ON s.n = chain.n WHERE s.previous_n IS NOT NULL)`;

const KEPT = `SELECT p.snapshot_n FROM points p JOIN runs r ON r.n = p.run_n WHERE r.run_id = ? AND p.turn = ?`;

export function prepareSessions(db: Connection) {
  return {
    byKey: query<{ n: number; parentN: number | null }>(
      db,
      "SELECT n, parent_n AS parentN FROM sessions WHERE session_key = ?",
    ),
    insert: query(db, "INSERT INTO sessions (session_key, parent_n) VALUES (?, ?)"),
    setParent: query(db, "UPDATE sessions SET parent_n = ? WHERE n = ? AND parent_n IS NULL"),
    isAncestor: query(
      db,
      `WITH RECURSIVE chain (n) AS (VALUES (?) UNION SELECT s.parent_n FROM sessions s JOIN chain ON s.n = chain.n
         WHERE s.parent_n IS NOT NULL) SELECT 1 FROM chain WHERE n = ?`,
    ),
    ofChild: query<{ sessionN: number }>(db, "SELECT session_n AS sessionN FROM children WHERE child_id = ?"),
  };
}

export function prepareGroups(db: Connection) {
  return {
    byKey: query<GroupRow>(
      db,
      "SELECT n, total, queued, running, archived_at AS archivedAt, budget FROM groups WHERE group_id = ? AND session_n = ?",
    ),
    insert: query(db, "INSERT INTO groups (group_id, session_n, created_at) VALUES (?, ?, ?)"),
    revive: query(db, "UPDATE groups SET archived_at = NULL, summary = NULL WHERE n = ?"),
    /** What is quiet stays out of it: its index would be written with every child. */
    count: query<GroupActivity>(
      db,
      `UPDATE groups SET ${ADD_COUNTS}, total = total + ?, active_runs = active_runs + ? WHERE n = ?
       RETURNING active_runs + queued + running AS active, quiet_at AS quietAt`,
    ),
    setQuiet: query(db, "UPDATE groups SET quiet_at = ? WHERE n = ?"),
  };
}

export function prepareRuns(db: Connection) {
  return {
    head: query<RunHead>(db, RUN_HEAD),
    insert: query(
      db,
      "INSERT INTO runs (run_id, session_n, group_n, state, created_at) VALUES (?, ?, ?, 'running', ?)",
    ),
    insertInput: query(
      db,
      `INSERT INTO run_inputs (run_n, name, language, file_name, model, agent_id, script_hash, source_n, code_n, limits, args, workflows_n)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    /** A committed turn that goes on. */
    advance: query<{ undelivered: number; pendingCalls: number }>(
      db,
      `UPDATE runs SET turn = ?, snapshot_n = ?, ${ADD_COUNTS}, pending_calls = pending_calls + ?, undelivered = undelivered - ?,
         notes_stored = notes_stored + ?, phase = coalesce(?, phase), resume_crashes = 0,
         state = CASE WHEN undelivered > ? THEN 'running' ELSE 'waiting' END
       WHERE n = ? RETURNING undelivered, pending_calls AS pendingCalls`,
    ),
    count: query(db, `UPDATE runs SET ${ADD_COUNTS} WHERE n = ?`),
    /** Counts of children as well; undefined when the run has ended and nothing waits any more. */
    settle: query<SettledRun>(
      db,
      `UPDATE runs SET ${ADD_COUNTS}, last_settle = last_settle + 1, pending_calls = pending_calls - 1,
         undelivered = undelivered + 1, state = CASE state WHEN 'waiting' THEN 'running' ELSE state END
       WHERE n = ? AND state IN ('running', 'waiting', 'quarantined')
       RETURNING last_settle AS settleNumber, run_id AS runId, state`,
    ),
    finish: query(
      db,
      `UPDATE runs SET state = ?, result = ?, error = ?, ended_at = ?, epoch = epoch + 1, resume_crashes = 0,
         pending_calls = 0, undelivered = 0, snapshot_n = NULL WHERE n = ?`,
    ),
    quarantine: query(
      db,
      "UPDATE runs SET state = 'quarantined', error = ?, ended_at = ?, epoch = epoch + 1 WHERE n = ?",
    ),
    release: query(
      db,
      `UPDATE runs SET state = CASE WHEN undelivered > 0 OR turn = 0 THEN 'running' ELSE 'waiting' END, error = NULL,
         ended_at = NULL, resume_crashes = 0, epoch = epoch + 1 WHERE n = ?`,
    ),
    countResume: query<{ resumeCrashes: number }>(
      db,
      "UPDATE runs SET resume_crashes = resume_crashes + 1 WHERE n = ? RETURNING resume_crashes AS resumeCrashes",
    ),
    forgiveResume: query(db, "UPDATE runs SET resume_crashes = max(resume_crashes - 1, 0) WHERE n = ?"),
    ready: column<string>(db, `SELECT run_id FROM runs WHERE ${READY} AND run_id > ? ORDER BY run_id LIMIT ?`),
    allReady: column<string>(db, `SELECT run_id FROM runs WHERE ${READY} ORDER BY n`),
    activeCount: column<number>(db, "SELECT count(*) FROM runs WHERE ended_at IS NULL"),
  };
}

export function prepareTexts(db: Connection) {
  return {
    sourceByHash: query<SourceRow>(db, "UPDATE sources SET uses = uses + 1 WHERE hash = ? RETURNING n"),
    insertSource: query(db, "INSERT INTO sources (hash, uses, body) VALUES (?, 1, ?)"),
    releaseSource: query(db, "UPDATE sources SET uses = uses - 1 WHERE n = ?"),
    dropSource: query(db, "DELETE FROM sources WHERE n = ? AND uses <= 0"),
    insertSnapshot: query(
      db,
      "INSERT INTO snapshots (run_n, turn, parent_turn, previous_n, image_hash, bytes) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    /** Of the chain that ends with the first value, those of a turn after the second. */
    dropSnapshots: query(db, `DELETE FROM snapshots WHERE n IN (${CHAIN} SELECT n FROM chain) AND turn > ?`),
    snapshotOfTurn: column<number>(
      db,
      `SELECT n FROM snapshots WHERE n IN (${CHAIN} SELECT n FROM chain) AND turn = ?`,
    ),
    snapshots: query<SnapshotRow>(
      db,
      `SELECT turn, parent_turn AS parentTurn, image_hash AS imageHash, bytes FROM snapshots WHERE n IN
         (${CHAIN.replace("VALUES (?)", "SELECT snapshot_n FROM runs WHERE run_id = ?")} SELECT n FROM chain)
       ORDER BY turn`,
    ),
    /** Of a kept turn. */
    chainAt: query<SnapshotRow>(
      db,
      `SELECT turn, parent_turn AS parentTurn, image_hash AS imageHash, bytes FROM snapshots WHERE n IN
         (${CHAIN.replace("VALUES (?)", KEPT)} SELECT n FROM chain) ORDER BY turn`,
    ),
    keyed: query<IdempotencyRow>(
      db,
      "SELECT target_n AS targetN, fingerprint FROM idempotency WHERE session_n = ? AND kind = ? AND key = ?",
    ),
    insertKey: query(
      db,
      "INSERT INTO idempotency (session_n, kind, key, target_n, fingerprint) VALUES (?, ?, ?, ?, ?)",
    ),
  };
}
