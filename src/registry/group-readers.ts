// Readers of groups: counts kept with the group, phases counted from its children. Upholds L9.

import type { GroupRecord } from "../contract/records.ts";
import { limitsIn } from "./budgets.ts";
import { type Connection, query } from "./driver.ts";
import { cursorClause, readPage, seenClause, seenRow, statementCache, viewerValues, whereOf } from "./listing.ts";
import type { Page, RegistryReaders, Viewer } from "./readers-port.ts";
import { type CountsRow, countsOf } from "./rows.ts";
import { spentOf, type TotalsRow, totalsColumns } from "./spending.ts";

interface GroupRow extends CountsRow, TotalsRow {
  n: number;
  groupId: string;
  sessionKey: string;
  total: number;
  createdAt: number;
  archivedAt: number | null;
  summary: string | null;
}

interface PhaseRow extends CountsRow {
  phase: string;
}

const SELECT_GROUP = `SELECT g.n, g.group_id AS groupId, s.session_key AS sessionKey, g.total, g.queued, g.running,
  g.done, g.failed, g.killed, g.timed_out AS timedOut, g.created_at AS createdAt, g.archived_at AS archivedAt, g.summary,
  ${totalsColumns("g")}
  FROM groups g JOIN sessions s ON s.n = g.session_n`;

const SELECT_PHASES = `SELECT phase, sum(status = 'queued') AS queued, sum(status = 'running') AS running,
  sum(status = 'done') AS done, sum(status = 'failed') AS failed, sum(status = 'killed') AS killed,
  sum(status = 'timeout') AS timedOut
  FROM children WHERE group_n = ? AND phase IS NOT NULL GROUP BY phase ORDER BY min(n)`;

interface GroupReaders {
  groups(viewer: Viewer, page: Page): Awaited<ReturnType<RegistryReaders["groups"]>>;
  group(groupId: string, viewer: Viewer): GroupRecord | undefined;
}

export function prepareGroupReaders(reader: Connection): GroupReaders {
  const phases = query<PhaseRow>(reader, SELECT_PHASES);
  /** The viewer's own group before one of a session below it. */
  const one = query<GroupRow>(
    reader,
    `${SELECT_GROUP} WHERE g.group_id = ? AND ${seenRow("g.session_n")} ORDER BY s.session_key = ? DESC, g.n LIMIT 1`,
  );
  const cached = statementCache(reader);
  const recordOf = (row: GroupRow): GroupRecord => groupRecord(row, phases.all(row.n));
  return {
    group(groupId, viewer) {
      const row = one.get(groupId, ...viewerValues(viewer), viewer.sessionKey);
      return row && recordOf(row);
    },
    groups(viewer, page) {
      const where = whereOf([...seenClause("g.session_n", viewer), ...cursorClause("g.n", page, "down")]);
      const rows = cached<GroupRow>(`${SELECT_GROUP}${where.sql} ORDER BY g.n DESC`);
      return readPage(rows, where.values, page, recordOf, () => 1);
    },
  };
}

function groupRecord(row: GroupRow, phases: readonly PhaseRow[]): GroupRecord {
  const record: GroupRecord = {
    groupId: row.groupId,
    sessionKey: row.sessionKey,
    counts: countsOf(row),
    total: row.total,
    phases: phases.map((phase) => ({ phase: phase.phase, counts: countsOf(phase) })),
    createdAt: row.createdAt,
  };
  const spent = spentOf(row);
  if (spent) record.spent = spent;
  if (row.budget !== null) record.budget = limitsIn(row.budget);
  if (row.archivedAt !== null) record.archivedAt = row.archivedAt;
  if (row.summary !== null) record.summary = row.summary;
  return record;
}
