// How a run looked after a kept turn: what was pending, how that was answered later, and its children in
// their states as of then. Upholds L9 (committed state alone), L10 (long answers are left out).

import type { HistoryPoint, PastCall, PointDetail } from "../contract/history.ts";
import type { Json } from "../contract/json.ts";
import type { ChildRecord } from "../contract/records.ts";
import { type Connection, query } from "./driver.ts";
import { turnNotKept } from "./history.ts";
import { answerOf, SETTLED_CHILD, type SettledRow } from "./inbox.ts";
import { seenRow, viewerValues } from "./listing.ts";
import { pendingCall, prepareSourceLines } from "./pending-calls.ts";
import type { Viewer } from "./readers-port.ts";
import { type ChildRow, childRecord, SELECT_CHILD } from "./rows.ts";
import { type PastCallRow, PENDING_AT, POINT_OF_TURN, POINTS_OF_RUN, type PointRow } from "./sql-history.ts";

/** Answers of one point that are shown, characters of JSON. */
const ANSWER_CHARS_MAX = 1_000_000;
const CHILDREN_MAX = 20_000;

type ShownCall = PastCallRow & SettledRow;

export interface HistoryReaders {
  historyPoints(runId: string): HistoryPoint[];
  pointDetail(runId: string, turn: number, viewer: Viewer): Omit<PointDetail, "run">;
}

export function prepareHistoryReaders(reader: Connection): HistoryReaders {
  const runN = query<{ n: number }>(reader, "SELECT n FROM runs WHERE run_id = ?");
  const point = query<PointRow>(reader, POINT_OF_TURN);
  const points = query<PointRow>(reader, POINTS_OF_RUN);
  const calls = query<ShownCall>(
    reader,
    `SELECT k.*, ${SETTLED_CHILD} FROM (${PENDING_AT}) k LEFT JOIN children c ON c.n = k.childN ORDER BY k.callId`,
  );
  const children = query<ChildRow>(
    reader,
    `${SELECT_CHILD} WHERE c.run_n = ? AND c.call_id <= ? AND ${seenRow("c.session_n")} ORDER BY c.n LIMIT ${CHILDREN_MAX}`,
  );
  const stages = query<StageRow>(reader, SELECT_STAGES);
  const sourceLines = prepareSourceLines(reader);
  const pointsOf = (n: number | undefined): PointRow[] => (n === undefined ? [] : points.all(n));
  return {
    historyPoints: (runId) => pointsOf(runN.get(runId)?.n).map(historyPoint),
    pointDetail(runId, turn, viewer) {
      const n = runN.get(runId)?.n;
      const row = n === undefined ? undefined : point.get(n, turn);
      if (n === undefined || !row) {
        throw turnNotKept(
          runId,
          turn,
          pointsOf(n).map((each) => each.turn),
        );
      }
      const lines = sourceLines(runId);
      let chars = 0;
      const pending = calls.all(n, turn, row.lastCall, n, row.lastCall).map((call) => {
        const shown = pastCall(call, lines, ANSWER_CHARS_MAX - chars);
        chars += JSON.stringify(shown.answer?.value ?? null).length;
        return shown;
      });
      const reached = new Map(stages.all(n, row.eventSeq).map((stage) => [stage.childN, stage]));
      const rows = children.all(n, row.lastCall, ...viewerValues(viewer));
      return {
        point: historyPoint(row),
        pending,
        children: rows.map((child) => asOfThen(childRecord(child), reached.get(child.n))),
      };
    },
  };
}

function historyPoint(row: PointRow): HistoryPoint {
  const point: HistoryPoint = { turn: row.turn, at: row.at, pendingCalls: row.pending };
  if (row.phase !== null) point.phase = row.phase;
  return point;
}

function pastCall(row: ShownCall, sourceLines: readonly string[], charsLeft: number): PastCall {
  const settled = row.answer !== null;
  const call: PastCall = pendingCall({ ...row, payload: settled ? null : row.payload }, sourceLines);
  if (!settled) return call;
  call.answer = { ok: row.ok === 1 };
  if (row.turn !== null) call.answer.turn = row.turn;
  if (row.answer === "children") return call;
  const { payload } = answerOf(row);
  if (payload.length <= charsLeft) call.answer.value = JSON.parse(payload) as Json;
  return call;
}

interface StageRow {
  childN: number;
  ended: number;
  attempts: number;
}

const SELECT_STAGES = `SELECT child_n AS childN, sum(type = 'child.ended') AS ended,
  coalesce(max(CASE type WHEN 'child.started' THEN number END), 0) AS attempts
  FROM events WHERE run_n = ? AND seq <= ? AND child_n IS NOT NULL GROUP BY child_n`;

/** What had not happened yet is taken back. */
function asOfThen(record: ChildRecord, stage: StageRow | undefined): ChildRecord {
  if (stage && stage.ended > 0) return record;
  const attempts = stage?.attempts ?? 0;
  const { structured, schemaError, error, errorCode, usage, costUsd, endedAt, startedAt, ...known } = record;
  const then: ChildRecord = { ...known, status: attempts > 0 ? "running" : "queued", result: "", attempts };
  if (attempts > 0 && startedAt !== undefined) then.startedAt = startedAt;
  return then;
}
