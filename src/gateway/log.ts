// The gateway's log: JSON lines on stderr, one a request. A line holds ids, counts, codes and route
// patterns; never a token, a prompt, a URL or a file path. Control, ESC and bidi characters are shown as
// escapes, so that a line cannot repaint the terminal that it is read on.

import { pino } from "pino";
import type { Clock } from "../contract/clock.ts";
import type { Settings } from "../contract/settings.ts";

export type LogFields = Record<string, string | number | boolean>;
export type LogLevel = "debug" | "info" | "warn" | "error";
/** The same shape that the runtime takes. */
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Longest text of one field; what is longer ends in `…`. */
export const LOG_TEXT_CHARS_MAX = 1_000;
/** Most stack frames kept of an unexpected error. */
export const LOG_FRAMES_MAX = 6;

const STDERR = 2;
// Control characters, DEL and C1; marks and overrides that change the order in which text is shown.
const UNSAFE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** `write` receives whole lines; without it they go to stderr. */
export function createLog(level: Settings["logLevel"], clock: Clock, write?: (line: string) => void): Log {
  const target = write ? { write } : pino.destination({ fd: STDERR, sync: true });
  const timestamp = (): string => `,"time":${clock.now()}`;
  const lines = pino({ level, timestamp, base: { pid: process.pid } }, target);
  return (severity, message, fields = {}) => lines[severity](safeFields(fields), safeText(message));
}

/** Where an unexpected error came from: function and file names of its stack, without folders or its message. */
export function framesOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = [...stack.matchAll(/^\s+at (?:async )?(?:([^\s(]+) \()?(?:[^\n]*[/\\])?([^/\\\n]+?:\d+):\d+\)?$/gm)];
  return frames
    .slice(0, LOG_FRAMES_MAX)
    .map(([, name, file]) => (name ? `${name} ${file}` : file))
    .join(" < ");
}

export function safeText(text: string): string {
  const cut = text.length > LOG_TEXT_CHARS_MAX ? `${text.slice(0, LOG_TEXT_CHARS_MAX)}…` : text;
  return cut.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function safeFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? safeText(value) : value]),
  );
}
