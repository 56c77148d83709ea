// Approvals as people see them: those that wait first, owner in the SQL (S-014). Upholds L9.

import type { ApprovalRecord } from "../contract/approvals.ts";
import { fault } from "../contract/fault.ts";
import { approvalPlaceOf } from "../contract/ids.ts";
import { type Connection, query } from "./driver.ts";
import {
  type Cached,
  type Clause,
  cursorClause,
  readPage,
  seenClause,
  statementCache,
  viewerValues,
  whereOf,
} from "./listing.ts";
import type { ApprovalFilter } from "./people-port.ts";
import type { Listing, Page, Viewer } from "./readers-port.ts";
import { APPROVAL_SEEN, type ApprovalRow, approvalRecord, SELECT_APPROVAL } from "./sql-people.ts";

/** Reads of committed state. */
export interface PeopleReaders {
  approvals(viewer: Viewer, filter: ApprovalFilter, page: Page): Listing<ApprovalRecord>;
  approval(approvalId: string, viewer: Viewer): ApprovalRecord | undefined;
}

export function preparePeopleReaders(reader: Connection): PeopleReaders {
  const one = query<ApprovalRow>(reader, APPROVAL_SEEN);
  const cached = statementCache(reader);
  return {
    approvals: (viewer, filter, page) => listApprovals(cached, viewer, filter, page),
    approval(approvalId, viewer) {
      const place = approvalPlaceOf(approvalId);
      const row = place && one.get(place.runId, place.callId, ...viewerValues(viewer));
      return row && approvalRecord(row);
    },
  };
}

const FIRST_OF_DECIDED = "999999999999999";

/** Two lists one after the other, each with its own order; the cursor's letter says in which one it stands. */
function listApprovals(cached: Cached, viewer: Viewer, filter: ApprovalFilter, page: Page): Listing<ApprovalRecord> {
  const inDecided = page.after?.startsWith("d") === true;
  if (page.after !== undefined && !/^[pd]/.test(page.after)) {
    throw fault("bad_request", "The cursor is not one that a page gave.");
  }
  const after = page.after?.slice(1);
  const wanted = filter.state;
  const listing: Listing<ApprovalRecord> = { rows: [], next: undefined };
  if (!inDecided && (wanted === undefined || wanted === "pending")) {
    const pending = readList(cached, viewer, filter, { limit: page.limit, after }, "up");
    if (pending.next !== undefined) return { rows: pending.rows, next: `p${pending.next}` };
    listing.rows = pending.rows;
  }
  if (wanted === "pending") return listing;
  const left = page.limit - listing.rows.length;
  const start = inDecided ? after : undefined;
  const others = readList(cached, viewer, filter, { limit: Math.max(left, 1), after: start }, "down");
  if (left <= 0) return { rows: listing.rows, next: others.rows.length > 0 ? `d${FIRST_OF_DECIDED}` : undefined };
  return {
    rows: [...listing.rows, ...others.rows],
    next: others.next === undefined ? undefined : `d${others.next}`,
  };
}

function readList(
  cached: Cached,
  viewer: Viewer,
  filter: ApprovalFilter,
  page: Page,
  direction: "up" | "down",
): Listing<ApprovalRecord> {
  const state = direction === "up" ? "a.state = 'pending'" : "a.state <> 'pending'";
  const clauses: Clause[] = [
    { sql: state, values: [] },
    ...seenClause("r.session_n", viewer),
    ...(direction === "down" && filter.state !== undefined ? [{ sql: "a.state = ?", values: [filter.state] }] : []),
    ...(filter.runId === undefined
      ? []
      : [{ sql: "a.run_n = (SELECT n FROM runs WHERE run_id = ?)", values: [filter.runId] }]),
    ...cursorClause("a.n", page, direction),
  ];
  const where = whereOf(clauses);
  const rows = cached<ApprovalRow>(`${SELECT_APPROVAL}${where.sql} ORDER BY a.n${direction === "up" ? "" : " DESC"}`);
  const sizeOf = (row: ApprovalRow): number => (row.details?.length ?? 0) + (row.data?.length ?? 0);
  return readPage(rows, where.values, page, approvalRecord, sizeOf);
}
