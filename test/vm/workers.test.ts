// Worker threads: what ends one, what that costs the others, and that nothing is left behind (L7).

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VmPool } from "../../src/vm/port.ts";
import { tempDir } from "../support/temp.ts";
import { FROM_GUEST, TO_GUEST } from "./support/controller.ts";
import { LIMITS, openTestPool, TestRun } from "./support/guest.ts";

/** Natives that never ask whether to stop. */
const UNREACHABLE = "const all = []; all.length = 2 ** 32 - 1; all.includes(3);";
const SHORT = { ...LIMITS, timeoutMs: 100 };

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool({ workerCount: 1, hotVmsMax: 4 });
});
afterAll(() => pool.close());

test("C-007 a native that no interrupt reaches is ended by the watchdog, and its neighbours go on", async () => {
  const neighbour = new TestRun(pool);
  await neighbour.start("let n = await host.a(); n += await host.b(); return n");
  const before = pool.stats().terminated;
  const bad = new TestRun(pool);
  bad.limits = SHORT;
  const ended = bad.start(UNREACHABLE);
  const waiting = neighbour.fulfil(neighbour.calls[0], 40);
  await expect(ended).rejects.toMatchObject({
    code: "turn_timeout",
    message: "The script ran for more than 100 ms in one turn.",
  });
  expect((await waiting).restored).toBe(true);
  expect(pool.stats().terminated).toBe(before + 1);
  await neighbour.fulfil(neighbour.calls[0], 2);
  expect(neighbour.result).toBe("42");
});

test("C-007 a thread whose own heap is full costs the slice in it and no other", async () => {
  const neighbour = new TestRun(pool);
  await neighbour.start("return 1 + (await host.a())");
  const bad = new TestRun(pool);
  bad.limits = { ...LIMITS, timeoutMs: 50_000, maxOutputBytes: 2 ** 40, maxMessages: 2 ** 40 };
  const ended = bad.start('const text = "€".repeat(1e6); for (;;) host.call(text);');
  const waiting = neighbour.fulfil(neighbour.calls[0], 1);
  await expect(ended).rejects.toMatchObject({ code: "guest_crashed" });
  expect((await waiting).restored).toBe(true);
  expect(neighbour.result).toBe("2");
});

test("S-016 interrupt ends the slice in flight and no other", async () => {
  const spinning = new TestRun(pool);
  const other = new TestRun(pool);
  await other.start("return 1 + (await host.a())");
  const ended = spinning.start("for (;;);");
  const waiting = other.fulfil(other.calls[0], 1);
  pool.interrupt(spinning.runId);
  await expect(ended).rejects.toMatchObject({ code: "run_stopped" });
  await waiting;
  expect(other.result).toBe("2");
});

test("S-016 interrupt takes a waiting slice out of the queue without ending the worker", async () => {
  const first = new TestRun(pool);
  const second = new TestRun(pool);
  const before = pool.stats().terminated;
  const running = first.start("let n = 0; for (let i = 0; i < 1e6; i++) n += i; return n");
  const waiting = second.start("return 2");
  pool.interrupt(second.runId);
  await expect(waiting).rejects.toMatchObject({ code: "run_stopped" });
  await running;
  expect(first.result).toBe("499999500000");
  expect(pool.stats().terminated).toBe(before);
});

test("S-016 interrupt of a run that has no slice in flight changes nothing", async () => {
  const run = new TestRun(pool);
  await run.start("return await host.a()");
  pool.interrupt(run.runId);
  expect((await run.fulfil(run.calls[0], 5)).restored).toBe(false);
  expect(run.result).toBe("5");
});

test("R-006 the least recently used VMs are let go of above the limit", async () => {
  const runs = Array.from({ length: 6 }, () => new TestRun(pool));
  for (const run of runs) await run.start("return await host.a()");
  expect(pool.stats().hot).toBe(4);
  const restored: boolean[] = [];
  for (const run of [...runs].reverse()) restored.push((await run.fulfil(run.calls[0], 1)).restored);
  expect(restored).toEqual([false, false, false, false, true, true]);
  expect(pool.stats().hot).toBe(0);
});

test("R-002 a VM whose turn was not committed goes on from the turn before", async () => {
  const run = new TestRun(pool);
  await run.start("let n = 0; for (;;) n += await host.next(n)");
  await run.fulfil(run.calls[0], 1);
  const call = run.calls[0];
  const { runId, limits, chain } = run;
  const deliveries = [{ op: TO_GUEST.fulfil, id: call?.id ?? 0, a: "10", b: "" }];
  const request = { runId, turn: 3, deliveries, chain: async () => chain, limits, nowMs: 0 };
  const lost = await pool.slice(request);
  const again = await pool.slice(request);
  expect(lost.restored).toBe(false);
  expect(again.restored).toBe(true);
  expect(again.messages).toEqual(lost.messages);
});

test("R-002 one run has one slice at a time", async () => {
  const run = new TestRun(pool);
  const first = run.start("return 1");
  await expect(run.start("return 2")).rejects.toMatchObject({ code: "internal" });
  await first;
});

