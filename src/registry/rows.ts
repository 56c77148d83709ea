// Rows as records: the one place where columns become what people and programs see.

import type { ChildOptions } from "../contract/calls.ts";
import type { FaultData } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import type { ChildCounts, ChildRecord, ChildStatus, RunRecord, RunState, Usage } from "../contract/records.ts";
import { limitsIn } from "./budgets.ts";
import type { ChildForRun } from "./port.ts";
import { spentOf, type TotalsRow, totalsColumns } from "./spending.ts";

export interface CountsRow {
  queued: number;
  running: number;
  done: number;
  failed: number;
  killed: number;
  timedOut: number;
}

export interface ChildRow {
  n: number;
  childId: string;
  status: ChildStatus;
  attempt: number;
  callId: number;
  depth: number;
  deadlineAt: number | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  label: string | null;
  phase: string | null;
  model: string;
  agentId: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cachedTokens: number | null;
  costUsd: number | null;
  unpriced: number;
  error: string | null;
  errorCode: string | null;
  schemaError: string | null;
  structured: string | null;
  result: string | null;
  prompt: string;
  options: string;
  sessionKey: string;
  groupId: string;
  parentRunId: string | null;
  reusedFrom: string | null;
  changed: number | null;
  followsN: number | null;
}

export interface RunRow extends CountsRow, TotalsRow {
  n: number;
  runId: string;
  name: string;
  state: RunState;
  epoch: number;
  sessionKey: string;
  groupId: string;
  language: "js" | "ts";
  scriptHash: string;
  model: string;
  turn: number;
  phase: string | null;
  result: string | null;
  error: string | null;
  resumeCrashes: number;
  pendingApprovals: number;
  notesStored: number;
  createdAt: number;
  endedAt: number | null;
  archivedAt: number | null;
  reuse: string | null;
  forkedFrom: string | null;
  forkedTurn: number | null;
}

/** Everything of a child; a condition on `c` follows. */
export const SELECT_CHILD = `SELECT c.n, c.child_id AS childId, c.status, c.attempt, c.call_id AS callId, c.depth,
  c.deadline_at AS deadlineAt, c.created_at AS createdAt, c.started_at AS startedAt, c.ended_at AS endedAt, c.label,
  c.phase, c.model, c.agent_id AS agentId, c.input_tokens AS inputTokens, c.output_tokens AS outputTokens,
  c.cached_tokens AS cachedTokens, c.cost_usd AS costUsd, c.unpriced, c.error, c.error_code AS errorCode, c.schema_error AS schemaError, c.structured, c.result,
  coalesce(c.prompt, i.prompt) AS prompt, coalesce(c.options, i.options) AS options, s.session_key AS sessionKey, g.group_id AS groupId,
  coalesce((SELECT run_id FROM runs WHERE n = c.run_n), (SELECT p.child_id FROM children p WHERE p.n = c.parent_n))
    AS parentRunId, o.source_id AS reusedFrom, o.changed, o.follows_n AS followsN
  FROM children c LEFT JOIN child_inputs i ON i.child_n = c.n LEFT JOIN child_origins o ON o.child_n = c.n JOIN sessions s ON s.n = c.session_n
  JOIN groups g ON g.n = c.group_n`;

export const COUNT_COLUMNS = "r.queued, r.running, r.done, r.failed, r.killed, r.timed_out AS timedOut";

/** Everything of a run that its record shows; a condition on `r` follows. */
export const SELECT_RUN = `SELECT r.n, r.run_id AS runId, i.name, r.state, r.epoch, s.session_key AS sessionKey,
  g.group_id AS groupId, i.language, i.script_hash AS scriptHash, i.model, r.turn, r.phase, r.result, r.error,
  r.resume_crashes AS resumeCrashes, r.notes_stored AS notesStored, r.created_at AS createdAt, r.ended_at AS endedAt,
  r.archived_at AS archivedAt, ${totalsColumns("r")}, ${COUNT_COLUMNS}, (SELECT run_id FROM runs WHERE n = o.reuse_n) AS reuse,
  (SELECT run_id FROM runs WHERE n = o.forked_n) AS forkedFrom, o.forked_turn AS forkedTurn,
  (SELECT count(*) FROM approvals a WHERE a.run_n = r.n AND a.state = 'pending') AS pendingApprovals
  FROM runs r JOIN run_inputs i ON i.run_n = r.n JOIN sessions s ON s.n = r.session_n JOIN groups g ON g.n = r.group_n
  LEFT JOIN run_origins o ON o.run_n = r.n`;

