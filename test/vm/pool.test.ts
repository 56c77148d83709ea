// The pool as the bridge uses it: slices, restores, evictions.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { VmPool } from "../../src/vm/port.ts";
import { openTestPool, TestRun } from "./support/guest.ts";

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool.close());

test("R-005 an evicted run goes on from its chain with the same state", async () => {
  const run = new TestRun(pool);
  await run.start("let sum = 0; for (let i = 0; i < 3; i++) sum += await host.next(i); return sum");
  await run.fulfil(run.calls[0], 10);
  run.forget();
  const report = await run.fulfil(run.calls[0], 20);
  expect(report.restored).toBe(true);
  await run.fulfil(run.calls[0], 12);
  expect(run.result).toBe("42");
});
