// The prepared statements of where runs and children come from. No decision is made here.

import { type Connection, column, query } from "./driver.ts";

/** What a call of a child is recognised by. */
export interface AskedRow {
  n: number;
  prompt: string;
  options: string;
  model: string;
  agentId: string | null;
}

export interface ResultRow {
  childN: number;
  childId: string;
}

export function prepareOrigins(db: Connection) {
  return {
    insertRun: query(db, "INSERT INTO run_origins (run_n, forked_n, forked_turn, reuse_n) VALUES (?, ?, ?, ?)"),
    insertChild: query(
      db,
      "INSERT INTO child_origins (child_n, run_n, source_id, alias, follows_n, changed) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    /** The run that this one takes results from. */
    reuseOf: column<number>(db, "SELECT reuse_n FROM run_origins WHERE run_n = ? AND reuse_n IS NOT NULL"),
    doneOfRun: query<AskedRow>(
      db,
      `SELECT c.n, coalesce(c.prompt, i.prompt) AS prompt, coalesce(c.options, i.options) AS options, c.model,
         c.agent_id AS agentId
       FROM children c LEFT JOIN child_inputs i ON i.child_n = c.n
       WHERE c.run_n = ? AND c.call_id > ? AND c.status = 'done' ORDER BY c.n`,
    ),
    insertReusable: query(db, "INSERT INTO reusable (run_n, call_hash, child_n) VALUES (?, ?, ?)"),
    /** The first one that is left. */
    reusable: query<ResultRow>(
      db,
      `SELECT u.child_n AS childN, c.child_id AS childId FROM reusable u CROSS JOIN children c ON c.n = u.child_n
       WHERE u.run_n = ? AND u.call_hash = ? ORDER BY u.child_n LIMIT 1`,
    ),
    takeReusable: query(db, "DELETE FROM reusable WHERE run_n = ? AND call_hash = ? AND child_n = ?"),
    dropReusable: query(db, "DELETE FROM reusable WHERE run_n = ?"),
    /** Makes a child final with the result of another one; it uses nothing. */
    copyResult: query(
      db,
      `UPDATE children SET status = 'done', ended_at = ?, input_tokens = 0, output_tokens = 0, cost_usd = 0,
         (result, structured) = (SELECT result, structured FROM children WHERE n = ?) WHERE n = ?`,
    ),
    /** The conversation before a child's turn of it. */
    messagesBefore: query<{ role: string; text: string }>(
      db,
      "SELECT role, body AS text FROM messages WHERE session_id = ? AND child_n < ? ORDER BY n",
    ),
    copyMessages: query(
      db,
      `INSERT INTO messages (session_id, child_n, role, body)
       SELECT ?, ?, role, body FROM messages WHERE child_n = ? ORDER BY n`,
    ),
  };
}