test("a fault of the registry while a chain is read is passed on, and the run can try again", async () => {
  const run = new TestRun(pool);
  await run.start("return await host.a()");
  run.forget();
  const { runId, limits } = run;
  const deliveries = [{ op: TO_GUEST.fulfil, id: 1, a: "3", b: "" }];
  const chain = () => Promise.reject(new RangeError("disk"));
  await expect(pool.slice({ runId, turn: 2, deliveries, chain, limits, nowMs: 0 })).rejects.toMatchObject({
    code: "internal",
  });
  await run.fulfil(run.calls[0], 3);
  expect(run.result).toBe("3");
});

test("two workers run two slices at the same time", async () => {
  const pair = await openTestPool({ workerCount: 2 });
  const spinning = new TestRun(pair);
  const ended = spinning.start("for (;;);");
  const other = new TestRun(pair);
  await other.start("return 7");
  expect(other.result).toBe("7");
  expect(pair.stats().workers).toBe(2);
  pair.interrupt(spinning.runId);
  await expect(ended).rejects.toMatchObject({ code: "run_stopped" });
  await pair.close();
});

test("C-007 scripts that compute for long do not hold up another, hot or new, for their whole time", async () => {
  const one = await openTestPool({ workerCount: 1 });
  const hot = new TestRun(one);
  await hot.start("return 1 + (await host.a())");
  const spinning = Array.from({ length: 4 }, () => new TestRun(one));
  const ended = Promise.allSettled(spinning.map((run) => run.start("for (;;);")));
  const fresh = new TestRun(one);
  await Promise.all([hot.fulfil(hot.calls[0], 1), fresh.start("return 3")]);
  expect([hot.result, fresh.result]).toEqual(["2", "3"]);
  expect(one.stats().workers).toBe(5);
  for (const run of spinning) one.interrupt(run.runId);
  expect((await ended).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
  await new TestRun(one).start("return 4");
  expect(one.stats().workers).toBe(1);
  await one.close();
});

test("L7 close ends what is in flight and what waits, and the pool takes nothing more", async () => {
  const closing = await openTestPool();
  const running = new TestRun(closing).start("for (;;);");
  const waiting = new TestRun(closing).start("return 1");
  const compiling = closing.compile({ text: "1", language: "js", fileName: "a.js" });
  const ended = Promise.allSettled([running, waiting, compiling]);
  await closing.close();
  const codes = (await ended).map((one) => (one.status === "rejected" ? one.reason.code : one.value));
  expect(codes).toEqual(["storage_closed", "storage_closed", "storage_closed"]);
  await expect(new TestRun(closing).start("return 1")).rejects.toMatchObject({ code: "storage_closed" });
  expect(closing.stats().workers).toBe(0);
});

test("L7 a process that opened a pool, ran a slice and closed it ends by itself", () => {
  const program = join(tempDir(), "ends.mjs");
  const floor = new URL("../../dist/", import.meta.url);
  writeFileSync(
    program,
    `import { openVmPool } from "${new URL("vm/pool.js", floor).href}";
     import { systemClock } from "${new URL("contract/clock.js", floor).href}";
     const pool = await openVmPool({ controller: "(bridge) => () => 0", reseedOp: 3, finalOps: [], macKey: new Uint8Array(32),
       workerCount: 1, hotVmsMax: 1, image: async () => undefined, clock: systemClock });
     await pool.slice({ runId: "run_1", turn: 1, deliveries: [], chain: async () => [], limits: ${JSON.stringify(LIMITS)}, nowMs: 0 });
     await pool.close();
     console.log("closed");`,
  );
  const done = spawnSync(process.execPath, [fileURLToPath(new URL(`file://${program}`))], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect(done.stdout).toBe("closed\n");
  expect(done.status).toBe(0);
});

test("a controller that does not boot is refused with what it said", async () => {
  const opened = openTestPool({ controller: "(function () { throw new TypeError('no') })" });
  await expect(opened).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("no") });
});

test("a final message ends the VM: nothing is stored and nothing stays hot", async () => {
  const run = new TestRun(pool);
  const hot = pool.stats().hot;
  const report = await run.start("return 1");
  expect(report.messages.map(({ op }) => op)).toEqual([FROM_GUEST.result]);
  expect(report.snapshot).toBe(null);
  expect(pool.stats().hot).toBe(hot);
});

test("C-007 a guest that ended in time is not timed out because the thread that waits for it was held up", async () => {
  const run = new TestRun(pool);
  run.limits = SHORT;
  await new TestRun(pool).start("return 'the worker is up'");
  const before = pool.stats().terminated;
  // Timers come first after this phase of the event loop, messages of the worker behind them.
  await new Promise((resolve) => setImmediate(resolve));
  const done = run.start("return 7");
  const until = performance.now() + 1_000;
  while (performance.now() < until);
  await done;
  expect(run.result).toBe("7");
  expect(pool.stats().terminated).toBe(before);
});
