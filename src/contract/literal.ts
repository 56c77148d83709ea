// Reads one pure literal of JavaScript: strings, numbers, true, false, null, arrays, objects and templates
// without substitutions. Nothing is evaluated, so what a file says about itself can be read without
// running it (D-001). Bounded in depth (L10).

import type { Json } from "./json.ts";

export interface LiteralSource {
  text: string;
  /** Throws what the caller's caller is to see. @param at UTF-16 index of what is no literal */
  refuse(at: number, what: string): never;
}

export interface ReadLiteral {
  value: Json;
  /** Index behind the literal. */
  end: number;
  /** Where the value of each key of the outermost object begins. */
  valueAt: Map<string, number>;
}

const DEPTH_MAX = 50;
const WHITE = /[\s\uFEFF]/;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?/y;
const WORDS: { [word: string]: Json } = { true: true, false: false, null: null };
const ESCAPES: { [letter: string]: string } = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v" };

/** The literal that begins at `start`, behind white space and comments. */
export function readLiteral(source: LiteralSource, start: number): ReadLiteral {
  const valueAt = new Map<string, number>();
  const { value, end } = readValue(source, skipTrivia(source.text, start), 0, valueAt);
  return { value, end, valueAt };
}

/** The index of the first character at or after `at` that belongs to no white space and no comment. */
export function skipTrivia(text: string, at: number): number {
  let index = at;
  for (;;) {
    while (index < text.length && WHITE.test(text.charAt(index))) index += 1;
    if (text.startsWith("//", index)) {
      const end = text.slice(index).search(/[\n\r\u2028\u2029]/);
      index = end < 0 ? text.length : index + end;
    } else if (text.startsWith("/*", index)) {
      const end = text.indexOf("*/", index + 2);
      index = end < 0 ? text.length : end + 2;
    } else return index;
  }
}

/** The identifier that begins at `at`, or "". */
export function nameAt(text: string, at: number): string {
  return matchAt(NAME, text, at);
}

interface Value {
  value: Json;
  end: number;
}

function readValue(source: LiteralSource, at: number, depth: number, valueAt?: Map<string, number>): Value {
  const { text } = source;
  if (depth > DEPTH_MAX) source.refuse(at, `it is nested deeper than ${DEPTH_MAX} levels`);
  const first = text.charAt(at);
  if (first === "{") return readObject(source, at, depth, valueAt);
  if (first === "[") return readArray(source, at, depth);
  if (first === '"' || first === "'" || first === "`") return readText(source, at);
  if (first === "-") {
    const number = readNumber(source, skipTrivia(text, at + 1));
    return { value: -(number.value as number), end: number.end };
  }
  if (/[\d.]/.test(first) && !text.startsWith("...", at)) return readNumber(source, at);
  const word = nameAt(text, at);
  if (Object.hasOwn(WORDS, word)) return { value: WORDS[word] as Json, end: at + word.length };
  return source.refuse(at, at >= text.length ? "the script ends in it" : `${shown(text, at)} is no literal`);
}

function readObject(source: LiteralSource, at: number, depth: number, valueAt?: Map<string, number>): Value {
  const { text } = source;
  const value: { [key: string]: Json } = {};
  let index = skipTrivia(text, at + 1);
  while (text.charAt(index) !== "}") {
    const key = readKey(source, index);
    if (key.value === "__proto__") source.refuse(index, "__proto__ is no key of a literal");
    const colon = skipTrivia(text, key.end);
    if (text.charAt(colon) !== ":") source.refuse(index, `${shown(text, index)} has no value behind a colon`);
    const start = skipTrivia(text, colon + 1);
    const item = readValue(source, start, depth + 1);
    valueAt?.set(String(key.value), start);
    value[String(key.value)] = item.value;
    index = behindItem(source, item.end, "}");
  }
  return { value, end: index + 1 };
}

