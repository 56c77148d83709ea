// Text for a pattern, and whether a text fits one. Matching carries a set of positions through the
// tree and never goes back, so its time is bounded by the size of the pattern and of the text.

import type { Stream } from "../seed.ts";
import type { CharSet, PatternNode } from "./pattern.ts";

/** Longest text that is matched, code points. */
const MATCH_CHARS_MAX = 1_000;
/** Most positions that one match may visit; nested repetitions that multiply end here. */
const MATCH_STEPS_MAX = 200_000;
const STEPS_PER_UNIT = 10;
/** A set of very many ranges is looked through for each position. */
const RANGES_PER_STEP = 16;
/** Most nodes that one text may be written from, for the same reason. */
const WRITE_STEPS_MAX = 4_000;
const PRINTABLE_MIN = 33;
const PRINTABLE_MAX = 126;
/** Written first where a set holds it: letters and digits read best. */
const PREFERRED: [number, number][] = [
  [97, 122],
  [48, 57],
  [65, 90],
];

/**
 * Whether `text` holds a match anywhere, as JSON Schema asks; undefined when that takes too long to
 * tell. `charge` is told what the match has cost.
 */
export function matchesPattern(
  pattern: PatternNode,
  text: string,
  charge: (units: number) => void,
): boolean | undefined {
  const codes = [...text].map((char) => char.codePointAt(0) ?? 0);
  if (codes.length > MATCH_CHARS_MAX) return undefined;
  const match: Match = { codes, stepsLeft: MATCH_STEPS_MAX };
  const found = endsOf(pattern, match, new Set([...codes.keys(), codes.length])).size > 0;
  charge((MATCH_STEPS_MAX - match.stepsLeft) / STEPS_PER_UNIT);
  return match.stepsLeft < 0 ? undefined : found;
}

/** A text for `pattern`; `more` repetitions are added wherever a repetition is open. Best effort. */
export function writePattern(pattern: PatternNode, stream: Stream, more: number): string {
  const writing: Writing = { codes: [], stream, more, stepsLeft: WRITE_STEPS_MAX };
  write(pattern, writing);
  return String.fromCodePoint(...writing.codes);
}

interface Match {
  codes: number[];
  stepsLeft: number;
}

interface Writing {
  codes: number[];
  stream: Stream;
  more: number;
  stepsLeft: number;
}

function write(node: PatternNode, writing: Writing): void {
  if (writing.stepsLeft-- <= 0) return;
  if (node.kind === "chars") writing.codes.push(pick(node.set, writing.stream));
  if (node.kind === "sequence") for (const part of node.parts) write(part, writing);
  if (node.kind === "choice") {
    const part = node.parts[writing.stream.below(node.parts.length)];
    if (part) write(part, writing);
  }
  if (node.kind === "repeat") {
    const times = Math.min(node.min + writing.more, node.max);
    for (let time = 0; time < times && writing.stepsLeft > 0; time++) write(node.part, writing);
  }
}

/** The positions at which a match of `node` can end, given those at which it may start. */
function endsOf(node: PatternNode, match: Match, starts: Set<number>): Set<number> {
  match.stepsLeft -= starts.size + 1;
  if (match.stepsLeft < 0) return new Set();
  switch (node.kind) {
    case "start":
      return new Set([...starts].filter((at) => at === 0));
    case "end":
      return new Set([...starts].filter((at) => at === match.codes.length));
    case "chars":
      match.stepsLeft -= starts.size * Math.floor(node.set.ranges.length / RANGES_PER_STEP);
      if (match.stepsLeft < 0) return new Set();
      return new Set([...starts].filter((at) => holds(node.set, match.codes[at])).map((at) => at + 1));
    case "sequence":
      return node.parts.reduce((at, part) => (at.size === 0 ? at : endsOf(part, match, at)), starts);
    case "choice":
      return new Set(node.parts.flatMap((part) => [...endsOf(part, match, starts)]));
    case "repeat":
      return endsOfRepeat(node, match, starts);
  }
}

function endsOfRepeat(node: PatternNode & { kind: "repeat" }, match: Match, starts: Set<number>): Set<number> {
  let frontier = starts;
  for (let time = 0; time < node.min && frontier.size > 0; time++) frontier = endsOf(node.part, match, frontier);
  const ends = new Set(frontier);
  for (let time = node.min; time < node.max && frontier.size > 0; time++) {
    frontier = new Set([...endsOf(node.part, match, frontier)].filter((at) => !ends.has(at)));
    for (const at of frontier) ends.add(at);
  }
  return ends;
}

function holds(set: CharSet, code: number | undefined): boolean {
  if (code === undefined) return false;
  return set.ranges.some(([low, high]) => code >= low && code <= high) !== set.negated;
}

/** What each set offers, worked out once: a repetition writes thousands of its characters, in every proposal. */
const choices = new WeakMap<CharSet, number[]>();

function pick(set: CharSet, stream: Stream): number {
  const codes = choices.get(set) ?? choicesOf(set);
  choices.set(set, codes);
  return codes[stream.below(Math.max(codes.length, 1))] ?? set.ranges[0]?.[0] ?? PRINTABLE_MIN;
}

function choicesOf(set: CharSet): number[] {
  const preferred = codesWithin(PREFERRED).filter((code) => holds(set, code));
  if (preferred.length > 0) return preferred;
  return codesWithin([[PRINTABLE_MIN, PRINTABLE_MAX]]).filter((code) => holds(set, code));
}

function codesWithin(ranges: [number, number][]): number[] {
  return ranges.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, index) => low + index));
}
