// Regular expressions of JSON Schema, read into a tree: the part of the language that can be matched
// without backtracking and written from. What else exists (look-around, back references, \b, \p{…})
// is refused by name. Never handed to the host's RegExp, which a hostile pattern can block.

/** Ranges of code points, both ends included. */
export interface CharSet {
  negated: boolean;
  ranges: [number, number][];
}

export type PatternNode =
  | { kind: "chars"; set: CharSet }
  | { kind: "start" }
  | { kind: "end" }
  | { kind: "sequence"; parts: PatternNode[] }
  | { kind: "choice"; parts: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; min: number; max: number };

export type PatternReading = { pattern: PatternNode } | { refused: string };

const REPEAT_MAX = 1_000;
const NESTING_MAX = 16;
const DIGITS: [number, number][] = [[48, 57]];
const WORD: [number, number][] = [
  [97, 122],
  [65, 90],
  [48, 57],
  [95, 95],
];
const SPACE: [number, number][] = [
  [32, 32],
  [9, 13],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: [number, number][] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const CONTROLS: { [letter: string]: number } = { n: 10, r: 13, t: 9, v: 11, f: 12, "0": 0 };
const SETS: { [letter: string]: CharSet } = {
  d: { negated: false, ranges: DIGITS },
  D: { negated: true, ranges: DIGITS },
  w: { negated: false, ranges: WORD },
  W: { negated: true, ranges: WORD },
  s: { negated: false, ranges: SPACE },
  S: { negated: true, ranges: SPACE },
};

/** Reads `source`; what is not part of the supported language comes back as `refused`, with its name. */
export function readPattern(source: string): PatternReading {
  const reader: Reader = { chars: [...source], at: 0, depth: 0 };
  try {
    const pattern = readChoice(reader);
    if (reader.at < reader.chars.length) refuse(`an unmatched "${reader.chars[reader.at]}"`);
    return { pattern };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { refused: refusal.what };
    throw refusal;
  }
}

interface Reader {
  chars: string[];
  at: number;
  depth: number;
}

/** How the reader leaves its recursion; it never leaves this file. */
class Refusal {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

function refuse(what: string): never {
  throw new Refusal(what);
}

function readChoice(reader: Reader): PatternNode {
  if (++reader.depth > NESTING_MAX) refuse(`more than ${NESTING_MAX} nested groups`);
  const parts = [readSequence(reader)];
  while (take(reader, "|")) parts.push(readSequence(reader));
  reader.depth--;
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: "choice", parts };
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = [];
  for (;;) {
    const next = reader.chars[reader.at];
    if (next === undefined || next === "|" || next === ")") break;
    parts.push(readRepeat(reader, readAtom(reader)));
  }
  return { kind: "sequence", parts };
}

function readAtom(reader: Reader): PatternNode {
  const char = reader.chars[reader.at++] ?? "";
  if (char === "^") return { kind: "start" };
  if (char === "$") return { kind: "end" };
  if (char === ".") return { kind: "chars", set: { negated: true, ranges: LINE_ENDS } };
  if (char === "[") return { kind: "chars", set: readClass(reader) };
  if (char === "\\") return { kind: "chars", set: readEscape(reader, false) };
  if (char === "(") return readGroup(reader);
  if ("*+?{}]".includes(char)) refuse(`a "${char}" without a backslash`);
  return { kind: "chars", set: single(codeOf(char)) };
}

function readGroup(reader: Reader): PatternNode {
  if (take(reader, "?") && !take(reader, ":")) {
    refuse(`"(?${reader.chars[reader.at] ?? ""}" (look-around and named groups)`);
  }
  const inner = readChoice(reader);
  if (!take(reader, ")")) refuse("an unclosed group");
  return inner;
}

function readRepeat(reader: Reader, part: PatternNode): PatternNode {
  const bounds = readBounds(reader);
  if (!bounds) return part;
  if (part.kind === "start" || part.kind === "end") refuse("a repeated ^ or $");
  take(reader, "?");
  return { kind: "repeat", part, min: bounds[0], max: bounds[1] };
}

function readBounds(reader: Reader): [number, number] | undefined {
  if (take(reader, "*")) return [0, Number.POSITIVE_INFINITY];
  if (take(reader, "+")) return [1, Number.POSITIVE_INFINITY];
  if (take(reader, "?")) return [0, 1];
  if (!take(reader, "{")) return undefined;
  const min = readNumber(reader);
  const open = take(reader, ",");
  const max = open ? (readNumber(reader) ?? Number.POSITIVE_INFINITY) : min;
  if (min === undefined || max === undefined || !take(reader, "}")) return refuse('a "{" that is no repetition');
  if (min > max) refuse("a repetition whose numbers are out of order");
  if (min > REPEAT_MAX || (Number.isFinite(max) && max > REPEAT_MAX)) refuse(`a repetition above ${REPEAT_MAX}`);
  return [min, max];
}

function readNumber(reader: Reader): number | undefined {
  let digits = "";
  for (let next = reader.chars[reader.at]; next !== undefined && /^[0-9]$/.test(next); next = reader.chars[reader.at]) {
    digits += next;
    reader.at++;
  }
  return digits === "" ? undefined : Number(digits);
}

function readClass(reader: Reader): CharSet {
  const negated = take(reader, "^");
  const ranges: [number, number][] = [];
  for (;;) {
    const low = readClassItem(reader);
    if (low === "end") return { negated, ranges };
    const [from] = low.ranges;
    if (low.negated) refuse("a negated set (such as \\D) inside [ ]");
    if (reader.chars[reader.at] !== "-" || reader.chars[reader.at + 1] === "]") {
      ranges.push(...low.ranges);
      continue;
    }
    reader.at++;
    const high = readClassItem(reader);
    const to = high === "end" ? undefined : high.ranges[0];
    if (!from || !to || from[0] !== from[1] || to[0] !== to[1])
      return refuse("a range that does not join two characters");
    if (from[0] > to[0]) refuse("a range that is out of order");
    ranges.push([from[0], to[0]]);
  }
}

function readClassItem(reader: Reader): CharSet | "end" {
  const char = reader.chars[reader.at++];
  if (char === undefined) return refuse("an unclosed [");
  if (char === "]") return "end";
  return char === "\\" ? readEscape(reader, true) : single(codeOf(char));
}

function readEscape(reader: Reader, inClass: boolean): CharSet {
  const char = reader.chars[reader.at++] ?? refuse("a backslash at the end");
  const set = Object.hasOwn(SETS, char) ? SETS[char] : undefined;
  if (set) return set;
  if (char === "x" || char === "u") return single(readHexadecimal(reader, char === "x" ? 2 : 4));
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
  if (control !== undefined && !/^[0-9]$/.test(char === "0" ? (reader.chars[reader.at] ?? "") : ""))
    return single(control);
  if ("^$\\.*+?()[]{}|/".includes(char) || (inClass && char === "-")) return single(codeOf(char));
  return refuse(`\\${char}`);
}

function readHexadecimal(reader: Reader, digitCount: number): number {
  const digits = reader.chars.slice(reader.at, reader.at + digitCount).join("");
  if (digits.length !== digitCount || !/^[0-9a-fA-F]+$/.test(digits)) refuse("a malformed \\x or \\u");
  const code = Number.parseInt(digits, 16);
  if (code >= 0xd800 && code <= 0xdfff) refuse("half a surrogate pair");
  reader.at += digitCount;
  return code;
}

function single(code: number): CharSet {
  return { negated: false, ranges: [[code, code]] };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

function take(reader: Reader, char: string): boolean {
  if (reader.chars[reader.at] !== char) return false;
  reader.at++;
  return true;
}
