// Which promised behaviours are shown by which tests: the acceptance lists joined with the titles of
// the tests that vitest runs. A skipped test shows nothing; with a report, neither does one that did not pass.

import { type Acceptance, acceptanceOf } from "./acceptance.ts";
import { importsOf, resolveImport } from "./imports.ts";
import { HOLE, idsOf, titlesOf } from "./titles.ts";
import type { SourceFile } from "./tokens.ts";

export interface ShownBy {
  file: string;
  /** With the titles of the describes around it. */
  title: string;
}

export interface ParityRow {
  id: string;
  status: "shown" | "open" | "waived";
  text: string;
  area: string;
  waived: string | undefined;
  tests: ShownBy[];
}

/** The outcome of one test as vitest reports it. */
export interface TestOutcome {
  /** Titles of the describes around it, then its own. */
  path: string[];
  passed: boolean;
}

interface CitingTest extends ShownBy {
  path: string[];
  ids: string[];
}

export function parityOf(files: readonly SourceFile[], outcomes?: readonly TestOutcome[]): ParityRow[] {
  const tests = citingTests(files);
  return acceptanceOf(files).map((entry) => rowOf(entry, tests, outcomes));
}

/** Reads the JSON that `vitest run --reporter=json` writes. Throws when it is something else. */
export function outcomesOf(reportText: string): TestOutcome[] {
  const report = JSON.parse(reportText) as { testResults?: { assertionResults: ReportedTest[] }[] };
  if (!Array.isArray(report.testResults)) throw new Error("expected a vitest JSON report with testResults");
  return report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      path: [...ancestorTitles, title],
      passed: status === "passed",
    })),
  );
}

interface ReportedTest {
  ancestorTitles: string[];
  title: string;
  status: string;
}

function rowOf(entry: Acceptance, tests: readonly CitingTest[], outcomes?: readonly TestOutcome[]): ParityRow {
  const { id, text, area, waived } = entry;
  const citing = tests.filter((test) => test.ids.includes(id));
  const passed = outcomes === undefined || citing.every((test) => didPass(test, outcomes));
  const shown = citing.length > 0 && passed;
  const status = shown ? "shown" : waived !== undefined ? "waived" : "open";
  return { id, status, text, area, waived, tests: shown ? citing.map(({ file, title }) => ({ file, title })) : [] };
}

/** Whether the test ran, and passed each time that it ran (a suite runs once for each store). */
function didPass(test: CitingTest, outcomes: readonly TestOutcome[]): boolean {
  const patterns = test.path.map(patternOf);
  const runs = outcomes.filter(({ path }) => {
    const inner = path.slice(-patterns.length);
    return inner.length === patterns.length && patterns.every((pattern, depth) => pattern.test(inner[depth] ?? ""));
  });
  return runs.length > 0 && runs.every((run) => run.passed);
}

/** A title as written matches the title as run: holes and the signs of `each` stand for anything. */
function patternOf(title: string): RegExp {
  const fixed = title.split(new RegExp(`${HOLE}|%[a-zA-Z#$%]|\\$[\\w.]+`));
  return new RegExp(`^${fixed.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]*")}$`);
}

function citingTests(files: readonly SourceFile[]): CitingTest[] {
  return filesThatRun(files).flatMap((file) =>
    titlesOf(file).flatMap(({ kind, title, around, skipped }) => {
      if (kind !== "test" || title === undefined || skipped) return [];
      const path = [...around, title];
      const ids = path.flatMap((part) => idsOf(part));
      return ids.length === 0 ? [] : [{ file: file.path, title: path.join(" > "), path, ids }];
    }),
  );
}

/** The test files, and what in test/ they import: conformance suites hold tests too. */
function filesThatRun(files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.filter((file) => file.path.startsWith("test/")).map((file) => [file.path, file]));
  const reached = new Set([...byPath.keys()].filter((path) => path.endsWith(".test.ts")));
  for (const path of reached) {
    const file = byPath.get(path);
    for (const { specifier } of file ? importsOf(file) : []) {
      const target = resolveImport(path, specifier);
      if (target !== undefined && byPath.has(target)) reached.add(target);
    }
  }
  return [...reached].sort().flatMap((path) => byPath.get(path) ?? []);
}
