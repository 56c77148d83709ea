// Whatever goes wrong with a request, as data: what kind it is, whether trying again can help, and a message
// in which no key stands (B-018). Errors of the packages are known by their shape, since each brings its own
// copy of the classes.

import { type FaultCode, isFault } from "../../contract/fault.ts";
import type { Secret } from "../../contract/model-settings.ts";

export interface Failure {
  kind: "http" | "network" | "timeout" | "other";
  status?: number | undefined;
  /** The same request can succeed a little later (D-011). */
  isTransient: boolean;
  /** What the provider asked for, milliseconds from now. */
  retryAfterMs?: number | undefined;
  message: string;
  errorCode: FaultCode;
}

/** How the caller ended the request, when it did. */
export type Ended = "aborted" | "stalled" | undefined;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const MESSAGE_CHARS_MAX = 600;

interface CallError {
  statusCode: number;
  message: string;
  responseHeaders?: { [name: string]: string };
}

export interface FailureContext {
  provider: string;
  ended: Ended;
  /** Milliseconds since the epoch. */
  now: number;
  secrets: readonly Secret[];
}

export function failureOf(error: unknown, context: FailureContext): Failure {
  const { provider, now } = context;
  const say = (text: string): string => masked(`${provider}: ${cut(text)}`, context.secrets);
  if (context.ended === "aborted") {
    return { kind: "other", isTransient: false, message: say("the request was stopped"), errorCode: "child_killed" };
  }
  if (context.ended === "stalled") {
    const message = say("the request brought nothing for too long and was ended");
    return { kind: "timeout", isTransient: true, message, errorCode: "provider_unavailable" };
  }
  if (isFault(error)) return { kind: "other", isTransient: false, message: say(error.message), errorCode: error.code };
  const call = callErrorIn(error);
  if (!call) return { ...brokenOff(error), message: say(`the request broke off (${textOf(error)})`) };
  const isTransient = TRANSIENT_STATUSES.has(call.statusCode);
  return {
    kind: "http",
    status: call.statusCode,
    isTransient,
    retryAfterMs: retryAfterMs(call.responseHeaders ?? {}, now),
    message: say(`answered ${call.statusCode}: ${call.message}`),
    errorCode: isTransient ? "provider_unavailable" : "provider_failed",
  };
}

/** `text` without any of `secrets` in it. */
export function masked(text: string, secrets: readonly Secret[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret.reveal(), "••••"), text);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; undefined when there is none or it is over. */
export function retryAfterMs(headers: { [name: string]: string }, now: number): number | undefined {
  const inMs = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const text = headers["retry-after"];
  if (text === undefined || text.trim() === "") return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const at = Date.parse(text);
  return Number.isFinite(at) ? Math.max(at - now, 0) : undefined;
}

/** No answer, or none to its end: the connection, or a stream that is not what the protocol says. */
function brokenOff(error: unknown): Omit<Failure, "message"> {
  const isOurs = nameOf(error) === "AI_UnsupportedFunctionalityError" || nameOf(error) === "AI_InvalidPromptError";
  if (isOurs) return { kind: "other", isTransient: false, errorCode: "provider_failed" };
  return { kind: "network", isTransient: true, errorCode: "provider_unavailable" };
}

/** An HTTP error, or one that an error inside a stream stands for. */
function callErrorIn(error: unknown): CallError | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { statusCode, cause } = error as { statusCode?: unknown; cause?: unknown };
  // A status of 200 is a body that could not be read: broken off, not answered.
  if (typeof statusCode === "number" && statusCode >= 400) return error as CallError;
  return cause === error ? undefined : callErrorIn(cause);
}

function textOf(error: unknown): string {
  if (typeof error === "string") return error;
  const { message, cause } = (error ?? {}) as { message?: unknown; cause?: unknown };
  const own = typeof message === "string" && message !== "" ? message : (JSON.stringify(error) ?? "unknown");
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? `${own}, ${code}` : own;
}

function nameOf(error: unknown): unknown {
  return (error as { name?: unknown } | null)?.name;
}

function cut(text: string): string {
  return text.length <= MESSAGE_CHARS_MAX ? text : `${text.slice(0, MESSAGE_CHARS_MAX)}…`;
}