export function childRecord(row: ChildRow): ChildRecord {
  const record: ChildRecord = {
    runId: row.childId,
    status: row.status,
    result: row.result ?? "",
    sessionKey: row.sessionKey,
    model: row.model,
    prompt: row.prompt,
    attempts: row.attempt,
    groupId: row.groupId,
    parentRunId: row.parentRunId,
    callId: row.callId,
    createdAt: row.createdAt,
  };
  if (row.structured !== null) record.structured = JSON.parse(row.structured) as Json;
  if (row.schemaError !== null) record.schemaError = row.schemaError;
  if (row.error !== null) record.error = row.error;
  if (row.errorCode !== null) record.errorCode = row.errorCode;
  if (row.label !== null) record.label = row.label;
  if (row.phase !== null) record.phase = row.phase;
  if (row.agentId !== null) record.agentId = row.agentId;
  const usage = usageIn(row);
  if (usage) record.usage = usage;
  // The cost of a part is not the cost of the child.
  if (row.costUsd !== null && row.unpriced === 0) record.costUsd = row.costUsd;
  if (row.startedAt !== null) record.startedAt = row.startedAt;
  if (row.endedAt !== null) record.endedAt = row.endedAt;
  if (row.changed === 1) record.answerSet = true;
  else if (row.reusedFrom !== null && !goesOnByItself(row)) record.reusedFrom = row.reusedFrom;
  return record;
}

/** A fork's child whose original was killed: it runs, and its result is its own. */
function goesOnByItself(row: ChildRow): boolean {
  return row.followsN === null && (row.endedAt === null || row.startedAt !== null);
}

/** Undefined while no provider has reported any. */
export function usageIn(row: Pick<ChildRow, "inputTokens" | "outputTokens" | "cachedTokens">): Usage | undefined {
  const { inputTokens, outputTokens, cachedTokens } = row;
  if (inputTokens === null) return undefined;
  const usage: Usage = { inputTokens, outputTokens: outputTokens ?? 0 };
  return cachedTokens === null ? usage : { ...usage, cachedInputTokens: cachedTokens };
}

export function childForRun(row: ChildRow): ChildForRun {
  return {
    record: childRecord(row),
    options: JSON.parse(row.options) as ChildOptions,
    depth: row.depth,
    deadlineAt: row.deadlineAt,
    ticket: row.n,
  };
}

export function countsOf(row: CountsRow): ChildCounts {
  return {
    queued: row.queued,
    running: row.running,
    done: row.done,
    failed: row.failed,
    killed: row.killed,
    timeout: row.timedOut,
  };
}

export function runRecord(row: RunRow): RunRecord {
  const record: RunRecord = {
    runId: row.runId,
    name: row.name,
    state: row.state,
    sessionKey: row.sessionKey,
    groupId: row.groupId,
    language: row.language,
    scriptHash: row.scriptHash,
    model: row.model,
    turn: row.turn,
    children: countsOf(row),
    resumeCrashes: row.resumeCrashes,
    createdAt: row.createdAt,
  };
  if (row.pendingApprovals > 0) record.pendingApprovals = row.pendingApprovals;
  const spent = spentOf(row);
  if (spent) record.spent = spent;
  if (row.budget !== null) record.budget = limitsIn(row.budget);
  if (row.phase !== null) record.phase = row.phase;
  if (row.result !== null) record.result = JSON.parse(row.result) as Json;
  if (row.error !== null) record.error = JSON.parse(row.error) as FaultData;
  if (row.endedAt !== null) record.endedAt = row.endedAt;
  if (row.archivedAt !== null) record.archivedAt = row.archivedAt;
  if (row.reuse !== null) record.reuse = row.reuse;
  if (row.forkedFrom !== null) record.forkedFrom = { runId: row.forkedFrom, turn: row.forkedTurn ?? 0 };
  return record;
}
