// How a script ended, from what the guest sent: a result checked once more, or a failure as a Fault
// with its place in the script. Upholds L6 and I-005.

import { type FaultCode, type FaultData, fault, type Place, toFaultData } from "../contract/fault.ts";
import { utf8ByteCount } from "../contract/json.ts";
import { isDeeper } from "../contract/json-depth.ts";
import { RESULT_BYTES_MAX } from "../contract/limits.ts";
import { FIRST_LINE_COLUMN_SHIFT } from "../vm/compile.ts";
import { ERROR_MESSAGE_CHARS_MAX, ERROR_STACK_CHARS_MAX, JSON_DEPTH_MAX, SCRIPT_FRAME } from "./ops.ts";
import type { GuestOutcome } from "./port.ts";

/** The outcome of a script that returned `json` (G-010). */
export function resultOutcome(json: string): GuestOutcome {
  const bytes = utf8ByteCount(json);
  if (bytes > RESULT_BYTES_MAX) {
    return failed(
      "result_too_large",
      `the result takes ${bytes} bytes as JSON, at most ${RESULT_BYTES_MAX} are allowed`,
    );
  }
  if (isDeeper(json, JSON_DEPTH_MAX)) {
    return failed("result_not_json", `the result is nested deeper than ${JSON_DEPTH_MAX} levels`);
  }
  try {
    JSON.parse(json);
  } catch {
    return failed("result_not_json", "the result is not JSON");
  }
  return { state: "done", result: json };
}

/** The outcome of a script that failed; `json` is `{ code, name, message, stack }` by the controller. */
export function failureOutcome(json: string, file: string | undefined): GuestOutcome {
  const failure = parseFailure(json);
  const message = headline(failure.name, failure.message);
  return { state: "failed", error: failureData(failure.code, message, failure.name, failure.stack, file) };
}

/** The outcome of a script that left a rejected promise without a handler (G-015). */
export function unhandledOutcome(
  unhandled: { name: string; message: string; stack: string },
  file: string | undefined,
): GuestOutcome {
  const message = `a promise was rejected and nothing handled it: ${headline(unhandled.name, unhandled.message)}`;
  const stack = scriptFrames(unhandled.stack.slice(0, ERROR_STACK_CHARS_MAX), file ?? "script");
  return { state: "failed", error: failureData("unhandled_rejection", message, unhandled.name, stack, file) };
}

interface Failure {
  code: FaultCode;
  name: string;
  message: string;
  stack: string;
}

const GUEST_CODES: readonly FaultCode[] = ["script_error", "result_not_json", "result_too_large"];

function parseFailure(json: string): Failure {
  let value: { [key: string]: unknown } = {};
  try {
    value = Object(JSON.parse(json));
  } catch {
    // An unreadable failure is still a failure; the fields below say what is known.
  }
  return {
    code: GUEST_CODES.find((code) => code === value.code) ?? "script_error",
    name: text(value.name, 200),
    message: text(value.message, ERROR_MESSAGE_CHARS_MAX + 100) || "the script failed without a message",
    stack: text(value.stack, ERROR_STACK_CHARS_MAX + 100),
  };
}

function text(value: unknown, maxChars: number): string {
  return typeof value === "string" ? value.slice(0, maxChars) : "";
}

function headline(name: string, message: string): string {
  const short = message.slice(0, ERROR_MESSAGE_CHARS_MAX);
  return name === "" ? short : `${name}: ${short}`;
}

function failed(code: FaultCode, message: string): GuestOutcome {
  return { state: "failed", error: toFaultData(fault(code, message)) };
}

function failureData(
  code: FaultCode,
  message: string,
  name: string,
  stack: string,
  file: string | undefined,
): FaultData {
  const details: { [key: string]: string } = {};
  if (name !== "") details.name = name;
  if (stack !== "") details.stack = stack;
  const place = topFrame(stack, file);
  return toFaultData(fault(code, message, { details, ...(place === undefined ? {} : { place }) }));
}

/** The stack lines that are the script's own, as its author counts: the engine's first line has a prefix. */
function scriptFrames(stack: string, file: string): string {
  const frames: string[] = [];
  for (const frame of stack.split("\n")) {
    const at = frame.lastIndexOf(SCRIPT_FRAME);
    const match = /^(\d{1,9}):(\d{1,9})(\)?)$/.exec(at < 0 ? "" : frame.slice(at + SCRIPT_FRAME.length));
    if (!match) continue;
    const [, line, column, end] = match;
    const shift = line === "1" ? FIRST_LINE_COLUMN_SHIFT : 0;
    frames.push(`${frame.slice(0, at)}${file}:${line}:${Math.max(1, Number(column) - shift)}${end}`);
  }
  return frames.join("\n");
}

/** The place of the first stack line that names a line and a column. */
function topFrame(stack: string, file: string | undefined): Place | undefined {
  const match = /:(\d{1,9}):(\d{1,9})\)?$/m.exec(stack);
  if (!match) return undefined;
  const place: Place = { line: Number(match[1]), column: Number(match[2]) };
  if (file !== undefined) place.file = file;
  return place;
}
