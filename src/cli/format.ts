// Values as people read them. Text that came from a script, a child or a file is made harmless for a
// terminal here: no control, escape or bidi character of theirs is ever printed as such.

import type { Json } from "../contract/json.ts";

/** Control (C0, C1, DEL), format (bidi overrides, zero width) and line separator characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/** The same without tab and line feed. */
const UNSAFE_IN_BLOCK = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** One line, safe to print: line breaks and tabs become spaces, other unsafe characters are escaped. */
export function oneLine(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const safe = text
    .replace(/[\r\n\t]+/g, " ")
    .replace(UNSAFE, escaped)
    .trim();
  if (safe.length <= maxChars) return safe;
  return `${safe.slice(0, Math.max(1, maxChars - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Several lines, safe to print; tabs and line feeds stay. */
export function block(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSAFE_IN_BLOCK, escaped);
}

/** JSON that is also safe on a terminal: what JSON.stringify leaves raw is escaped, which changes no value. */
export function jsonText(value: unknown, indent = 2): string {
  const text = JSON.stringify(value ?? null, null, indent) ?? "null";
  return text.replace(UNSAFE_IN_BLOCK, (bad) =>
    [...Array(bad.length).keys()].map((index) => unicodeEscape(bad.charCodeAt(index))).join(""),
  );
}

function escaped(bad: string): string {
  return [...Array(bad.length).keys()].map((index) => unicodeEscape(bad.charCodeAt(index))).join("");
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** `340ms`, `4.2s`, `3m 05s`, `2h 03m`, `4d 06h`. */
export function duration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** Date and time in UTC, to the second. */
export function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** `812B`, `64.0KiB`, `1.5GiB`. */
export function byteSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes}B` : `${value.toFixed(1)}${units[unit]}`;
}

/** `1 child`, `2 children`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A value of the configuration on one line. */
export function valueText(value: Json): string {
  return typeof value === "string" ? oneLine(value, 100) || '""' : jsonText(value, 0);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
