// The prepared statements of forks. Rows are copied with the columns that their table has, whatever later
// migrations add, but for those that are given. No decision is made here.

import { type Connection, column, type Query, query, type Value } from "./driver.ts";

/** A child that its run had spawned by the point of the fork. */
export interface ForkedChildRow {
  n: number;
  childId: string;
  callId: number;
  status: string;
  attempt: number;
  endedAt: number | null;
  wantsValue: number;
  inSession: number;
  /** The id by which the script knows it. */
  knownAs: string;
  /** The child whose end it waits for. */
  followsN: number | null;
  options: string;
}

export interface FollowerRow {
  childId: string;
  n: number;
}

export function prepareForks(db: Connection) {
  return {
    copyInput: copyStatement(db, "run_inputs", ["run_n", "name", "limits"]),
    copyChild: copyStatement(db, "children", ["n", ...CHILD_CHANGES]),
    copyChildInput: copyStatement(db, "child_inputs", ["child_n"]),
    useText: {
      source_n: useText(db, "source_n"),
      code_n: useText(db, "code_n"),
      workflows_n: useText(db, "workflows_n"),
    },
    begin: query(
      db,
      `UPDATE runs SET state = 'waiting', turn = ?, snapshot_n = ?, phase = ?, pending_calls = ?, queued = ?, running = ?,
         done = ?, failed = ?, killed = ?, timed_out = ? WHERE n = ?`,
    ),
    children: query<ForkedChildRow>(
      db,
      `SELECT c.n, c.child_id AS childId, c.call_id AS callId, c.status, c.attempt, c.ended_at AS endedAt,
         c.wants_value AS wantsValue, c.in_session AS inSession, coalesce(o.alias, c.child_id) AS knownAs,
         CASE WHEN c.ended_at IS NULL THEN o.follows_n END AS followsN, coalesce(c.options, i.options) AS options
       FROM children c LEFT JOIN child_inputs i ON i.child_n = c.n LEFT JOIN child_origins o ON o.child_n = c.n
       WHERE c.run_n = ? AND c.call_id <= ? ORDER BY c.n`,
    ),
    setOptions: query(db, "UPDATE children SET options = ? WHERE n = ? AND options IS NOT NULL"),
    setInputOptions: query(db, "UPDATE child_inputs SET options = ? WHERE child_n = ?"),
    clearEnd: query(
      db,
      `UPDATE children SET result = NULL, structured = NULL, schema_error = NULL, error = NULL, error_code = NULL
       WHERE n = ?`,
    ),
    setResult: query(db, "UPDATE children SET result = ?, structured = ? WHERE n = ?"),
    resultText: column<string | null>(db, "SELECT result FROM children WHERE n = ?"),
    copyApproval: query(
      db,
      `INSERT INTO approvals (run_n, call_id, state, fails_late, created_at, due_at, title, details)
       SELECT ?, call_id, 'pending', fails_late, ?, due_at, title, details FROM approvals WHERE run_n = ? AND call_id = ?`,
    ),
    copySteps: query(
      db,
      `INSERT INTO steps (child_n, attempt, created_at, step)
       SELECT ?, attempt, created_at, step FROM steps WHERE child_n = ? ORDER BY n`,
    ),
    byAlias: column<string>(
      db,
      `SELECT c.child_id FROM child_origins o JOIN children c ON c.n = o.child_n WHERE o.run_n = ? AND o.alias = ?`,
    ),
    followers: query<FollowerRow>(
      db,
      `SELECT c.child_id AS childId, c.n FROM child_origins o CROSS JOIN children c ON c.n = o.child_n
       WHERE o.follows_n = ? AND c.ended_at IS NULL ORDER BY c.n`,
    ),
    setFollows: query(db, "UPDATE child_origins SET follows_n = ?, source_id = ? WHERE child_n = ?"),
    /** Of a run: those that wait for nobody and for a place in line. */
    goingOn: column<string>(
      db,
      `SELECT c.child_id FROM children c JOIN child_origins o ON o.child_n = c.n
       WHERE c.run_n = ? AND o.follows_n IS NULL AND c.status = 'queued' ORDER BY c.n`,
    ),
    freedBy: column<string>(
      db,
      `SELECT c.child_id FROM child_origins o CROSS JOIN children c ON c.n = o.child_n
       WHERE o.source_id = ? AND o.follows_n IS NULL AND c.status = 'queued' ORDER BY c.n`,
    ),
    setAttempt: query(
      db,
      "UPDATE children SET attempt = (SELECT attempt FROM children WHERE n = ?) WHERE n = ? AND status = 'queued'",
    ),
  };
}

/** Columns of a child that a fork does not take over as they are, in the order in which they are bound. */
export const CHILD_CHANGES = [
  ...(["child_id", "run_n", "session_n", "group_n", "status", "attempt", "deadline_at", "created_at"] as const),
  ...(["started_at", "ended_at", "input_tokens", "output_tokens", "cost_usd", "wait_call", "parent_n"] as const),
  ...(["cached_tokens", "unpriced", "assumed_tokens", "assumed_usd"] as const),
] as const;

/** A text that one more run uses. */
function useText(db: Connection, name: string): Query {
  return query(db, `UPDATE sources SET uses = uses + 1 WHERE n = (SELECT ${name} FROM run_inputs WHERE run_n = ?)`);
}

/** Bind the changed values, but `n`, which is given by the table; then the row that is copied. */
function copyStatement(db: Connection, table: string, changed: readonly string[]): Query {
  const columns = column<string>(db, `SELECT name FROM pragma_table_info('${table}')`).all();
  const key = columns[0] ?? "";
  const kept = columns.filter((name) => !changed.includes(name));
  const given = changed.filter((name) => name !== "n");
  return query(
    db,
    `INSERT INTO ${table} (${[...given, ...kept].join(", ")})
     SELECT ${[...given.map(() => "?"), ...kept].join(", ")} FROM ${table} WHERE ${key} = ?`,
  );
}

export type ChildChanges = { [Name in (typeof CHILD_CHANGES)[number]]: Value };
