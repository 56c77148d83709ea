// Random children with random requests on random budgets, settled in random orders: what was spent never passes a
// limit, but by what answers exceed their own reservation.

import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openRegistry } from "../../src/registry/open.ts";
import type { Registry } from "../../src/registry/port.ts";
import { Purse } from "../../src/swarm/purse.ts";
import { startRun } from "../suites/registry/builders.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp.ts";

const SEED = 20261130;
const CASES = 200;

interface Request {
  input: number;
  output: number;
  min: number;
  /** Of what was granted: what the answer uses. Above 1: more than its reservation. */
  share: number;
  /** Turns of the event loop before it is sent, and until it is answered. */
  before: number;
  during: number;
}

interface Case {
  run: number;
  group: number;
  children: { own: number | undefined; requests: Request[] }[];
}

function cases(shareMax: number): fc.Arbitrary<Case> {
  const request = fc.record({
    input: fc.integer({ min: 0, max: 200 }),
    output: fc.integer({ min: 1, max: 400 }),
    min: fc.integer({ min: 1, max: 60 }),
    share: fc.double({ min: 0, max: shareMax, noNaN: true }),
    before: fc.nat(3),
    during: fc.nat(4),
  });
  const own = fc.option(fc.integer({ min: 1, max: 800 }), { nil: undefined });
  const child = fc.record({ own, requests: fc.array(request, { minLength: 1, maxLength: 4 }) });
  const limit = fc.integer({ min: 1, max: 3_000 });
  return fc.record({ run: limit, group: limit, children: fc.array(child, { minLength: 1, maxLength: 8 }) });
}

async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** Plays one case; gives the tokens that answers used beyond their reservations, and the refusals. */
async function play(registry: Registry, number: number, given: Case): Promise<{ excess: number; refused: number }> {
  const clock = new ManualClock();
  const purse = new Purse({ registry, clock });
  const run = await startRun(registry, number, { budget: { tokens: given.run }, groupBudget: { tokens: given.group } });
  const ids = given.children.map(({ own }) =>
    run.spawn({ options: own === undefined ? {} : { budget: { tokens: own } } }),
  );
  await run.commit();
  let excess = 0;
  let refused = 0;
  const live = given.children.map(async ({ own, requests }, index) => {
    const child = await registry.childForRun(ids[index] ?? "");
    if (!child) throw new Error("no child");
    const mine = purse.forAttempt(child, new AbortController().signal);
    let used = 0;
    let beyond = 0;
    for (const { input, output, min, share, before, during } of requests) {
      await pause(before);
      const outputTokensMin = Math.min(min, output);
      const estimate = { inputTokens: input, outputTokens: output, outputTokensMin, price: undefined };
      const reservation = await mine.reserve(estimate).catch(() => undefined);
      if (!reservation) {
        refused += 1;
        return;
      }
      const granted = reservation.outputTokensMax ?? 0;
      expect(granted).toBeGreaterThanOrEqual(outputTokensMin);
      await pause(during);
      const usage = { inputTokens: input, outputTokens: Math.round(granted * share) };
      used += usage.inputTokens + usage.outputTokens;
      beyond += Math.max(usage.outputTokens - granted, 0);
      excess += Math.max(usage.outputTokens - granted, 0);
      await reservation.settle({ usage, costUsd: 0 });
      if (own !== undefined) expect(used).toBeLessThanOrEqual(own + beyond);
      const { tokens = 0 } = (await registry.runSpending(run.runId)) ?? {};
      expect(tokens).toBeLessThanOrEqual(Math.min(given.run, given.group) + excess);
    }
  });
  await Promise.all(live);
  return { excess, refused };
}

async function check(shareMax: number, excessful: boolean): Promise<void> {
  const registry = await openRegistry({ dataDir: tempDir(), clock: new ManualClock() });
  onTestFinished(() => registry.close());
  let number = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(cases(shareMax), async (given) => {
      number += 1;
      const played = await play(registry, number, given);
      refused += played.refused;
      if (!excessful) expect(played.excess).toBe(0);
    }),
    { numRuns: CASES, seed: SEED },
  );
  // Limits that nobody meets would show nothing.
  expect(refused).toBeGreaterThan(CASES / 4);
}

test("B-005 S-019 concurrent children never pass a budget when answers keep to their reservations", async () => {
  await check(1, false);
}, 120_000);

test("B-005 a budget is passed by no more than what answers exceed their own reservations", async () => {
  await check(1.5, true);
}, 120_000);
