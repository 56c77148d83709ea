// What code may not say: types that are no types, silenced checks, tests that do not run, module mocks.
// Words in strings do not count, so that a test can plant them.

import { codeOf, type SourceFile, type Token, tokensOf } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

const SILENCERS = /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|(v8|c8|istanbul) ignore/;
const LOOSE_ENDS = /\b(TODO|FIXME|XXX|HACK)\b/;

export function silencedViolations(files: readonly SourceFile[]): Violation[] {
  return files.filter(isSource).flatMap((file) =>
    tokensOf(file).flatMap(({ kind, text, line }) => {
      const word = kind === "comment" ? (SILENCERS.exec(text) ?? LOOSE_ENDS.exec(text)) : null;
      return word ? [{ path: file.path, line, message: `a comment says ${word[0]}` }] : [];
    }),
  );
}

const BEFORE_A_TYPE = new Set([":", "<", "|", "&", "=", "=>", "as", "extends", "satisfies", "keyof"]);

/** The type `any`, written or made by a schema. The linter knows more forms; this holds without it. */
export function anyViolations(files: readonly SourceFile[]): Violation[] {
  return files.filter(isSource).flatMap((file) => {
    const tokens = codeOf(file);
    return tokens.flatMap((token, index) => {
      if (token.kind !== "word" || token.text !== "any") return [];
      const before = tokens[index - 1]?.text ?? "";
      const typed = BEFORE_A_TYPE.has(before) || (before === "," && insideAngles(tokens, index));
      const schema = before === "." && tokens[index - 2]?.text === "z";
      return typed || schema ? [{ path: file.path, line: token.line, message: "uses any" }] : [];
    });
  });
}

function insideAngles(tokens: readonly Token[], index: number): boolean {
  let depth = 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    const text = tokens[at]?.text ?? "";
    if (text === ">") depth += 1;
    if (text === "<" && depth === 0) return true;
    if (text === "<") depth -= 1;
    if ([";", "(", "[", "{"].includes(text)) return false;
  }
  return false;
}

const RUNNERS = new Set(["test", "it", "describe", "suite"]);
const NOT_ALWAYS_RUN = new Set(["skip", "only", "todo", "skipIf", "runIf", "fails"]);
const NEVER_RUN = new Set(["xit", "xtest", "xdescribe", "fit", "fdescribe"]);

/** Tests that do not run, run alone, or run again until they pass. */
export function skippedViolations(files: readonly SourceFile[]): Violation[] {
  return tests(files).flatMap((file) => {
    const tokens = codeOf(file);
    return tokens.flatMap((token, index) => {
      const next = tokens[index + 1];
      const refuse = (what: string): Violation[] => [{ path: file.path, line: token.line, message: `uses ${what}` }];
      if (NEVER_RUN.has(token.text) && next?.text === "(") return refuse(token.text);
      if (token.text === "retry" && next?.text === ":" && tokens[index + 2]?.kind === "number") return refuse("retry");
      if (token.text !== "." || next === undefined || !NOT_ALWAYS_RUN.has(next.text)) return [];
      const called = tokens[index + 2]?.text === "(";
      return chainStart(tokens, index) || (next.text === "skip" && called) ? refuse(`.${next.text}`) : [];
    });
  });
}

/** Whether the chain that ends before the dot at `dot` begins with a test runner: `test.concurrent.only`. */
function chainStart(tokens: readonly Token[], dot: number): boolean {
  let at = dot - 1;
  while (tokens[at - 1]?.text === ".") at -= 2;
  return RUNNERS.has(tokens[at]?.text ?? "");
}

const MOCKS = new Set(
  "mock doMock unmock unstable_mockModule spyOn hoisted stubGlobal stubEnv useFakeTimers importMock mocked".split(" "),
);

/** Real parts instead of mocks; time comes from test/support/manual-clock.ts. */
export function mockViolations(files: readonly SourceFile[]): Violation[] {
  return tests(files).flatMap((file) => {
    const tokens = codeOf(file);
    return tokens.flatMap((token, index) => {
      const owner = token.text === "vi" || token.text === "vitest" || token.text === "jest";
      const member = tokens[index + 2]?.text ?? "";
      if (!owner || tokens[index + 1]?.text !== "." || !MOCKS.has(member)) return [];
      return [{ path: file.path, line: token.line, message: `uses ${token.text}.${member}` }];
    });
  });
}

/** A test waits for an event or moves a manual clock; only test/support owns a real deadline. */
export function sleepViolations(files: readonly SourceFile[]): Violation[] {
  return tests(files)
    .filter((file) => !isUnder(file, "test/support/"))
    .flatMap((file) => {
      const timers = codeOf(file).filter((token) => ["setTimeout", "setInterval", "scheduler"].includes(token.text));
      return timers.map(({ text, line }) => ({ path: file.path, line, message: `uses ${text}` }));
    });
}

function tests(files: readonly SourceFile[]): SourceFile[] {
  return files.filter((file) => isSource(file) && isUnder(file, "test/"));
}
