// Pages of rows for readers: bounded in rows and in bytes, owner in the SQL (S-014), opaque cursors.
// Upholds L9 (only committed state: the connection is the reader's), L10.

import { fault } from "../contract/fault.ts";
import { MIB_BYTES, PAGE_ROWS_MAX } from "../contract/limits.ts";
import { type Connection, type Query, query, type Value } from "./driver.ts";
import type { Listing, Page, Viewer } from "./readers-port.ts";

/** A page ends after the row with which it is at least this large. */
export const PAGE_BYTES_MAX = 16 * MIB_BYTES;

/** Sessions that a viewer sees: its own and all that descend from it. Bind the viewer's key. */
const SEEN_SESSIONS = `WITH RECURSIVE seen (n) AS (SELECT n FROM sessions WHERE session_key = ? UNION
  SELECT s.n FROM sessions s JOIN seen ON s.parent_n = seen.n)`;

/** A condition on one row's session, walking up its parents. Bind: all (0 or 1), the viewer's key. */
export function seenRow(column: string): string {
  return `(? = 1 OR EXISTS (WITH RECURSIVE chain (n) AS (SELECT ${column} UNION
    SELECT s.parent_n FROM sessions s JOIN chain ON s.n = chain.n WHERE s.parent_n IS NOT NULL)
    SELECT 1 FROM chain JOIN sessions s ON s.n = chain.n WHERE s.session_key = ?))`;
}

export function viewerValues(viewer: Viewer): [number, string] {
  return [viewer.all ? 1 : 0, viewer.sessionKey];
}

/** A condition with what it binds. */
export interface Clause {
  sql: string;
  values: Value[];
}

export function whereOf(clauses: readonly Clause[]): Clause {
  if (clauses.length === 0) return { sql: "", values: [] };
  return {
    sql: ` WHERE ${clauses.map(({ sql }) => sql).join(" AND ")}`,
    values: clauses.flatMap(({ values }) => values),
  };
}

export function cursorClause(column: string, page: Page, direction: "up" | "down"): Clause[] {
  if (page.after === undefined) return [];
  if (!/^[0-9]{1,15}$/.test(page.after)) throw fault("bad_request", "The cursor is not one that a page gave.");
  return [{ sql: `${column} ${direction === "up" ? ">" : "<"} ?`, values: [Number(page.after)] }];
}

/** Reads rows until the page is full; one more row would have followed when `next` is given. */
export function readPage<Row extends { n: number }, Entry>(
  rows: Query<Row>,
  values: readonly Value[],
  page: Page,
  entryOf: (row: Row) => Entry,
  sizeOf: (row: Row) => number,
): Listing<Entry> {
  const limit = Math.max(1, Math.min(Math.trunc(page.limit), PAGE_ROWS_MAX));
  const listing: Listing<Entry> = { rows: [], next: undefined };
  let bytes = 0;
  let last = 0;
  for (const row of rows.iterate(...values)) {
    if (listing.rows.length >= limit || bytes >= PAGE_BYTES_MAX) {
      listing.next = String(last);
      break;
    }
    listing.rows.push(entryOf(row));
    bytes += sizeOf(row);
    last = row.n;
  }
  return listing;
}

export type Cached = <Row>(sql: string) => Query<Row>;

/** Listings have few shapes; each is prepared when it is first asked for. */
export function statementCache(reader: Connection): Cached {
  const known = new Map<string, Query>();
  return <Row>(sql: string) => {
    const found = known.get(sql) ?? query(reader, sql);
    known.set(sql, found);
    return found as Query<Row>;
  };
}

export function seenClause(column: string, viewer: Viewer): Clause[] {
  if (viewer.all) return [];
  return [{ sql: `${column} IN (${SEEN_SESSIONS} SELECT n FROM seen)`, values: [viewer.sessionKey] }];
}
