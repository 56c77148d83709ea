// The readers of the port, on a connection that sees committed state only (L9). Absent and foreign
// rows answer the same (S-014): the owner stands in the SQL.

import type { SwarmEvent } from "../contract/events.ts";
import { PAGE_ROWS_MAX } from "../contract/limits.ts";
import type { ChildCounts } from "../contract/records.ts";
import { type Connection, column, query } from "./driver.ts";
import { type EventRow, eventOf, prepareNotes, SELECT_EVENT } from "./events.ts";
import { prepareGroupReaders } from "./group-readers.ts";
import { type HistoryReaders, prepareHistoryReaders } from "./history-readers.ts";
import {
  type Cached,
  type Clause,
  cursorClause,
  readPage,
  seenClause,
  seenRow,
  statementCache,
  viewerValues,
  whereOf,
} from "./listing.ts";
import { preparePendingCalls } from "./pending-calls.ts";
import type { RegistryReaders, Viewer } from "./readers-port.ts";
import {
  type ChildRow,
  COUNT_COLUMNS,
  type CountsRow,
  childRecord,
  countsOf,
  type RunRow,
  runRecord,
  SELECT_CHILD,
  SELECT_RUN,
} from "./rows.ts";
import { prepareToolCallReaders } from "./tool-call-readers.ts";
import { prepareWorkflowReaders } from "./workflow-readers.ts";

/** A reader of the port before it becomes asynchronous. */
type Plain<Method> = Method extends (...values: infer Values) => Promise<infer Value>
  ? (...values: Values) => Value
  : never;

type Names =
  | ("run" | "runs" | "pendingCalls" | "notes" | "children" | "childrenById" | "childCounts")
  | ("groups" | "group" | "eventsAfter" | "lastEventSeq" | "workflowsOf" | "warningsOf")
  | "pendingToolCalls";

export type Readers = { [Name in Names]: Plain<RegistryReaders[Name]> } & HistoryReaders;

export function prepareReaders(reader: Connection): Readers {
  const one = query<RunRow>(reader, `${SELECT_RUN} WHERE r.run_id = ? AND ${seenRow("r.session_n")}`);
  const child = query<ChildRow>(reader, `${SELECT_CHILD} WHERE c.child_id = ? AND ${seenRow("c.session_n")}`);
  const counts = query<CountsRow>(reader, `SELECT ${COUNT_COLUMNS} FROM runs r WHERE r.run_id = ?`);
  const lastSeq = column<number>(reader, "SELECT coalesce(max(seq), 0) FROM events");
  const cached = statementCache(reader);
  return {
    run(runId, viewer) {
      const row = one.get(runId, ...viewerValues(viewer));
      return row && runRecord(row);
    },
    runs: (viewer, page, state) => listRuns(cached, viewer, page, state),
    children: (viewer, filter, page) => listChildren(cached, viewer, filter, page),
    childrenById: (childIds, viewer) =>
      childIds.flatMap((childId) => {
        const row = child.get(childId, ...viewerValues(viewer));
        return row ? [childRecord(row)] : [];
      }),
    childCounts(runId): ChildCounts {
      const none = { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timedOut: 0 };
      return countsOf(counts.get(runId) ?? none);
    },
    pendingCalls: preparePendingCalls(reader),
    notes: prepareNotes(reader),
    ...prepareGroupReaders(reader),
    ...prepareWorkflowReaders(reader),
    ...prepareHistoryReaders(reader),
    ...prepareToolCallReaders(reader),
    eventsAfter: (seq, filter, limit) => listEvents(cached, seq, filter, limit),
    lastEventSeq: () => lastSeq.get() ?? 0,
  };
}

function listRuns(
  cached: Cached,
  viewer: Viewer,
  page: Parameters<Readers["runs"]>[1],
  state: Parameters<Readers["runs"]>[2],
): ReturnType<Readers["runs"]> {
  const where = whereOf([
    ...seenClause("r.session_n", viewer),
    ...(state === undefined ? [] : [{ sql: "r.state = ?", values: [state] }]),
    ...cursorClause("r.n", page, "down"),
  ]);
  const rows = cached<RunRow>(`${SELECT_RUN}${where.sql} ORDER BY r.n DESC`);
  const sizeOf = (row: RunRow): number => (row.result?.length ?? 0) + (row.error?.length ?? 0);
  return readPage(rows, where.values, page, runRecord, sizeOf);
}

function listChildren(
  cached: Cached,
  viewer: Viewer,
  filter: Parameters<Readers["children"]>[1],
  page: Parameters<Readers["children"]>[2],
): ReturnType<Readers["children"]> {
  const where = whereOf([
    ...seenClause("c.session_n", viewer),
    ...(filter.runId === undefined ? [] : [parentClause(filter.runId)]),
    ...(filter.groupId === undefined
      ? []
      : [{ sql: "c.group_n IN (SELECT n FROM groups WHERE group_id = ?)", values: [filter.groupId] }]),
    ...(filter.status === undefined ? [] : [{ sql: "c.status = ?", values: [filter.status] }]),
    ...cursorClause("c.n", page, "up"),
  ]);
  const rows = cached<ChildRow>(`${SELECT_CHILD}${where.sql} ORDER BY c.n`);
  const sizeOf = (row: ChildRow): number =>
    (row.result?.length ?? 0) + (row.structured?.length ?? 0) + row.prompt.length + row.options.length;
  return readPage(rows, where.values, page, childRecord, sizeOf);
}

/** Children of a run, or of a child that spawns. */
function parentClause(id: string): Clause {
  return id.startsWith("agt_")
    ? { sql: "c.parent_n = (SELECT n FROM children WHERE child_id = ?)", values: [id] }
    : { sql: "c.run_n = (SELECT n FROM runs WHERE run_id = ?)", values: [id] };
}

function listEvents(
  cached: Cached,
  seq: number,
  filter: Parameters<Readers["eventsAfter"]>[1],
  limit: number,
): SwarmEvent[] {
  const { runId } = filter;
  const where = whereOf([
    { sql: "e.seq > ?", values: [seq] },
    ...seenClause("e.session_n", filter.viewer),
    ...(runId === undefined ? [] : [{ sql: "e.run_n = (SELECT n FROM runs WHERE run_id = ?)", values: [runId] }]),
  ]);
  const rows = cached<EventRow>(`${SELECT_EVENT}${where.sql} ORDER BY e.seq LIMIT ?`);
  const bounded = Math.max(1, Math.min(Math.trunc(limit), PAGE_ROWS_MAX));
  return rows.all(...where.values, bounded).flatMap((row) => eventOf(row) ?? []);
}
