// Two runs that go on from one snapshot are two runs: their random streams part (G-013, R-008).

import { afterAll, beforeAll, expect, test } from "vitest";
import type { VmPool } from "../../src/vm/port.ts";
import { openTestPool, TestRun } from "./support/guest.ts";

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool.close());

const DRAWING = "for (;;) await host.drew(Array.from({ length: 4 }, () => Math.random()))";

test("G-013 two goings-on from one snapshot do not repeat one random stream", async () => {
  const run = new TestRun(pool);
  await run.start(DRAWING);
  const parked = { turn: run.turn, chain: run.chain, calls: run.calls };
  const drawn: string[] = [];
  for (let fork = 0; fork < 4; fork++) {
    run.forget();
    Object.assign(run, parked);
    await run.fulfil(run.calls[0], 1);
    drawn.push(run.calls[0]?.json ?? "");
  }
  expect(new Set(drawn).size).toBe(4);
});

test("G-013 two fresh runs do not share a random stream", async () => {
  const drawn = new Set<string>();
  for (let i = 0; i < 4; i++) {
    const run = new TestRun(pool);
    await run.start(DRAWING);
    drawn.add(run.calls[0]?.json ?? "");
  }
  expect(drawn.size).toBe(4);
});

test("R-008 a fork goes its own way and leaves the other as it was", async () => {
  const run = new TestRun(pool);
  await run.start("const seen = []; for (;;) seen.push(await host.next(seen))");
  await run.fulfil(run.calls[0], "a");
  const parked = { turn: run.turn, chain: [...run.chain], calls: run.calls };
  await run.fulfil(run.calls[0], "left");
  run.forget();
  Object.assign(run, parked);
  await run.fulfil(run.calls[0], "right");
  expect(run.calls[0]?.json).toBe('[["a","right"]]');
});
