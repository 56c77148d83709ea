// One guest call from JSON text to a typed Call. The schemas of src/contract/calls.ts are the
// reference; a hand-written check lets through what is plainly right, because a turn may bring
// thousands of calls. A property test holds the two together. Upholds L5, L6, L10.

import {
  approveArgsSchema,
  type Call,
  type CallPlace,
  cancelArgsSchema,
  eventReturnArgsSchema,
  eventWaitArgsSchema,
  sleepArgsSchema,
  spawnArgsSchema,
  toolCallArgsSchema,
  waitArgsSchema,
  waitCancelArgsSchema,
  workflowArgsSchema,
} from "../contract/calls.ts";
import { utf8ByteCount } from "../contract/json.ts";
import { isDeeper } from "../contract/json-depth.ts";
import { CALL_BYTES_MAX, PROMPT_CHARS_MAX, WAIT_IDS_MAX } from "../contract/limits.ts";
import { fieldLimits } from "./controller/option-limits.ts";
import { JSON_DEPTH_MAX } from "./ops.ts";
import type { GuestErrorData } from "./port.ts";

export type ParsedCall =
  | { ok: true; call: Call }
  | ({ ok: false; callId: number; method: string; error: GuestErrorData } & CallPlace);

const SCHEMAS = {
  agentSpawn: spawnArgsSchema,
  agentWait: waitArgsSchema,
  agentCancel: cancelArgsSchema,
  sleep: sleepArgsSchema,
  waitForEvent: eventWaitArgsSchema,
  toolCall: toolCallArgsSchema,
  workflow: workflowArgsSchema,
  approve: approveArgsSchema,
  waitCancel: waitCancelArgsSchema,
  eventReturn: eventReturnArgsSchema,
} as const;
type Method = keyof typeof SCHEMAS;

/** Parses one call; never throws. What the schemas refuse comes back with an error for the guest. */
export function parseCall(callId: number, method: string, json: string): ParsedCall {
  const envelope = parseEnvelope(json);
  if (typeof envelope === "string") return refused(callId, method, envelope, {});
  const place = placeOf(envelope.at);
  if (!isMethod(method)) return refused(callId, method, `there is no call ${JSON.stringify(method)}`, place);
  if (isPlain(method, envelope.args)) return accepted(callId, method, envelope.args, place);
  const checked = SCHEMAS[method].safeParse(envelope.args);
  if (checked.success) return accepted(callId, method, checked.data, place);
  const issue = checked.error.issues[0];
  const path = issue && issue.path.length > 0 ? `${issue.path.map(String).join(".")}: ` : "";
  return refused(callId, method, `${path}${issue?.message ?? "refused by its schema"}`, place);
}

/** Whether the hand-written check is sure that the schema accepts `args` as they are. */
export function isPlain(method: Method, args: unknown): boolean {
  if (!isRecord(args)) return false;
  if (method === "agentSpawn") return isPlainSpawn(args);
  if (method === "agentWait") return isPlainWait(args);
  return false;
}

function isMethod(method: string): method is Method {
  return Object.hasOwn(SCHEMAS, method);
}

/** The parsed envelope, or why there is none. */
function parseEnvelope(json: string): { at: unknown; args: unknown } | string {
  // A character takes at most three bytes, so short texts need no counting.
  if (json.length * 3 > CALL_BYTES_MAX && utf8ByteCount(json) > CALL_BYTES_MAX + ENVELOPE_BYTES_MAX) {
    return `arguments take ${utf8ByteCount(json)} bytes as JSON, at most ${CALL_BYTES_MAX} are allowed`;
  }
  if (isDeeper(json, JSON_DEPTH_MAX + ENVELOPE_DEPTH))
    return `arguments are nested deeper than ${JSON_DEPTH_MAX} levels`;
  try {
    const value: unknown = JSON.parse(json);
    if (isRecord(value)) return { at: value.at, args: value.args };
  } catch {
    // Said below: a guest that sends no JSON is answered like one that sends the wrong JSON.
  }
  return "arguments are not JSON";
}

/** What `{"at":[…],"args":…}` adds around the arguments. */
const ENVELOPE_BYTES_MAX = 100;
const ENVELOPE_DEPTH = 4;
const PLACE_MAX = 1_000_000_000;

function placeOf(at: unknown): CallPlace {
  if (!Array.isArray(at)) return {};
  const [line, column]: unknown[] = at;
  const place: CallPlace = {};
  if (isPosition(line)) place.line = line;
  if (isPosition(column)) place.column = column;
  return place;
}

function isPosition(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < PLACE_MAX;
}

function accepted(callId: number, method: Method, args: unknown, place: CallPlace): ParsedCall {
  // The pair was checked together, by isPlain or by the schema of this very method.
  return { ok: true, call: { callId, method, args, ...place } as Call };
}

function refused(callId: number, method: string, message: string, place: CallPlace): ParsedCall {
  const error = { name: "TypeError", message: `${method.slice(0, 40)}: ${message}`, data: { code: "bad_request" } };
  return { ok: false, callId, method: method.slice(0, 40), error, ...place };
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const PLAIN_OPTIONS: { [name: string]: (value: unknown) => boolean } = {
  label: (value) => isText(value, 0, fieldLimits.label),
  model: (value) => isText(value, 1, fieldLimits.model),
  agentId: (value) => isText(value, 1, fieldLimits.agentId),
  phase: (value) => isText(value, 0, fieldLimits.phase),
  key: (value) => isText(value, 1, fieldLimits.key),
  schema: (value) => isRecord(value) && !hasProto(value),
};

function isPlainSpawn(args: { [key: string]: unknown }): boolean {
  const { prompt, options } = args;
  if (countKeys(args) !== 2 || !isText(prompt, 0, PROMPT_CHARS_MAX) || !isRecord(options)) return false;
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(PLAIN_OPTIONS, name) || !PLAIN_OPTIONS[name]?.(options[name])) return false;
  }
  return true;
}

function isPlainWait(args: { [key: string]: unknown }): boolean {
  const { mode, ids, timeoutMs } = args;
  if (countKeys(args) !== 3 || (mode !== "one" && mode !== "any") || timeoutMs !== null || !Array.isArray(ids)) {
    return false;
  }
  return ids.length >= 1 && ids.length <= WAIT_IDS_MAX && ids.every((id) => isText(id, 0, 120));
}

function isText(value: unknown, minChars: number, maxChars: number): value is string {
  return typeof value === "string" && value.length >= minChars && value.length <= maxChars;
}

function countKeys(value: object): number {
  return Object.keys(value).length;
}

/** Whether a key named __proto__ stands anywhere: schemas drop it, so such a value is theirs to copy. */
function hasProto(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasProto);
  return Object.keys(value).some((key) => key === "__proto__" || hasProto((value as { [key: string]: unknown })[key]));
}
