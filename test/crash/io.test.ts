import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import type { Violation } from "./support/checker.ts";
import { type Job, jobOf } from "./support/jobs.ts";
import { sideBySide } from "./support/side-by-side.ts";
import { Supervisor } from "./support/supervisor.ts";
import { CALLS, type Call, countCalls, evenly, injecting, watching, whyNoTracer } from "./support/tracer.ts";

const WIDTH = 2;
const SUITE_MS = 600_000;
const SCENARIOS = ["chain", "drained", "dialog", "growing", "stepped", "cancelled"];
/** Kills in each scenario, for each kind of call. */
const KILLS = { pwrite64: 8, fdatasync: 4, fsync: 4 };
/** Failing calls of each kind and error, over all of it. */
const FAILURES = 10;
/** Calls that fail one after the other, in every second case. */
const FAILURES_IN_A_ROW = 4;

interface Case {
  call: Call;
  at: number;
}

interface Outcome extends Case {
  violations: Violation[];
  complaints: string[];
  refusals: { key: string; code: string }[];
  died: boolean;
}

/** How many calls of each kind the jobs need from the start of the process to the end of all. */
async function callsOf(jobs: Job[]): Promise<Record<Call, number>> {
  const logFile = join(tempDir(), "calls");
  const supervisor = new Supervisor();
  await supervisor.start({ paced: false, wrapper: watching(logFile) });
  supervisor.submit(...jobs);
  const stored = await supervisor.finish();
  expect(stored && supervisor.check(stored)).toEqual([]);
  await supervisor.close();
  return countCalls(logFile);
}

/** One call goes wrong; what dies or refuses to start is started again. Everything must end as it would have. */
async function endure(jobs: Job[], one: Case, wrapper: string[]): Promise<Outcome> {
  const supervisor = new Supervisor();
  await supervisor.start({ paced: false, wrapper });
  supervisor.submit(...jobs);
  let stored = await supervisor.finish();
  const died = stored === undefined;
  if (died) {
    await supervisor.host?.death;
    await supervisor.start({ paced: false });
    supervisor.submit();
    stored = await supervisor.finish();
  }
  if (!stored) throw new Error("the host died although nothing went wrong");
  const violations = supervisor.check(stored);
  await supervisor.close();
  const { complaints, refusals } = supervisor;
  return { ...one, violations, complaints, refusals, died };
}

/** Evenly spread over the calls that there are; and how many that were. */
function spread(counts: Record<Call, number>, most: Record<Call, number>): Case[] {
  return CALLS.flatMap((call) => evenly(counts[call], most[call]).map((at) => ({ call, at })));
}

const total = (counts: Record<Call, number>): number => CALLS.reduce((sum, call) => sum + counts[call], 0);
const wrong = (outcomes: Outcome[]): unknown[] =>
  outcomes.filter(({ violations, complaints }) => violations.length > 0 || complaints.length > 0);

const reason = whyNoTracer();
if (reason !== undefined) {
  test("kills and errors at single system calls are not shown here: strace is missing or may not trace", () => {
    expect(reason).toMatch(/strace/);
  });
} else {
  describe("at single system calls", () => {
    test.each(SCENARIOS)(
      "R-002 R-004 L1 killed at writes and syncs of the scenario %s, it resumes to the same result",
      async (kind) => {
        const jobs = [jobOf(kind, 1)];
        const counts = await callsOf(jobs);
        const cases = spread(counts, KILLS);
        const outcomes = await sideBySide(WIDTH, cases, (one) =>
          endure(jobs, one, injecting(one.call, "signal=KILL", `${one.at}`)),
        );
        const killed = outcomes.filter(({ died }) => died).length;
        console.log(`${kind}: ${killed} of ${cases.length} kills took effect, at ${total(counts)} writes and syncs`);
        expect(wrong(outcomes)).toEqual([]);
        expect(killed).toBeGreaterThan(cases.length / 2);
      },
      SUITE_MS,
    );

    test(
      "R-002 L1 L6 a write or sync that fails with EIO or ENOSPC is committed later or refused with storage_*, and work goes on",
      async () => {
        const jobs = SCENARIOS.map((kind) => jobOf(kind, 1));
        const counts = await callsOf(jobs);
        // Evenly over all of it, the start of the process included.
        const few = { pwrite64: FAILURES, fdatasync: FAILURES, fsync: FAILURES };
        const cases = spread(counts, few).flatMap((one, index) => {
          const last = index % 2 === 0 ? one.at : one.at + FAILURES_IN_A_ROW - 1;
          const errors = one.call === "pwrite64" ? (["error=EIO", "error=ENOSPC"] as const) : (["error=EIO"] as const);
          return errors.map((error) => ({ ...one, wrapper: injecting(one.call, error, `${one.at}..${last}`) }));
        });
        const outcomes = await sideBySide(WIDTH, cases, ({ wrapper, ...one }) => endure(jobs, one, wrapper));
        const refusals = outcomes.flatMap((outcome) => outcome.refusals);
        console.log(
          `${cases.length} failing calls of ${total(counts)}: ${refusals.length} refusals, ` +
            `${outcomes.filter(({ died }) => died).length} starts refused and repeated`,
        );
        expect(wrong(outcomes)).toEqual([]);
        expect(refusals.filter(({ code }) => !code.startsWith("storage_"))).toEqual([]);
      },
      SUITE_MS,
    );
  });
}
