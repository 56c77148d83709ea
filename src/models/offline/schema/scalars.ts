// Proposals for texts and numbers. They are proposals only: the generator checks each against the
// whole schema, so that a limit which is missed here costs a value, never a wrong one.

import type { Json } from "../../../contract/json.ts";
import { streamOf } from "../seed.ts";
import { OFFLINE_MARK } from "../text.ts";
import { patternOf } from "./check.ts";
import { every, largest, smallest } from "./conjunction.ts";
import { sampleOfFormat } from "./formats.ts";
import { writePattern } from "./pattern-text.ts";
import type { Making, Place } from "./place.ts";
import type { JsonType, SchemaObject } from "./types.ts";

/** Longest text that is made, code points; a schema that asks for more is not satisfied. */
const STRING_CHARS_MAX = 100_000;
/** Different texts or numbers that are proposed for one place. */
const VARIANTS_MAX = 64;
const WORDS_MIN = 3;
const WORDS_SPAN = 5;
/** Width of the range when the schema bounds only one side, or none. */
const DEFAULT_SPAN = 100;
/** Significant digits of a multiple, so that 14 × 0.1 is written 1.4. */
const DECIMALS = 15;
const FILLER = " offline";

/** Texts: of the format or pattern that is asked for, else marked words of the prompt. */
export function* texts(leaves: SchemaObject[], making: Making, place: Place): Generator<string> {
  const min = largest(leaves, "minLength") ?? 0;
  const max = smallest(leaves, "maxLength") ?? STRING_CHARS_MAX;
  if (min > STRING_CHARS_MAX || min > max) return;
  const formats = every(leaves, "format");
  const patterns = every(leaves, "pattern");
  for (let variant = 0; variant < VARIANTS_MAX; variant++) {
    const stream = streamOf(making.seed, place.path, place.salt, "text", variant);
    for (const format of formats) {
      const sample = sampleOfFormat(String(format), stream);
      if (sample !== undefined) yield sample;
    }
    if (formats.length === 0) yield fitted(markedWords(making, place, variant), min, max);
    for (const source of patterns) {
      const pattern = patternOf(making, String(source));
      if (!pattern) continue;
      const text = writePattern(pattern, stream, growth(variant, min));
      making.charge(1 + text.length / 10);
      yield* [`${OFFLINE_MARK} ${text}`, text, fitted(text, min, max)];
    }
  }
}

/** `[offline] name: words of the prompt`; later variants carry their number, so that texts can differ. */
function markedWords(making: Making, place: Place, variant: number): string {
  const stream = streamOf(making.seed, place.path, place.salt, "words");
  const count = WORDS_MIN + stream.below(WORDS_SPAN);
  const from = stream.below(Math.max(making.words.length - count, 1));
  const words = making.words.slice(from, from + count);
  const name = place.name === undefined ? "" : ` ${place.name}:`;
  const number = variant + place.salt === 0 ? "" : ` ${place.salt * VARIANTS_MAX + variant}`;
  return `${OFFLINE_MARK}${name} ${words.length === 0 ? "nothing to say" : words.join(" ")}${number}`;
}

/** The same text, cut or filled up to the lengths; the number at its end is kept where there is room. */
function fitted(text: string, min: number, max: number): string {
  const chars = [...text];
  if (chars.length >= min && chars.length <= max) return text;
  if (chars.length < min) {
    const missing = min - chars.length;
    return text + FILLER.repeat(Math.ceil(missing / FILLER.length)).slice(0, missing);
  }
  const tail = /\s\d+$/.exec(text)?.[0] ?? "";
  if (max > OFFLINE_MARK.length + tail.length) return chars.slice(0, max - tail.length).join("") + tail;
  return `${tail.trim()}offline`.slice(0, max);
}

/** How much longer than needed a pattern's open repetitions are written: more and more, up to the length. */
function growth(variant: number, min: number): number {
  return variant === 0 ? 2 : variant % 2 === 1 ? Math.floor(variant / 2) : Math.max(0, min - Math.floor(variant / 2));
}

/** Numbers within the limits, whole ones for "integer". */
export function* numbers(
  type: JsonType & ("number" | "integer"),
  leaves: SchemaObject[],
  making: Making,
  place: Place,
): Generator<Json> {
  const [low, high] = rangeOf(leaves);
  const stream = streamOf(making.seed, place.path, place.salt, "number");
  const step = largest(leaves, "multipleOf") ?? 1;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  if (count >= 1) {
    const offset = stream.below(count);
    for (let variant = 0; variant < Math.min(VARIANTS_MAX * 4, count); variant++) {
      yield Number(((first + ((offset + variant) % count)) * step).toPrecision(DECIMALS));
    }
  }
  if (type === "integer") return;
  for (let variant = 0; variant < VARIANTS_MAX; variant++) yield round(low + stream.unit() * (high - low));
  yield* [low + (high - low) / 2, low, high];
}

function rangeOf(leaves: SchemaObject[]): [number, number] {
  const lows = [largest(leaves, "minimum"), largest(leaves, "exclusiveMinimum")].filter((limit) => limit !== undefined);
  const highs = [smallest(leaves, "maximum"), smallest(leaves, "exclusiveMaximum")].filter(
    (limit) => limit !== undefined,
  );
  const low = lows.length > 0 ? Math.max(...lows) : undefined;
  const high = highs.length > 0 ? Math.min(...highs) : undefined;
  const span = Math.max(DEFAULT_SPAN, 10 * (largest(leaves, "multipleOf") ?? 1));
  if (low !== undefined) return [low, high ?? low + span];
  if (high !== undefined) return [high >= 0 ? Math.min(0, high) : high - span, high];
  return [0, span];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
