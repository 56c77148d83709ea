import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";

test("R-004 R-001 after a restart running children run again with the next attempt, and finished ones never", async () => {
  const world = await openWorld();
  const run = await world.submit(`return (await Promise.all(["a", "b"].map((p) => agents.run(p)))).join("+");`);
  await world.hand.untilOpen(2);
  (await world.hand.started("a")).done("A");
  await world.runtime.wait(
    OPERATOR,
    (await world.runtime.children(OPERATOR, { runId: run.runId }, {})).rows.map((row) => row.runId),
    30,
  );
  await world.restart();
  const again = await world.hand.started("b");
  expect(again.work.attempt).toBe(2);
  again.done("B");
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: "A+B" });
  expect(world.hand.ledger.map((work) => work.prompt)).toEqual(["a", "b", "b"]);
});

test("R-004 queued children keep their order over a restart", async () => {
  const world = await openWorld({ swarm: { maxConcurrent: 1 } });
  const run = await world.submit(`return (await Promise.all(["a", "b", "c"].map((p) => agents.run(p)))).join("");`);
  await world.hand.started("a");
  await world.restart();
  for (const prompt of ["a", "b", "c"]) {
    const started = await world.hand.started(prompt);
    expect(world.hand.open.size).toBe(1);
    started.done(prompt);
  }
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: "abc" });
});

test("R-004 G-002 a child whose call said onRestart fail is not run again; the script sees why", async () => {
  const world = await openWorld();
  const run = await world.submit(
    `try { await agents.run("pay once", { onRestart: "fail" }); } catch (e) { return [e.status, e.code]; }`,
  );
  await world.hand.started("pay once");
  await world.restart();
  expect((await world.ended(run.runId)).result).toEqual(["failed", "child_interrupted"]);
  expect(world.hand.ledger).toHaveLength(1);
});

test("G-008 a two-hour sleep survives a restart with its remaining time", async () => {
  const world = await openWorld();
  const run = await world.submit(
    `const before = now(); await sleep("2h"); return Math.round((now() - before) / 60000);`,
  );
  while ((await world.runtime.runDetail(OPERATOR, run.runId)).pending.length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  world.clock.advance(3_600_000);
  await world.restart();
  expect((await world.runtime.run(OPERATOR, run.runId)).state).toBe("waiting");
  world.clock.advance(3_600_000 - 1);
  expect((await world.runtime.run(OPERATOR, run.runId)).state).toBe("waiting");
  world.clock.advance(1);
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: 120 });
});

test("G-008 a clock set forward wakes a sleeper, and one set backward wakes nobody early", async () => {
  const world = await openWorld();
  const run = await world.submit(`await sleep("1h"); return "awake";`);
  while ((await world.runtime.runDetail(OPERATOR, run.runId)).pending.length === 0)
    await new Promise((resolve) => setImmediate(resolve));
  world.clock.jump(-24 * 3_600_000);
  world.clock.advance(3_600_000 + 1);
  expect((await world.runtime.run(OPERATOR, run.runId)).state).toBe("waiting");
  world.clock.jump(24 * 3_600_000);
  world.clock.advance(60_000);
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: "awake" });
});

test("G-005 a session is durable between two sends, and its history reaches the next child", async () => {
  const world = await openWorld();
  const run = await world.submit(`
    const chat = agents.session("You are brief.");
    const first = await chat.send("one");
    const second = await chat.send("two");
    chat.close();
    return [first, second];`);
  const one = await world.hand.started("one");
  expect(one.work.session).toMatchObject({ system: "You are brief.", history: [] });
  one.done("1");
  await world.hand.started("two");
  await world.restart();
  const two = await world.hand.started("two");
  expect(two.work.session?.history).toEqual([
    { role: "user", text: "one" },
    { role: "assistant", text: "1" },
  ]);
  two.done("2");
  expect((await world.ended(run.runId)).result).toEqual(["1", "2"]);
});

test("L12 R-004 steps that an attempt stored come back in the next one", async () => {
  const world = await openWorld();
  const run = await world.submit(`return await agents.run("four steps");`);
  const first = await world.hand.started("four steps");
  await first.work.recordStep({ step: 1 });
  await first.work.recordStep({ step: 2 });
  await world.restart();
  const second = await world.hand.started("four steps");
  expect(second.work.steps).toEqual([{ step: 1 }, { step: 2 }]);
  second.done("finished");
  expect((await world.ended(run.runId)).result).toBe("finished");
});
