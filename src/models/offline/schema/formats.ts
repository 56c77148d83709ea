// The `format`s that the offline models know: a deterministic sample of each, and a careful check:
// "yes" only for what every validator accepts, "no" only for what none does. The expressions here
// are our own and linear; a schema's own patterns never reach the host's RegExp.

import type { Stream } from "../seed.ts";
import type { Verdict } from "./types.ts";

interface Format {
  sample(stream: Stream): string;
  /** What surely fits. */
  surely: RegExp;
  /** What may fit; the rest surely does not. */
  maybe: RegExp;
}

/** Longest text whose format is checked, UTF-16 units. */
const CHECK_CHARS_MAX = 2_000;
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-2]):[0-5]\d)$/;

const FORMATS: { [name: string]: Format } = {
  date: {
    sample: (stream) => `2026-${two(stream, 1, 12)}-${two(stream, 1, 28)}`,
    surely: DATE,
    maybe: /^\d{4}-\d\d-\d\d$/,
  },
  time: { sample: clockTime, surely: TIME, maybe: /^\d\d:\d\d:\d\d/ },
  "date-time": {
    sample: (stream) => `2026-${two(stream, 1, 12)}-${two(stream, 1, 28)}T${clockTime(stream)}`,
    surely: new RegExp(`${DATE.source.slice(0, -1)}T${TIME.source.slice(1)}`),
    maybe: /^\d{4}-\d\d-\d\d[Tt\s]\d\d:\d\d/,
  },
  duration: { sample: (stream) => `P${1 + stream.below(9)}D`, surely: /^P\d{1,4}[YMDW]$/, maybe: /^P/ },
  email: {
    sample: (stream) => `offline-${digits(stream, 4)}@example.invalid`,
    surely: /^[a-z0-9][a-z0-9_-]{0,40}@(?:[a-z0-9]{1,40}\.){1,4}[a-z]{2,20}$/,
    maybe: /@/,
  },
  hostname: {
    sample: (stream) => `offline-${digits(stream, 4)}.invalid`,
    surely: /^[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?(?:\.[a-z]{2,20}){0,3}$/,
    maybe: /^[^\s/@:]+$/,
  },
  ipv4: { sample: (stream) => `192.0.2.${1 + stream.below(254)}`, surely: ipv4(), maybe: /^[\d.]+$/ },
  ipv6: {
    sample: (stream) => `2001:db8::${hex(stream, 4)}`,
    surely: /^2001:db8::[1-9a-f][0-9a-f]{0,3}$/,
    maybe: /^[0-9a-fA-F:.]+$/,
  },
  uri: {
    sample: (stream) => `https://example.invalid/offline/${digits(stream, 4)}`,
    surely: /^https?:\/\/[a-z0-9.-]{1,100}(?:\/[A-Za-z0-9._-]{0,100}){0,10}$/,
    maybe: /^[A-Za-z][A-Za-z0-9+.-]*:/,
  },
  "uri-reference": {
    sample: (stream) => `/offline/${digits(stream, 4)}`,
    surely: /^(?:\/[A-Za-z0-9._-]{1,100}){1,10}$/,
    maybe: /^[^\s<>"{}|\\^`]*$/,
  },
  uuid: {
    sample: (stream) => `${hex(stream, 8)}-${hex(stream, 4)}-4${hex(stream, 3)}-8${hex(stream, 3)}-${hex(stream, 12)}`,
    surely: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    maybe: /^(?:urn:uuid:)?[0-9a-f-]{36}$/i,
  },
};

/** The names of the known formats. */
export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

export function sampleOfFormat(name: string, stream: Stream): string | undefined {
  return Object.hasOwn(FORMATS, name) ? FORMATS[name]?.sample(stream) : undefined;
}

/** Whether `text` is of the format `name`. */
export function checkFormat(name: string, text: string): Verdict {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format || text.length > CHECK_CHARS_MAX) return "unsure";
  if (format.surely.test(text)) return "yes";
  return format.maybe.test(text) ? "unsure" : "no";
}

function two(stream: Stream, low: number, high: number): string {
  return String(low + stream.below(high - low + 1)).padStart(2, "0");
}

function clockTime(stream: Stream): string {
  return `${two(stream, 0, 23)}:${two(stream, 0, 59)}:${two(stream, 0, 59)}Z`;
}

function digits(stream: Stream, length: number): string {
  return Array.from({ length }, () => stream.below(10)).join("");
}

function hex(stream: Stream, length: number): string {
  return Array.from({ length }, (_, index) =>
    (index === 0 ? 1 + stream.below(15) : stream.below(16)).toString(16),
  ).join("");
}

function ipv4(): RegExp {
  const part = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  return new RegExp(`^${part}(?:\\.${part}){3}$`);
}
