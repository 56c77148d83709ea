// Places in a script's text as people count them: line and column from 1, a line with a caret below it.

import type { Place } from "./fault.ts";

/** Longest part of a line that an excerpt shows, characters. */
const EXCERPT_CHARS_MAX = 120;
const LINE_END = /\r\n|\n|\r/g;

/** What a script is told that uses a word of modules. */
export function noModules(word: "import" | "export"): string {
  return `${word} does not exist here: a script is no module and loads none; what it needs is global (see API.list())`;
}

/** The place of the UTF-16 index `at` in `text`. */
export function placeOf(text: string, fileName: string, at: number): Place {
  const index = Math.min(Math.max(at, 0), text.length);
  let line = 1;
  let lineStart = 0;
  for (const match of text.matchAll(LINE_END)) {
    const next = match.index + match[0].length;
    if (next > index) break;
    line++;
    lineStart = next;
  }
  const rest = text.slice(lineStart).search(LINE_END);
  const lineText = rest < 0 ? text.slice(lineStart) : text.slice(lineStart, lineStart + rest);
  const column = index - lineStart;
  return { file: fileName, line, column: column + 1, excerpt: excerptOf(lineText, column) };
}

/** The UTF-16 index of line `line` and column `column`, both counted from 0. */
export function indexOf(text: string, line: number, column: number): number {
  let start = 0;
  let left = line;
  for (const match of text.matchAll(LINE_END)) {
    if (left === 0) break;
    start = match.index + match[0].length;
    left--;
  }
  return start + column;
}

/** The UTF-16 index of byte `byteAt` of the UTF-8 form of `text`. */
export function indexOfByte(text: string, byteAt: number): number {
  return Buffer.from(text).toString("utf8", 0, Math.max(byteAt, 0)).length;
}

/** The line, cut around the column when it is long, and a caret below the column. Tabs stay tabs. */
function excerptOf(lineText: string, column: number): string {
  const from = Math.max(0, Math.min(column - EXCERPT_CHARS_MAX / 2, lineText.length - EXCERPT_CHARS_MAX));
  const shown = lineText.slice(from, from + EXCERPT_CHARS_MAX);
  const before = shown.slice(0, column - from).replace(/[^\t]/g, " ");
  return `${shown}\n${before}^`;
}
