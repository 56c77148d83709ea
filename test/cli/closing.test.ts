import { expect, test } from "vitest";
import { closingText, refusalOf, runExitCode } from "../../src/cli/closing.ts";
import { waitExitCode } from "../../src/cli/commands/wait.ts";
import { faultText, reportFailure } from "../../src/cli/failure.ts";
import { printOutcome } from "../../src/cli/follow.ts";
import { fault } from "../../src/contract/fault.ts";
import type { ChildStatus } from "../../src/contract/records.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { fakeIo, fakeOutput } from "./support/fake-io.ts";
import { childRecord, EMPTY_CENSUS, NO_CHILDREN, runDetail, runRecord } from "./support/records.ts";

const { paint } = fakeOutput();

function context(json: boolean) {
  const io = fakeIo();
  const load = () => Promise.reject(new Error("not needed"));
  return { io, clock: new ManualClock(), cwd: ".", json, url: undefined, load };
}

test("D-010 a run whose children all succeeded closes as done with the count", () => {
  const text = closingText(runDetail({ census: { ...EMPTY_CENSUS, done: 12 } }), paint);
  expect(text).toMatch(/^done in 4\.2s, 12 children: 12 done {2}run_0+$/);
});

const deadCensus = {
  ...EMPTY_CENSUS,
  done: 9,
  failed: 1,
  killed: 1,
  schema: 1,
  problems: [
    { runId: "agt_1", label: "reader-1", status: "failed" as const, reason: "no answer" },
    { runId: "agt_2", status: "killed" as const, reason: "stopped" },
    { runId: "agt_3", label: "reader-3", status: "failed" as const, reason: "age: must be number" },
  ],
};

test("D-010 a run with dead children is never closed as simply done, and each is named with its reason", () => {
  const text = closingText(runDetail({ census: deadCensus }), paint);
  expect(text.split("\n")[0]).toContain("done, but not every child succeeded");
  expect(text).toContain("12 children: 9 done, 1 failed, 1 without a valid answer, 1 killed");
  for (const part of ["reader-1 failed: no answer", "agt_2 killed: stopped", "reader-3 failed: age: must be number"]) {
    expect(text).toContain(part);
  }
});

test("D-010 the closing words name a bounded number of children and say how many more there are", () => {
  const problems = Array.from({ length: 500 }, (_, index) => ({
    runId: `agt_${index}`,
    status: "failed" as const,
    reason: "x",
  }));
  const text = closingText(runDetail({ census: { ...EMPTY_CENSUS, failed: 500, problems } }), paint);
  expect(text.split("\n").length).toBeLessThan(15);
  expect(text).toContain("… and 490 more");
});

test("D-010 the closing words count children that have not ended and never call such a run simply done", () => {
  const run = runRecord({ children: { ...NO_CHILDREN, running: 1, queued: 2 } });
  const text = closingText(runDetail({ run }), paint);
  expect(text).toMatch(
    /^done, but not every child has ended in 4\.2s, 3 children: 1 still running, 2 still queued {2}run_/,
  );
});

test("D-013 a script's own refusal is its result and is shown as such", () => {
  const detail = runDetail({ run: runRecord({ result: { error: "no documents given" } }) });
  expect(closingText(detail, paint)).toContain("done, the script returned an error");
  expect(closingText(detail, paint)).toContain("no documents given");
  expect(refusalOf({ error: { code: 3 } })).toBe('{"code":3}');
  for (const result of [undefined, null, "error", [], {}, { error: null }, { error: false }]) {
    expect(refusalOf(result)).toBeUndefined();
  }
});

test("I-003 the result alone goes to stdout, everything else to stderr", () => {
  const given = context(false);
  expect(printOutcome(given, runDetail({ run: runRecord({ result: { found: 3 } }) }))).toBe(0);
  expect(JSON.parse(given.io.out.text())).toEqual({ found: 3 });
  expect(given.io.err.text()).toContain("done in 4.2s");
});

test("I-003 D-010 --json prints run, census and error as one document", () => {
  const error = { code: "script_error" as const, message: "boom", next: "Catch it." };
  const given = context(true);
  const detail = runDetail({ run: runRecord({ state: "failed", error }), census: deadCensus });
  expect(printOutcome(given, detail)).toBe(1);
  expect(JSON.parse(given.io.out.text())).toEqual({ run: detail.run, census: deadCensus, error });
  expect(given.io.err.text()).toBe("");
});

