import fc from "fast-check";
import { expect, test } from "vitest";
import { submitRequestSchema } from "../../src/contract/api.ts";
import type { Clock } from "../../src/contract/clock.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import type { Runtime } from "../../src/runtime/api.ts";
import { openRuntime } from "../../src/runtime/open.ts";
import { HandRunner } from "../support/hand-runner.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { testSettings } from "../support/settings.ts";
import { tempDir } from "../support/temp.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

const SEED = 20261130;
const CASES = 40;
const SUITE_MS = 300_000;
const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Within this time a set clock is noticed. */
const NOTICED_MS = 30_000;
const QUIET_MS_MAX = 20_000;
/** Within a slice a script's own clock goes on with the machine's, which the test's does not. Less than any sleep. */
const SLICE_MS_MAX = 900;

/** Each waits by another way, and says how late it was when it came back. */
const SLEEPERS = [1_000, 90_000, 30 * 60_000, 2 * HOUR_MS, 25 * HOUR_MS].map((ms) => ({
  ms,
  script: `const due = now() + ${ms}; await sleep(${ms}); log("awake"); return now() - due;`,
}));
SLEEPERS.push({
  ms: HOUR_MS,
  script: `const h = agents.spawn("held"); const due = now() + ${HOUR_MS};
    const { completed } = await agents.wait([h.runId], { timeoutSeconds: ${HOUR_MS / 1000} });
    log("awake"); return completed.length === 0 ? now() - due : "somebody answered";`,
});

type Move = { advance: number } | { jump: number } | { restart: true };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ advance: fc.constantFrom(1_000, NOTICED_MS, 10 * 60_000, 2 * HOUR_MS) }),
    fc.record({ jump: fc.constantFrom(HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS) }),
    fc.record({ restart: fc.constant(true as const) }),
  ),
  { minLength: 3, maxLength: 12 },
);

/** Whatever is under way is over, and what is due has been answered. */
async function quiet(runtime: Runtime, clock: ManualClock, runIds: string[]): Promise<RunRecord[]> {
  for (const start = performance.now(); performance.now() - start < QUIET_MS_MAX; ) {
    await new Promise((resolve) => setImmediate(resolve));
    // What was armed for a moment that is past rings now.
    clock.advance(0);
    if (runtime.health().activeRuns > 0) continue;
    const details = await Promise.all(runIds.map((runId) => runtime.runDetail(OPERATOR, runId)));
    const busy = details.some(
      ({ run, pending }) =>
        run.state === "running" ||
        (run.state === "waiting" && pending.some((call) => (call.dueAt ?? Infinity) <= clock.now())),
    );
    if (!busy) return details.map(({ run, notes }) => ({ ...run, phase: notes.map(({ text }) => text).join() }));
  }
  throw new Error("a sleeper that is due is not woken");
}

/** Nobody wakes early, nobody oversleeps, nobody wakes twice. */
async function keepsTime(steps: Move[], seenBy: (clock: ManualClock) => Clock): Promise<void> {
  const dataDir = tempDir();
  const clock = new ManualClock(START_MS);
  const settings = testSettings(dataDir, { swarm: { archiveAfterMinutes: 0 } });
  const start = (): Promise<Runtime> => openRuntime(settings, { clock: seenBy(clock), runners: [new HandRunner()] });
  let runtime = await start();
  try {
    const runIds: string[] = [];
    for (const { script } of SLEEPERS) {
      runIds.push((await runtime.submit(OPERATOR, submitRequestSchema.parse({ script }))).run.runId);
    }
    await quiet(runtime, clock, runIds);
    const dues = SLEEPERS.map(({ ms }) => clock.now() + ms);
    let latest = clock.now();
    const total = steps.reduce((sum, step) => sum + ("jump" in step ? Math.abs(step.jump) : 0), 0);
    for (const step of [...steps, { advance: 26 * HOUR_MS + total }]) {
      if ("restart" in step) {
        await runtime.close();
        runtime = await start();
      } else if ("jump" in step) clock.jump(step.jump);
      else clock.advance(step.advance);
      latest = Math.max(latest, clock.now());
      clock.advance(NOTICED_MS);
      latest = Math.max(latest, clock.now());
      const runs = await quiet(runtime, clock, runIds);
      runs.forEach(({ state, result, phase }, index) => {
        const due = dues[index] ?? 0;
        const told = `sleeper ${SLEEPERS[index]?.ms} after ${JSON.stringify(step)}`;
        if (clock.now() >= due) expect(state, `${told} oversleeps`).toBe("done");
        if (latest < due) expect(state, `${told} is early`).toBe("waiting");
        if (state === "done") expect([phase, Number(result) >= -SLICE_MS_MAX], told).toEqual(["awake", true]);
      });
    }
  } finally {
    await runtime.close();
  }
}

async function holds(seenBy: (clock: ManualClock) => Clock, more = {}): Promise<void> {
  const property = fc.asyncProperty(moves, (steps) => keepsTime(steps, seenBy));
  await fc.assert(property, { seed: SEED, numRuns: CASES, ...more });
}

test(
  "G-008 R-004 clocks set forward and back by an hour or a day, between restarts, leave nobody asleep and wake nobody early or twice",
  async () => {
    await holds((clock) => clock);
    console.log(`seed ${SEED}: ${CASES} sequences of clock jumps over ${SLEEPERS.length} sleepers`);
  },
  SUITE_MS,
);

test("clock jumps find a runtime that counts on elapsed time", async () => {
  const byElapsedTime = (clock: ManualClock): Clock => ({
    now: () => START_MS + clock.monotonic(),
    monotonic: () => clock.monotonic(),
    setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
  });
  await expect(holds(byElapsedTime, { endOnFailure: true })).rejects.toThrow(/Property failed/);
});

test("R-004 a child's time-out does not grow when the clock is set back before a restart", async () => {
  const world = await openWorld();
  const run = await world.submit(
    `try { await agents.run("held", { timeoutMs: 600_000 }); } catch (e) { return e.status; }`,
  );
  await world.hand.started("held");
  world.clock.jump(-DAY_MS);
  await world.restart();
  await world.hand.started("held");
  world.clock.advance(600_000);
  expect((await world.ended(run.runId)).result).toBe("timeout");
});
