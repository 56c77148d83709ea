// What other orchestrators pay twice or wait for badly, shown here on one runtime with a ledger of every
// attempt: a lost program, a moved directory, a respawned agent, a polling owner, a parked wait.

import { renameSync } from "node:fs";
import { expect, test } from "vitest";
import type { Caller } from "../../src/runtime/api.ts";
import { openRuntime } from "../../src/runtime/open.ts";
import { testSettings } from "../support/settings.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

const STEPS = `
  const out = [];
  const add = (text) => out.push(text + out.length);
  for (const name of ["a", "b", "c"]) add(await agents.run(name));
  return out.join();`;

function prompts(world: World): string[] {
  return world.hand.ledger.map(({ prompt }) => prompt);
}

async function answer(world: World, ...names: string[]): Promise<void> {
  for (const name of names) (await world.hand.started(name)).done(name.toUpperCase());
}

async function untilTurn(world: World, runId: string, turn: number): Promise<void> {
  const look = async (): Promise<number> => (await world.runtime.run(OPERATOR, runId)).turn;
  await expect.poll(look, { timeout: 30_000 }).toBeGreaterThanOrEqual(turn);
}

test("B-029 R-004 a run whose directory was moved goes on in the middle: the agents before it are not asked again", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(STEPS);
  await answer(world, "a", "b");
  await world.hand.started("c");
  await world.runtime.close();
  const moved = `${world.dataDir}-moved`;
  renameSync(world.dataDir, moved);
  const { hand, clock } = world;
  const runtime = await openRuntime(testSettings(moved), { clock, runners: [hand] });
  try {
    await answer(world, "c");
    expect((await runtime.runEnded(OPERATOR, runId)).result).toBe("A0,B1,C2");
    expect(prompts(world)).toEqual(["a", "b", "c", "c"]);
  } finally {
    await runtime.close();
    renameSync(moved, world.dataDir);
  }
});

test("B-029 D-009 after a stop, the same script submitted again pays only for what was not done", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(STEPS);
  await answer(world, "a", "b");
  await world.hand.started("c");
  await world.runtime.stop(OPERATOR, runId);
  const again = await world.submit(STEPS, { reuse: runId });
  await expect.poll(() => prompts(world).length, { timeout: 30_000 }).toBe(4);
  await answer(world, "c");
  expect((await world.ended(again.runId)).result).toBe("A0,B1,C2");
  expect(prompts(world)).toEqual(["a", "b", "c", "c"]);
});

test("B-030 L2 an agent that died and was respawned answers the same call: nothing after it is run again", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(STEPS);
  await world.hand.started("a");
  await world.restart();
  await answer(world, "a", "b");
  await world.hand.started("c");
  await world.restart();
  await answer(world, "c");
  expect((await world.ended(runId)).result).toBe("A0,B1,C2");
  const attempts = world.hand.ledger.map(({ prompt, attempt, childId }) => [prompt, attempt, childId]);
  const idOf = (prompt: string): string => world.hand.ledger.find((work) => work.prompt === prompt)?.childId ?? "";
  expect(attempts).toEqual([
    ["a", 1, idOf("a")],
    ["a", 2, idOf("a")],
    ["b", 1, idOf("b")],
    ["c", 1, idOf("c")],
    ["c", 2, idOf("c")],
  ]);
  const again = await world.submit(STEPS, { reuse: runId });
  expect((await world.ended(again.runId)).result).toBe("A0,B1,C2");
  expect(prompts(world)).toHaveLength(5);
});

test("B-033 R-004 after a restart the program itself goes on: variables, closures and the loop that it is in", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(STEPS);
  await answer(world, "a");
  await untilTurn(world, runId, 2);
  for (const name of ["b", "c"]) {
    await world.restart();
    await answer(world, name);
  }
  const run = await world.ended(runId);
  expect([run.state, run.result]).toEqual(["done", "A0,B1,C2"]);
  const types = (await world.runtime.eventsAfter(OPERATOR, 0, runId, 100)).map(({ type }) => type);
  expect(types.filter((type) => type === "run.created")).toHaveLength(1);
});

test("B-034 L8 a run that waits takes no turn and asks no model until what it waits for is there", async () => {
  const world = await openWorld();
  const script = `const children = ["a", "b"].map((name) => agents.spawn(name));
    const { completed } = await agents.wait(children.map((child) => child.runId));
    return completed.length;`;
  const { runId } = await world.submit(script);
  await world.hand.untilOpen(2);
  const owner = world.runtime.wait(OPERATOR, [runId], 600);
  let answers = 0;
  void owner.then(() => (answers += 1));
  world.clock.advance(500_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect([(await world.runtime.run(OPERATOR, runId)).turn, world.hand.ledger.length, answers]).toEqual([1, 2, 0]);
  await answer(world, "a");
  expect((await owner).completed.map(({ runId: id, result }) => [id, result])).toEqual([[runId, "1"]]);
  expect([(await world.runtime.run(OPERATOR, runId)).turn, answers]).toEqual([2, 1]);
});

test("B-035 L11 far more runs and agents wait than there are places: another run is done at once", async () => {
  const world = await openWorld({ swarm: { maxConcurrent: 1, maxSpawnDepth: 2 }, maxConcurrentGlobal: 2 });
  const waiting = [];
  for (let number = 0; number < 40; number += 1) waiting.push(await world.submit("await sleep(3600000); return 1;"));
  for (const { runId } of waiting) await untilTurn(world, runId, 1);
  const { hot } = world.runtime.health().vm;
  expect(hot).toBeLessThanOrEqual(8);
  expect((await world.run("return 2;")).result).toBe(2);
  // One place in the group's lane: a child that waits for its own child gives it on.
  const { runId } = await world.runtime.spawn(OPERATOR, { task: "parent", collect: true, groupId: "g" });
  await world.hand.started("parent");
  const asChild: Caller = { sessionKey: `child:${runId}`, operator: false, childId: runId };
  const inner = await world.runtime.spawn(asChild, { task: "inner", collect: true, groupId: "g" });
  const waited = world.runtime.wait(asChild, [inner.runId], 60);
  await answer(world, "inner");
  expect((await waited).completed.map(({ result }) => result)).toEqual(["INNER"]);
  await answer(world, "parent");
  world.clock.advance(3_600_000);
  for (const run of waiting) expect((await world.ended(run.runId)).result).toBe(1);
});
