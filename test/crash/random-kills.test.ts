import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import type { Violation } from "./support/checker.ts";
import { jobsFrom } from "./support/jobs.ts";
import { sideBySide } from "./support/side-by-side.ts";
import { Supervisor } from "./support/supervisor.ts";

const SEED = 20261130;
/** 500; more by the environment, for a long night. */
const KILLS = Number(process.env.QUICKSWARM_KILLS ?? 500);
/** Supervisors side by side, one for each core that is meant. */
const WIDTH = 2;
/** Runs that are kept under way, and new ones in any case: those that were resumed at a crash wait for a while. */
const LOAD_RUNS = 8;
const NEW_RUNS_MIN = 2;
const KILL_AFTER_READY_MS = { min: 5, max: 80 };
/** Now and then a process lives long enough to try what was resumed at an earlier crash. */
const LONG_LIFE_MS = { min: 1_000, max: 1_500 };
const SHORT_LIVES = 24;
/** One kill in so many falls on a process that is still starting. */
const BOOT_KILL_EVERY = 10;
const BOOT_KILL_MS = { min: 1, max: 400 };
const SUITE_MS = 1_800 * KILLS + 300_000;

interface Figures {
  kills: number;
  killsAtStart: number;
  submits: number;
  completions: number;
  attempts: number;
  /** Attempts that the runner had finished, whose answer the process did not live to record. */
  paidTwice: number;
  quarantines: number;
  violations: Violation[];
  complaints: string[];
}

interface Blow {
  afterReadyMs: number;
  atStartMs: number | undefined;
}

const blows = fc.record({
  afterReadyMs: fc.oneof(
    { weight: SHORT_LIVES, arbitrary: fc.integer(KILL_AFTER_READY_MS) },
    { weight: 1, arbitrary: fc.integer(LONG_LIFE_MS) },
  ),
  atStart: fc.integer({ min: 1, max: BOOT_KILL_EVERY }),
  atStartMs: fc.integer(BOOT_KILL_MS),
});

function planned(seed: number, count: number): Blow[] {
  const drawn = fc.sample(blows, { seed, numRuns: count });
  return drawn.map(({ afterReadyMs, atStart, atStartMs }) => ({
    afterReadyMs,
    atStartMs: atStart === 1 ? atStartMs : undefined,
  }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.setTimer(ms, resolve));
}

async function killAgainAndAgain(seed: number, count: number, plant?: string): Promise<Figures> {
  const supervisor = new Supervisor();
  let [jobs, killsAtStart] = [0, 0];
  for (const blow of planned(seed, count)) {
    const ready = supervisor.start({ plant });
    if (blow.atStartMs !== undefined) await Promise.race([ready, pause(blow.atStartMs)]);
    else if (await ready) {
      const missing = Math.max(LOAD_RUNS - supervisor.unfinished, NEW_RUNS_MIN);
      supervisor.submit(...jobsFrom(jobs, missing));
      jobs += missing;
      await pause(blow.afterReadyMs);
    }
    if (blow.atStartMs !== undefined) killsAtStart += 1;
    await supervisor.host?.kill();
    await ready;
  }
  await supervisor.start({ plant });
  supervisor.submit();
  await supervisor.release();
  const stored = await supervisor.finish(plant === undefined ? undefined : 5_000);
  if (!stored) throw new Error("the host died although nobody killed it");
  const violations = supervisor.check(stored);
  await supervisor.host?.kill();
  const { ledger, acknowledged, complaints, quarantines } = supervisor;
  const finished = ledger.filter((line) => line.what === "finish");
  return {
    kills: count,
    killsAtStart,
    submits: acknowledged.submits.size,
    completions: acknowledged.children.length,
    attempts: ledger.filter((line) => line.what === "start").length,
    paidTwice: finished.length - new Set(finished.map(({ child }) => child)).size,
    quarantines,
    violations,
    complaints,
  };
}

test(
  "R-001 R-002 R-004 L1 L3 L12 500 times kill -9 at a random moment under load: nothing acknowledged is lost, nothing completed runs again, nothing is stuck",
  async () => {
    const seeds = Array.from({ length: WIDTH }, (_, index) => SEED + index);
    const all = await sideBySide(WIDTH, seeds, (seed) => killAgainAndAgain(seed, KILLS / WIDTH));
    const sum = (pick: (figures: Figures) => number): number =>
      all.reduce((total, figures) => total + pick(figures), 0);
    console.log(
      `seed ${SEED}: ${sum((f) => f.kills)} kills (${sum((f) => f.killsAtStart)} of a process that was starting), ` +
        `${sum((f) => f.submits)} submits and ${sum((f) => f.completions)} completions acknowledged, ` +
        `${sum((f) => f.attempts)} attempts started, ${sum((f) => f.paidTwice)} finished and run again because their answer was not recorded, ` +
        `${sum((f) => f.quarantines)} runs quarantined, ${sum((f) => f.violations.length)} violations`,
    );
    expect(all.flatMap(({ violations, complaints }) => [...violations, ...complaints])).toEqual([]);
    expect(sum((figures) => figures.kills)).toBe(KILLS);
    expect(sum((figures) => figures.completions)).toBeGreaterThan(KILLS);
  },
  SUITE_MS,
);

test("kills at random find a registry that forgets attempts", async () => {
  const { violations } = await killAgainAndAgain(SEED, 12, "forgetsAttempt");
  expect(violations.map(({ rule }) => rule)).toContain("attempt run twice");
});