function readKey(source: LiteralSource, at: number): Value {
  const { text } = source;
  const name = nameAt(text, at);
  if (name !== "") return { value: name, end: at + name.length };
  const first = text.charAt(at);
  if (first === '"' || first === "'") return readText(source, at);
  if (/\d/.test(first)) return readNumber(source, at);
  return source.refuse(at, at >= text.length ? "the script ends in it" : `${shown(text, at)} is no plain key`);
}

function readArray(source: LiteralSource, at: number, depth: number): Value {
  const { text } = source;
  const value: Json[] = [];
  let index = skipTrivia(text, at + 1);
  while (text.charAt(index) !== "]") {
    const item = readValue(source, index, depth + 1);
    value.push(item.value);
    index = behindItem(source, item.end, "]");
  }
  return { value, end: index + 1 };
}

/** Behind the comma that follows an item, or at the bracket that closes the list. */
function behindItem(source: LiteralSource, end: number, close: string): number {
  const { text } = source;
  const next = skipTrivia(text, end);
  if (text.charAt(next) === ",") return skipTrivia(text, next + 1);
  if (text.charAt(next) !== close) {
    source.refuse(next, next >= text.length ? "the script ends in it" : `${shown(text, next)} makes it no literal`);
  }
  return next;
}

function readNumber(source: LiteralSource, at: number): Value {
  const digits = matchAt(NUMBER, source.text, at);
  const value = digits === "" ? Number.NaN : Number(digits.replaceAll("_", ""));
  const end = at + digits.length;
  if (Number.isNaN(value)) source.refuse(at, `${shown(source.text, at)} is no number`);
  if (nameAt(source.text, end) !== "" || /^0\d/.test(digits))
    source.refuse(at, `${shown(source.text, at)} is no number`);
  return { value, end };
}

function readText(source: LiteralSource, at: number): Value {
  const { text } = source;
  const quote = text.charAt(at);
  let value = "";
  let index = at + 1;
  while (text.charAt(index) !== quote) {
    const char = text.charAt(index);
    const isLineEnd = char === "\n" || char === "\r";
    if (char === "" || (isLineEnd && quote !== "`")) source.refuse(at, "this text is not closed");
    if (quote === "`" && text.startsWith("${", index)) source.refuse(index, `a template with $\{…} is no literal`);
    if (char === "\\") {
      const escaped = readEscape(source, index);
      value += escaped.value;
      index = escaped.end;
      continue;
    }
    // A template's line ends count as \n, however the file writes them.
    value += char === "\r" ? "\n" : char;
    index += text.startsWith("\r\n", index) ? 2 : 1;
  }
  return { value, end: index + 1 };
}

function readEscape(source: LiteralSource, at: number): { value: string; end: number } {
  const { text } = source;
  const letter = text.charAt(at + 1);
  const code = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/.exec(text.slice(at + 1, at + 11));
  if (code) {
    const point = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
    if (point > 0x10ffff) source.refuse(at, "this escape is no character");
    const value = code[3] === undefined ? String.fromCharCode(point) : String.fromCodePoint(point);
    return { value, end: at + 1 + code[0].length };
  }
  if (letter === "\r" && text.charAt(at + 2) === "\n") return { value: "", end: at + 3 };
  if (letter === "\n" || letter === "\r" || letter === "\u2028" || letter === "\u2029")
    return { value: "", end: at + 2 };
  if (letter === "0" && !/\d/.test(text.charAt(at + 2))) return { value: "\0", end: at + 2 };
  if (letter === "" || /[\dxu]/.test(letter)) source.refuse(at, "this escape is no character");
  return { value: ESCAPES[letter] ?? letter, end: at + 2 };
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** What stands at `at`, short enough for a message. */
function shown(text: string, at: number): string {
  const name = nameAt(text, at).slice(0, 40);
  return name === "" ? JSON.stringify(text.slice(at, text.startsWith("...", at) ? at + 3 : at + 1)) : name;
}
