// A vitest reporter that ends a run with one plain line, `N passed, M failed`, for people and programs
// that read only the end. Errors outside of any test, and files that cannot run, count as failed.

import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    console.log(closingLine(modules, errors.length));
  }
}

function closingLine(modules: readonly TestModule[], errorCount: number): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
  const suites = modules.flatMap((module) => [...module.children.allSuites(), module]);
  const broken = suites.filter((suite) => suite.errors().length > 0).length;
  const line = `${count("passed")} passed, ${count("failed") + broken + errorCount} failed`;
  return count("skipped") > 0 ? `${line}, ${count("skipped")} skipped` : line;
}
