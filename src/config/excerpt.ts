// A line of a text with a caret below the place that is meant, short enough for a terminal (I-005).

/** Most characters of a line that are shown; a longer one is cut around the place. */
export const EXCERPT_CHARS_MAX = 100;

/** The line at `line` (from 1) with a caret under `column` (from 1); undefined when there is no such line. */
export function excerptAt(text: string, line: number, column: number): string | undefined {
  const source = text.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1];
  if (source === undefined) return undefined;
  const start = source.length <= EXCERPT_CHARS_MAX ? 0 : Math.max(0, column - 1 - EXCERPT_CHARS_MAX / 2);
  const shown = printable(source.slice(start, start + EXCERPT_CHARS_MAX));
  const before = start > 0 ? "…" : "";
  const after = start + EXCERPT_CHARS_MAX < source.length ? "…" : "";
  const caret = Math.max(0, Math.min(column - 1 - start, shown.length)) + before.length;
  return `${before}${shown}${after}\n${" ".repeat(caret)}^`;
}

/** Line and column, both from 1, of the character at `offset`. */
export function placeOfOffset(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** One character for one character, so that carets stay in place; nothing reaches a terminal as a command. */
function printable(text: string): string {
  return text.replace(/\t/g, " ").replace(/[\p{Cc}\p{Cf}]/gu, (bad) => "·".repeat(bad.length));
}
