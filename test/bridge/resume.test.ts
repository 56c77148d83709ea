// A run that is forgotten between its turns goes on as if nothing had been: what the controller knows is
// in the snapshot (L1, L2).

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { childIdOf } from "../../src/contract/ids.ts";
import { callOf, childError, ok, openTestHost, resultOf, TestRun } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

test("G-005 G-007 R-005 everything that waits survives an eviction before every turn", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    `const seen = [];
     const c = new AbortController();
     const s = agents.session("sys");
     const one = s.send("one"), two = s.send("two");
     const child = agents.spawn("child", { key: "k", label: "L" });
     const gone = agents.run("gone", { signal: c.signal }).catch((e) => e.message);
     seen.push(await one);
     seen.push(agents.spawn("again", { key: "k" }) === child);
     c.abort(new Error("stop"));
     seen.push(await gone, await two);
     try { await child.result } catch (e) { seen.push(e.name, e.status, e.stack.includes(":5:")) }
     return [seen, budget.spent(), child.runId];`,
  );
  expect(first.calls).toHaveLength(6);
  run.evict();
  const second = await run.answer(ok(2, "1", { inputTokens: 3, outputTokens: 4, costUsd: 0 }));
  expect(second.restored).toBe(true);
  expect(callOf(second.calls, "agentSpawn").args.prompt).toBe("two");
  expect(callOf(second.calls, "agentCancel").args.reason).toBe("Error: stop");
  run.evict();
  const third = await run.answer(ok(callOf(second.calls, "agentWait").callId, "2"));
  expect(third.outcome).toBeNull();
  run.evict();
  const last = await run.answer(childError(4, { status: "killed" }));
  expect(last.restored).toBe(true);
  expect(resultOf(last)).toEqual([
    ["1", true, "stop", "2", "SwarmAgentError", "killed", true],
    7,
    childIdOf(run.runId, 3),
  ]);
});

test("G-013 two resumes of one snapshot do not repeat a random stream, nor do two runs", async () => {
  const script =
    "const a = [Math.random(), Math.random()]; await sleep(1); return [...a, Math.random(), Math.random()];";
  const run = new TestRun(host);
  await run.start(script);
  run.evict();
  const first = resultOf(await run.answer(ok(1, null))) as number[];
  run.reports.pop();
  run.evict();
  const second = resultOf(await run.answer(ok(1, null))) as number[];
  expect(second.slice(0, 2)).toEqual(first.slice(0, 2));
  expect(second.slice(2)).not.toEqual(first.slice(2));
  const otherRun = new TestRun(host);
  await otherRun.start(script);
  const other = resultOf(await otherRun.answer(ok(1, null))) as number[];
  expect(other[0]).not.toBe(first[0]);
  for (const value of [...first, ...second, ...other]) {
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThan(1);
  }
});

test("G-013 Math.random is spread evenly", async () => {
  const run = new TestRun(host);
  const report = await run.start(
    "const bins = new Array(10).fill(0); for (let i = 0; i < 20000; i++) bins[Math.floor(Math.random() * 10)]++; return bins;",
  );
  const bins = resultOf(report) as number[];
  // 2,000 expected; five standard deviations are about 212.
  for (const bin of bins) expect(Math.abs(bin - 2_000)).toBeLessThan(212);
});

test("G-008 a sleep holds nothing: the run goes on from its snapshot when it is due", async () => {
  const run = new TestRun(host);
  await run.start('let n = 0; for (const t of ["1h", "2d"]) { await sleep(t); n++; } return n;');
  for (const id of [1, 2]) {
    run.evict();
    await run.answer(ok(id, null));
  }
  expect(resultOf(run.report)).toBe(2);
});