test("I-005 a failed run prints its fault with place and excerpt on stderr and nothing on stdout", () => {
  const place = { file: "review.js", line: 3, column: 5, excerpt: "  boom()\n    ^" };
  const error = { code: "script_error" as const, message: "boom", next: "Catch it.", place };
  const given = context(false);
  printOutcome(given, runDetail({ run: runRecord({ state: "failed", error }) }));
  expect(given.io.out.text()).toBe("");
  expect(given.io.err.text()).toContain(
    "error[script_error]: boom\n  at review.js:3:5\n  |   boom()\n  |     ^\nnext: Catch it.\n",
  );
});

test("I-003 the exit code follows the outcome", () => {
  const failed = (code: string) => runRecord({ state: "failed", error: { code, message: "", next: "" } });
  expect(runExitCode(runRecord())).toBe(0);
  expect(runExitCode(runRecord({ state: "killed" }))).toBe(7);
  expect(runExitCode(failed("script_error"))).toBe(1);
  expect(runExitCode(failed("snapshot_damaged"))).toBe(5);
  expect(runExitCode(runRecord({ state: "quarantined" }))).toBe(1);
});

test.each([
  [["done"], 0, false, 0],
  [["done"], 3, false, 0],
  [["done"], 3, true, 75],
  [[], 1, false, 75],
  [["done", "failed"], 0, true, 1],
  [["timeout"], 0, false, 1],
  [["killed"], 0, false, 7],
] as [ChildStatus[], number, boolean, number][])(
  "I-003 wait with %j complete, %i pending, --all %s exits with %i",
  (statuses, pending, all, exitCode) => {
    const completed = statuses.map((status) => childRecord({ status }));
    const left = Array.from({ length: pending }, (_, index) => `agt_${index}`);
    expect(waitExitCode({ completed, pending: left, pendingDetail: [], errors: [] }, all)).toBe(exitCode);
  },
);

test("I-003 wait with an unknown id exits with 3", () => {
  const errors = [{ runId: "run_x", error: "not_found" as const }];
  expect(waitExitCode({ completed: [childRecord()], pending: [], pendingDetail: [], errors }, false)).toBe(3);
});

test("I-005 a fault is printed with its code, message and what to do next, and gives its exit code", () => {
  const io = fakeIo();
  expect(reportFailure(io, false, fault("not_found", "there is no run run_x"))).toBe(3);
  expect(io.out.text()).toBe("");
  expect(io.err.text()).toMatch(/^error\[not_found\]: there is no run run_x\nnext: .*quickswarm ls.*\n$/);
});

test("I-005 with --json the fault is the one document on stdout", () => {
  const io = fakeIo();
  expect(reportFailure(io, true, fault("child_limit", "too many", { details: { limit: 50 } }))).toBe(4);
  expect(JSON.parse(io.out.text())).toEqual({
    error: { code: "child_limit", message: "too many", next: expect.any(String), details: { limit: 50 } },
  });
  expect(io.err.text()).toBe("");
});

test("I-005 an error that is no fault is internal and exits with 70", () => {
  const io = fakeIo();
  expect(reportFailure(io, false, new TypeError("x is not a function"))).toBe(70);
  expect(io.err.text()).toContain("error[internal]");
});

test("I-005 a place that the message begins with is printed once, and stays in the document of --json", () => {
  const place = { file: "migrate.ts", line: 3, column: 1 };
  const told = fault("script_syntax", "migrate.ts:3:1: TypeScript enum", { place, next: "n" });
  expect(faultText(told, paint)).toBe("error[script_syntax]: TypeScript enum\n  at migrate.ts:3:1\nnext: n");
  const io = fakeIo();
  reportFailure(io, true, told);
  expect(JSON.parse(io.out.text()).error.message).toBe("migrate.ts:3:1: TypeScript enum");
});

test("I-005 terminal commands inside a fault's message are escaped", () => {
  const text = faultText({ code: "script_error", message: "a\u001b[2Jb", next: "n" }, paint);
  expect(text).toContain("a\\u001b[2Jb");
});
