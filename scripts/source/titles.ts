// The titles of the tests in a file, read without running it, and the acceptance ids they begin with.

import { codeOf, partnersOf, type SourceFile, type Token } from "./tokens.ts";

export interface TestTitle {
  file: string;
  line: number;
  /** Titles of the `describe`s around it, outermost first. */
  around: string[];
  /** As written; a hole of a template stands as `…`. Undefined when it is no literal. */
  title: string | undefined;
  kind: "test" | "describe";
  /** Its own modifier, or one around it, keeps it from running. */
  skipped: boolean;
}

/** A hole in a template title. */
export const HOLE = "…";

const OPENERS = new Map<string, TestTitle["kind"]>([
  ["test", "test"],
  ["it", "test"],
  ["describe", "describe"],
]);
const NOT_RUN = new Set(["skip", "todo", "skipIf", "runIf", "fails"]);
const WITH_TABLE = new Set(["each", "for", "skipIf", "runIf"]);
const MODIFIERS = new Set([...NOT_RUN, ...WITH_TABLE, "only", "concurrent", "sequential"]);

interface Open extends TestTitle {
  end: number;
}

export function titlesOf(file: SourceFile): TestTitle[] {
  const tokens = codeOf(file);
  const partners = partnersOf(tokens);
  const found: Open[] = [];
  tokens.forEach((token, index) => {
    const kind = token.kind === "word" ? OPENERS.get(token.text) : undefined;
    const before = tokens[index - 1]?.text;
    if (!kind || before === "." || before === "function") return;
    const call = callOf(tokens, partners, index);
    if (!call) return;
    const around = found.filter((other) => other.kind === "describe" && other.end > index);
    found.push({
      file: file.path,
      line: token.line,
      around: around.map((other) => other.title ?? HOLE),
      title: literalAt(tokens, partners, call.open + 1),
      kind,
      skipped: call.skipped || around.some((other) => other.skipped),
      end: partners[call.open] ?? index,
    });
  });
  return found.map(({ end: _end, ...title }) => title);
}

/** The acceptance ids a title begins with; numbers of laws (L1 to L12) may stand between them. */
export function idsOf(title: string): string[] {
  const front = /^(?:(?:[A-Z]-\d{3}|L\d{1,2})(?:[\s,:;]+|$))+/.exec(title)?.[0] ?? "";
  return front.match(/[A-Z]-\d{3}/g) ?? [];
}

/** Steps over `.each(…)`, `.concurrent` and the like to the `(` that holds the title. */
function callOf(
  tokens: readonly Token[],
  partners: readonly number[],
  index: number,
): { open: number; skipped: boolean } | undefined {
  let at = index + 1;
  let skipped = false;
  while (tokens[at]?.text === "." && tokens[at + 1]?.kind === "word") {
    const modifier = tokens[at + 1]?.text ?? "";
    if (!MODIFIERS.has(modifier)) return undefined;
    if (NOT_RUN.has(modifier)) skipped = true;
    const table = WITH_TABLE.has(modifier);
    at += 2;
    if (table && tokens[at]?.text === "(") at = (partners[at] ?? at) + 1;
    else if (table) at = templateEnd(tokens, partners, at) + 1;
  }
  return tokens[at]?.text === "(" ? { open: at, skipped } : undefined;
}

function literalAt(tokens: readonly Token[], partners: readonly number[], start: number): string | undefined {
  let at = start;
  let title = "";
  for (;;) {
    const token = tokens[at];
    if (token?.kind === "string") title += unescaped(token.text.slice(1, -1));
    else if (token?.kind === "template") {
      const end = templateEnd(tokens, partners, at);
      title += templateText(tokens, partners, at);
      at = end;
    } else return undefined;
    if (tokens[at + 1]?.text !== "+") return title;
    at += 2;
  }
}

function templateEnd(tokens: readonly Token[], partners: readonly number[], start: number): number {
  let at = start;
  while (tokens[at]?.text.endsWith("${")) at = partners[at] ?? at;
  return at;
}

function templateText(tokens: readonly Token[], partners: readonly number[], start: number): string {
  let at = start;
  let text = "";
  for (;;) {
    const piece = tokens[at]?.text ?? "";
    if (!piece.endsWith("${")) return text + unescaped(piece.slice(1, -1));
    text += unescaped(piece.slice(1, -2)) + HOLE;
    at = partners[at] ?? at;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(["'`\\$])/g, "$1");
}
