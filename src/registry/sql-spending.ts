// The prepared statements of budgets and spending, with the rows they give. No decision is made here.

import { type Connection, column, query } from "./driver.ts";

/** What an owner of a budget has spent, as it counts against its limits. */
export interface AccountRow {
  id: string;
  /** The limits as JSON, or null. */
  budget: string | null;
  createdAt: number;
  /** All children that were ever spawned for it. */
  children: number;
  tokens: number;
  usd: number;
}

/** Whose spending it is. A child of a child spends for the run at the top. */
export interface SpenderRow {
  n: number;
  childId: string;
  status: string;
  attempt: number;
  runN: number | null;
  groupN: number;
  options: string;
  runBudget: string | null;
  groupBudget: string | null;
  tokens: number;
  usd: number;
}

export interface Amount {
  tokens: number;
  usd: number;
}

export interface ReservationRow extends Amount {
  n: number;
  childN: number;
}

export interface BudgetEndRow {
  dueAt: number;
  owner: "run" | "group";
  ownerN: number;
}

/** The run of a child, or that of the child at the top of those that spawned it. */
const ROOT_RUN = `coalesce(c.run_n, CASE WHEN c.parent_n IS NULL THEN NULL ELSE (WITH RECURSIVE chain (n) AS (SELECT c.parent_n UNION
  SELECT p.parent_n FROM chain JOIN children p ON p.n = chain.n WHERE p.parent_n IS NOT NULL)
  SELECT p.run_n FROM chain JOIN children p ON p.n = chain.n WHERE p.run_n IS NOT NULL LIMIT 1) END)`;

const SPENDER = `SELECT q.*, r.budget AS runBudget, g.budget AS groupBudget FROM (
  SELECT c.n, c.child_id AS childId, c.status, c.attempt, ${ROOT_RUN} AS runN, c.group_n AS groupN,
    coalesce(c.options, i.options) AS options,
    coalesce(c.input_tokens, 0) + coalesce(c.output_tokens, 0) + c.assumed_tokens AS tokens,
    coalesce(c.cost_usd, 0) + c.assumed_usd AS usd
  FROM children c LEFT JOIN child_inputs i ON i.child_n = c.n`;
const SPENDER_PLACES = "LEFT JOIN runs r ON r.n = q.runN JOIN groups g ON g.n = q.groupN";

const SPENT = "input_tokens + output_tokens + assumed_tokens AS tokens, cost_usd + assumed_usd AS usd";
const HELD = "SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(usd), 0) AS usd FROM reservations";

const ADD_TOTALS = `input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cached_tokens = cached_tokens + ?,
  cost_usd = cost_usd + ?, unpriced = unpriced + ?, assumed_tokens = assumed_tokens + ?, assumed_usd = assumed_usd + ?`;

/** What is not known stays null until it is. */
const addKnown = (name: string): string => `${name} = coalesce(${name} + ?, ${name}, ?)`;

export function prepareSpending(db: Connection) {
  return {
    spender: query<SpenderRow>(db, `${SPENDER} WHERE c.child_id = ?) q ${SPENDER_PLACES}`),
    spenderOf: query<SpenderRow>(db, `${SPENDER} WHERE c.n = ?) q ${SPENDER_PLACES}`),
    run: query<AccountRow>(
      db,
      `SELECT run_id AS id, budget, created_at AS createdAt, queued + running + done + failed + killed + timed_out AS children, ${SPENT}
       FROM runs WHERE n = ?`,
    ),
    group: query<AccountRow>(
      db,
      `SELECT group_id AS id, budget, created_at AS createdAt, total AS children, ${SPENT} FROM groups WHERE n = ?`,
    ),
    runPlace: query<{ n: number; groupN: number }>(db, "SELECT n, group_n AS groupN FROM runs WHERE run_id = ?"),
    heldByChild: query<Amount>(db, `${HELD} WHERE child_n = ?`),
    heldForRun: query<Amount>(db, `${HELD} WHERE run_n = ?`),
    heldForGroup: query<Amount>(db, `${HELD} WHERE group_n = ?`),
    reserve: query(
      db,
      "INSERT INTO reservations (child_n, run_n, group_n, tokens, usd, generation) SELECT ?, ?, ?, ?, ?, generation FROM fence",
    ),
    release: query<Amount>(db, "DELETE FROM reservations WHERE n = ? AND child_n = ? RETURNING tokens, usd"),
    releaseAll: query<Amount>(db, "DELETE FROM reservations WHERE child_n = ? RETURNING tokens, usd"),
    /** Of processes that died: each opening has a generation of its own. */
    standing: query<ReservationRow>(
      db,
      `SELECT n, child_n AS childN, tokens, usd FROM reservations
       WHERE generation <> (SELECT generation FROM fence) ORDER BY n`,
    ),
    addToChild: query(
      db,
      `UPDATE children SET ${addKnown("input_tokens")}, ${addKnown("output_tokens")}, ${addKnown("cached_tokens")},
         ${addKnown("cost_usd")}, unpriced = unpriced + ?, assumed_tokens = assumed_tokens + ?, assumed_usd = assumed_usd + ?
       WHERE n = ?`,
    ),
    addToRun: query(db, `UPDATE runs SET ${ADD_TOTALS} WHERE n = ?`),
    addToGroup: query(db, `UPDATE groups SET ${ADD_TOTALS} WHERE n = ?`),
    giveRun: query(db, "UPDATE runs SET budget = ? WHERE n = ?"),
    giveGroup: query(db, "UPDATE groups SET budget = ? WHERE n = ?"),
    insertEnd: query(db, "INSERT OR IGNORE INTO budget_ends (due_at, owner, owner_n) VALUES (?, ?, ?)"),
    dueEnds: query<BudgetEndRow>(
      db,
      "SELECT due_at AS dueAt, owner, owner_n AS ownerN FROM budget_ends WHERE due_at <= ? ORDER BY due_at LIMIT ?",
    ),
    dropEnd: query(db, "DELETE FROM budget_ends WHERE due_at = ? AND owner = ? AND owner_n = ?"),
    nextEnd: column<number | null>(db, "SELECT min(due_at) FROM budget_ends"),
  };
}
