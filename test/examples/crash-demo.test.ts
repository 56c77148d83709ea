// examples/crash-demo.js with the gateway closed and opened again while its agents work.

import { expect, test } from "vitest";
import { detailOf, offlineWorld, runExample, submitExample, until } from "../support/examples.ts";

const EXPECTED = {
  children: 20,
  answeredOnce: 20,
  answeredMoreThanOnce: [],
  unanswered: [],
  first: "an agent",
  generatorClosed: true,
};

test("crash-demo.js gives the same answer on every offline model that answers", async () => {
  const world = await offlineWorld();
  const results = [];
  for (const model of ["offline:echo", "offline:echo@0ms"]) {
    results.push((await runExample(world, "examples/crash-demo.js", { model })).result);
  }
  expect(results[0]).toEqual({ ...EXPECTED, checksum: expect.stringMatching(/^[0-9a-f]{8}$/) });
  expect(results[1]).toEqual(results[0]);
});

test("R-004 L12 after three restarts in its middle, each agent has answered once and the result is the same", async () => {
  const world = await offlineWorld();
  const calm = await runExample(world, "examples/crash-demo.js");
  const { runId } = await submitExample(world, "examples/crash-demo.js", { model: "offline:slow@1000ms" });
  const children = async () => (await detailOf(world, runId)).run.children;
  const running = () => until("agents are running", async () => (await children()).running > 0);
  let seen = 0;
  for (let restart = 1; restart <= 3; restart++) {
    await running();
    const already = seen;
    await until("another agent has answered", async () => {
      world.clock.advance(10);
      seen = (await children()).done;
      return seen > already;
    });
    await running();
    await world.restart();
  }
  const ended = world.ended(runId);
  await until("the run has ended", async () => {
    world.clock.advance(50);
    return (await detailOf(world, runId)).run.state !== "waiting" && (await children()).done === 21;
  });
  expect((await ended).result).toEqual(calm.result);
  const attempts = (await detailOf(world, runId)).children.map((child) => child.attempts);
  expect(attempts).toHaveLength(21);
  expect(Math.max(...attempts)).toBeGreaterThan(1);
});

test("R-001 no agent of the restarted run is created or completed twice", async () => {
  const world = await offlineWorld();
  const { runId } = await submitExample(world, "examples/crash-demo.js", { model: "offline:slow@1000ms" });
  const done = async () => (await detailOf(world, runId)).run.children.done;
  await until("half of the agents have answered", async () => {
    world.clock.advance(10);
    return (await done()) >= 10;
  });
  await world.restart();
  await until("all have answered", async () => {
    world.clock.advance(10);
    return (await done()) === 21;
  });
  await world.ended(runId);
  const events = await world.runtime.eventsAfter({ sessionKey: "operator", operator: true }, 0, runId, 1_000);
  const idsOf = (type: string) =>
    events.flatMap((event) => (event.type === type && "childId" in event ? event.childId : []));
  expect(idsOf("child.spawned")).toHaveLength(21);
  expect(idsOf("child.ended")).toHaveLength(21);
  expect(new Set(idsOf("child.ended")).size).toBe(21);
});
