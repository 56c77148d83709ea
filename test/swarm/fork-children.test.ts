// The children of a fork: run once, and nobody's but their own run's when one of the two ends.

import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";
import { eventually, fork, prompts, untilTurn } from "./fork-support.ts";

const PAIR = `
  const texts = await Promise.all(["a", "b"].map((name) => agents.run(name)));
  return texts.join("+");`;

test("R-008 a child that is still running is run once for the original and the fork", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(PAIR, { keepHistory: 5 });
  await world.hand.untilOpen(2);
  const forked = await fork(world, runId);
  expect(forked.children).toMatchObject({ queued: 2, running: 0 });
  (await world.hand.started("a")).done("A");
  (await world.hand.started("b")).done("B");
  expect([(await world.ended(runId)).result, (await world.ended(forked.runId)).result]).toEqual(["A+B", "A+B"]);
  expect(prompts(world)).toEqual(["a", "b"]);
});

test("R-008 L12 stopping the original leaves the fork its children, which go on by themselves; once for two forks", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(PAIR, { keepHistory: 5 });
  const [a] = await world.hand.untilOpen(2);
  await a?.work.recordStep({ text: "half" });
  const forks = [await fork(world, runId), await fork(world, runId)];
  await world.runtime.stop(OPERATOR, runId);
  await eventually(() => world.hand.open.size).toBe(2);
  await eventually(() => world.hand.ledger.length).toBe(4);
  const again = world.hand.ledger.slice(2);
  expect(again.map(({ prompt, attempt, steps }) => [prompt, attempt, steps])).toEqual([
    ["a", 2, [{ text: "half" }]],
    ["b", 2, []],
  ]);
  (await world.hand.started("a")).done("A");
  (await world.hand.started("b")).done("B");
  for (const forked of forks) expect((await world.ended(forked.runId)).result).toBe("A+B");
  expect(prompts(world)).toEqual(["a", "b", "a", "b"]);
});

test("R-008 a budget that cuts the original's agent does not cut the fork's, which goes on by itself", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(PAIR, { keepHistory: 5 });
  await world.hand.untilOpen(2);
  const forked = await fork(world, runId);
  (await world.hand.started("b")).done("B");
  const cut = { status: "failed", error: "spent", errorCode: "budget_exceeded", retryable: false } as const;
  (await world.hand.started("a")).end(cut);
  expect((await world.ended(runId)).state).toBe("failed");
  (await world.hand.started("a")).done("A");
  expect((await world.ended(forked.runId)).result).toBe("A+B");
  expect(prompts(world)).toEqual(["a", "b", "a"]);
});

test("R-008 S-016 stopping the fork leaves the original as it was", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(PAIR, { keepHistory: 5 });
  await world.hand.untilOpen(2);
  const forked = await fork(world, runId);
  expect(await world.runtime.stop(OPERATOR, forked.runId)).toMatchObject({ cancelledChildren: 2 });
  (await world.hand.started("a")).done("A");
  (await world.hand.started("b")).done("B");
  expect((await world.ended(runId)).result).toBe("A+B");
  expect((await world.runtime.run(OPERATOR, forked.runId)).state).toBe("killed");
});

test("R-008 a stopped run is gone on with by a fork: what was done is taken, what was killed runs again", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(PAIR, { keepHistory: 5 });
  await world.hand.untilOpen(2);
  (await world.hand.started("a")).done("A");
  await untilTurn(world, runId, 2);
  await world.runtime.stop(OPERATOR, runId);
  const forked = await fork(world, runId);
  (await world.hand.started("b")).done("B");
  expect((await world.ended(forked.runId)).result).toBe("A+B");
  expect(prompts(world)).toEqual(["a", "b", "b"]);
});

test("R-008 R-004 a fork that waits survives restarts, with the children it follows", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(PAIR, { keepHistory: 5 });
  await world.hand.untilOpen(2);
  const forked = await fork(world, runId);
  await world.restart();
  await world.hand.untilOpen(2);
  (await world.hand.started("a")).done("A");
  await untilTurn(world, forked.runId, 2);
  await world.runtime.stop(OPERATOR, runId);
  await eventually(() => prompts(world).length).toBe(5);
  await world.restart();
  (await world.hand.started("b")).done("B");
  expect((await world.ended(forked.runId)).result).toBe("A+B");
});
