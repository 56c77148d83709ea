// What a turn sent, message by message, made into typed calls, notes and an outcome. Everything is
// bounded here once more, whatever the guest's own controller did before. Upholds L2, L6, L10, G-006.

import type { Call, Note } from "../contract/calls.ts";
import { fault } from "../contract/fault.ts";
import { childIdOf } from "../contract/ids.ts";
import { utf8ByteCount } from "../contract/json.ts";
import { CALLS_PER_TURN_MAX, NOTE_CHARS_MAX, NOTES_PER_TURN_MAX } from "../contract/limits.ts";
import type { GuestMessage } from "../vm/port.ts";
import { GUEST_OP } from "./ops.ts";
import { failureOutcome, resultOutcome } from "./outcome.ts";
import { parseCall } from "./parse-call.ts";
import type { GuestOutcome, GuestTurnReport } from "./port.ts";

export interface OutboxLimits {
  /** Most bytes of note text kept from one turn. */
  maxOutputBytes: number;
  /** Most calls that may wait for an answer at the end of a turn. */
  maxPendingToolCalls: number;
}

export interface Outbox {
  calls: Call[];
  refused: GuestTurnReport["refused"];
  notes: Note[];
  notesDropped: number;
  outcome: GuestOutcome | null;
  /** The script's name, as the guest knows it; undefined until it said so. */
  file: string | undefined;
}

interface Reading extends Outbox {
  limits: OutboxLimits;
  lastCallId: number;
  noteBytes: number;
}

/** Reads the messages of one turn of `runId`. Throws `too_many_calls`, or `guest_crashed` for what no controller sends. */
export function readOutbox(runId: string, messages: GuestMessage[], limits: OutboxLimits): Outbox {
  const reading: Reading = {
    calls: [],
    refused: [],
    notes: [],
    notesDropped: 0,
    outcome: null,
    file: undefined,
    limits,
    lastCallId: 0,
    noteBytes: 0,
  };
  for (const message of messages) readMessage(reading, message);
  answerByWait(runId, reading);
  const { calls, refused, notes, notesDropped, outcome, file } = reading;
  return { calls, refused, notes, notesDropped, outcome, file };
}

function readMessage(reading: Reading, message: GuestMessage): void {
  if (message.op === GUEST_OP.call) readCall(reading, message);
  else if (message.op === GUEST_OP.note) readNote(reading, message);
  else if (message.op === GUEST_OP.closed) readClosed(reading, message);
  else if (message.op === GUEST_OP.result || message.op === GUEST_OP.failure) readEnd(reading, message);
  else throw fault("guest_crashed", `the guest sent a message of the unknown kind ${String(message.op)}`);
}

function readCall(reading: Reading, message: GuestMessage): void {
  const { id } = message;
  if (!Number.isSafeInteger(id) || id <= reading.lastCallId) {
    throw fault("guest_crashed", `the guest numbered a call ${String(id)} after ${reading.lastCallId}`);
  }
  reading.lastCallId = id;
  const made = reading.calls.length + reading.refused.length;
  if (made >= CALLS_PER_TURN_MAX) {
    throw fault("too_many_calls", `the script made more than ${CALLS_PER_TURN_MAX} calls between two awaits`, {
      details: { limit: CALLS_PER_TURN_MAX },
    });
  }
  const parsed = parseCall(id, message.method, message.json);
  if (parsed.ok) reading.calls.push(parsed.call);
  else {
    const { callId, method, error, line, column } = parsed;
    reading.refused.push({ callId, method, error, line, column });
  }
}

/** A spawn is never answered: where it was refused, the wait that was issued with it gets the error instead. */
function answerByWait(runId: string, reading: Reading): void {
  const spawns = reading.refused.filter((entry) => entry.method === "agentSpawn");
  if (spawns.length === 0) return;
  const bySpawn = new Map(spawns.map((entry) => [childIdOf(runId, entry.callId), entry]));
  reading.calls = reading.calls.filter((call) => {
    if (call.method !== "agentWait" || call.args.mode !== "one") return true;
    const spawn = bySpawn.get(call.args.ids[0] ?? "");
    if (!spawn) return true;
    spawn.callId = call.callId;
    spawn.method = call.method;
    return false;
  });
}

const NOTE_KINDS: { [kindAndLevel: string]: Omit<Note, "text"> } = {
  "phase:info": { kind: "phase", level: "info" },
  "log:info": { kind: "log", level: "info" },
  "warning:warn": { kind: "warning", level: "warn" },
  "console:info": { kind: "console", level: "info" },
  "console:warn": { kind: "console", level: "warn" },
  "console:error": { kind: "console", level: "error" },
  "console:debug": { kind: "console", level: "debug" },
};
/** The controller's mark of a cut note stands after the text that it kept. */
const CUT_MARK_CHARS_MAX = 40;

function readNote(reading: Reading, message: GuestMessage): void {
  const kind = Object.hasOwn(NOTE_KINDS, message.method) ? NOTE_KINDS[message.method] : undefined;
  const text = noteText(message.json);
  if (!kind || text === undefined) {
    reading.notesDropped += 1;
    return;
  }
  const bytes = utf8ByteCount(text);
  if (reading.notes.length >= NOTES_PER_TURN_MAX || reading.noteBytes + bytes > reading.limits.maxOutputBytes) {
    reading.notesDropped += 1;
    return;
  }
  reading.noteBytes += bytes;
  reading.notes.push({ ...kind, text });
}

function noteText(json: string): string | undefined {
  try {
    const text: unknown = JSON.parse(json);
    if (typeof text !== "string") return undefined;
    if (text.length <= NOTE_CHARS_MAX + CUT_MARK_CHARS_MAX) return text;
    return `${text.slice(0, NOTE_CHARS_MAX)}… (${text.length - NOTE_CHARS_MAX} more characters)`;
  } catch {
    return undefined;
  }
}

function readClosed(reading: Reading, message: GuestMessage): void {
  reading.file = message.method;
  let closed: { pending?: unknown; notesDropped?: unknown };
  try {
    closed = Object(JSON.parse(message.json));
  } catch {
    throw fault("guest_crashed", "the guest closed its turn with something that is not JSON");
  }
  reading.notesDropped += countOf(closed.notesDropped);
  // A script that is over waits for nothing any more, whatever it left open.
  const pending = reading.outcome ? 0 : countOf(closed.pending);
  const { maxPendingToolCalls } = reading.limits;
  if (pending > maxPendingToolCalls) {
    throw fault("too_many_calls", `${pending} calls wait for an answer, at most ${maxPendingToolCalls} may`, {
      details: { pending, limit: maxPendingToolCalls },
    });
  }
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function readEnd(reading: Reading, message: GuestMessage): void {
  // Only the first end counts; the controller sends one.
  if (reading.outcome) return;
  reading.file = message.method;
  reading.notesDropped += countOf(message.id);
  reading.outcome =
    message.op === GUEST_OP.result ? resultOutcome(message.json) : failureOutcome(message.json, message.method);
}
