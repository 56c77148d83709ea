// The answers a run has not consumed, as the guest will get them: values as JSON text, failures as
// the data of a SwarmAgentError (G-004, S-012). Upholds L4 (order of settle numbers), L10 (bytes).

import type { FaultCode } from "../contract/fault.ts";
import type { JsonText } from "../contract/json.ts";
import type { ChildRecord } from "../contract/records.ts";
import type { AnyAnswer } from "./answers.ts";
import { type Connection, query } from "./driver.ts";
import type { UndeliveredAnswer } from "./port.ts";
import { type ChildRow, childRecord, SELECT_CHILD, usageIn } from "./rows.ts";

export interface SettledRow {
  callId: number;
  settleNumber: number;
  ok: number;
  answer: "text" | "child" | "children" | null;
  payload: string | null;
  childId: string;
  status: string;
  wantsValue: number;
  structured: string | null;
  result: string | null;
  label: string | null;
  attempt: number;
  inputTokens: number | null;
  outputTokens: number | null;
  cachedTokens: number | null;
  costUsd: number | null;
  unpriced: number | null;
  error: string | null;
  errorCode: string | null;
  schemaError: string | null;
  /** The id by which a fork's script knows the child. */
  alias: string | null;
}

/** What an answer takes from the child that it is about, as `c`. */
export const SETTLED_CHILD = `c.child_id AS childId, c.status, c.wants_value AS wantsValue, c.structured, c.result, c.label,
  c.attempt, c.input_tokens AS inputTokens, c.output_tokens AS outputTokens,
  c.cached_tokens AS cachedTokens, c.cost_usd AS costUsd, c.unpriced, c.error,
  c.error_code AS errorCode, c.schema_error AS schemaError,
  (SELECT alias FROM child_origins WHERE child_n = c.n) AS alias`;

const SELECT_SETTLED = `SELECT k.call_id AS callId, k.settle_number AS settleNumber, k.ok, k.answer, k.payload,
  ${SETTLED_CHILD} FROM calls k LEFT JOIN children c ON c.n = k.child_n
  WHERE k.run_n = (SELECT n FROM runs WHERE run_id = ?) AND k.state = 'settled' ORDER BY k.settle_number LIMIT ?`;

/** The children that an answer names. */
interface NamedChildren {
  get(childId: string): ChildRow | undefined;
  /** The id by which the script of a fork knows a child; any other run knows it by its own. */
  knownAs(childId: string): string;
}

export type Inbox = (runId: string, limit: number, bytesMax: number) => UndeliveredAnswer[];

export function prepareInbox(connection: Connection): Inbox {
  const settled = query<SettledRow>(connection, SELECT_SETTLED);
  const child = query<ChildRow>(connection, `${SELECT_CHILD} WHERE c.child_id = ?`);
  const aliases = query<{ childId: string; alias: string }>(connection, SELECT_ALIASES);
  return (runId, limit, bytesMax) => {
    const answers: UndeliveredAnswer[] = [];
    let bytes = 0;
    let known: Map<string, string> | undefined;
    const children: NamedChildren = {
      get: (childId) => child.get(childId),
      knownAs(childId) {
        known ??= new Map(aliases.all(runId).map((row) => [row.childId, row.alias]));
        return known.get(childId) ?? childId;
      },
    };
    for (const row of settled.iterate(runId, limit)) {
      const answer = answerOf(row, children);
      bytes += Buffer.byteLength(answer.payload);
      if (answers.length > 0 && bytes > bytesMax) break;
      answers.push(answer);
    }
    return answers;
  };
}

const SELECT_ALIASES = `SELECT c.child_id AS childId, o.alias FROM child_origins o JOIN children c ON c.n = o.child_n
  WHERE o.run_n = (SELECT n FROM runs WHERE run_id = ?) AND o.alias IS NOT NULL`;

export function failurePayload(facts: { message: string; data: { [key: string]: unknown } }): JsonText {
  return failureText("SwarmAgentError", facts.message, facts.data);
}

/** An error as the guest rebuilds it. */
export function failureText(name: string, message: string, data: { [key: string]: unknown }): JsonText {
  return JSON.stringify({ name, message, data });
}

/** What a settled call is answered. */
export function answerOf(row: SettledRow, children?: NamedChildren): UndeliveredAnswer {
  const answer: UndeliveredAnswer = {
    callId: row.callId,
    settleNumber: row.settleNumber,
    ok: row.ok === 1,
    payload: row.payload ?? "null",
    usage: undefined,
    costUsd: undefined,
  };
  if (row.answer === "child") {
    answer.payload = row.ok === 1 ? childValue(row) : childFailure(row);
    answer.usage = usageIn(row);
    answer.costUsd = row.unpriced ? undefined : (row.costUsd ?? undefined);
  }
  if (row.answer === "children" && children) answer.payload = childrenPayload(answer.payload, children);
  return answer;
}

function childValue(row: SettledRow): JsonText {
  return row.wantsValue === 1 ? (row.structured ?? "null") : JSON.stringify(row.result ?? "");
}

/** The stable code of a child that ended without naming one. */
const CODE_OF_STATUS: { [status: string]: FaultCode } = {
  failed: "child_failed",
  killed: "child_killed",
  timeout: "child_timeout",
};

function childFailure(row: SettledRow): JsonText {
  const data: { [key: string]: unknown } = {
    runId: row.alias ?? row.childId,
    status: row.status,
    attempts: row.attempt,
  };
  if (row.label !== null) data.label = row.label;
  const usage = usageIn(row);
  if (usage) data.usage = usage;
  if (row.schemaError !== null) data.schemaError = row.schemaError;
  data.text = row.result ?? "";
  data.code = row.errorCode ?? CODE_OF_STATUS[row.status] ?? "child_failed";
  return failurePayload({ message: row.error ?? `The agent ended as ${row.status}`, data });
}

/** Children that were archived since are reported like unknown ones (S-013). */
function childrenPayload(stored: string, children: NamedChildren): JsonText {
  const state = JSON.parse(stored) as AnyAnswer;
  const completed: ChildRecord[] = [];
  const errors = [...state.errors];
  for (const childId of state.completed) {
    const row = children.get(childId);
    if (row) completed.push({ ...childRecord(row), runId: children.knownAs(childId) });
    else errors.push(children.knownAs(childId));
  }
  return JSON.stringify({
    completed,
    pending: state.pending.map((childId) => children.knownAs(childId)),
    errors: errors.map((runId) => ({ runId, error: "not_found" })),
  });
}
