import { expect, test } from "vitest";
import type { Caller } from "../../src/runtime/api.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

const ALICE: Caller = { sessionKey: "alice", operator: false };
const MALLORY: Caller = { sessionKey: "mallory", operator: false };

test("S-001 S-011 three collectors spawned from outside are waited for to the drain, first completion first", async () => {
  const world = await openWorld();
  const ids: string[] = [];
  for (const task of ["a", "b", "c"]) {
    const accepted = await world.runtime.spawn(ALICE, { task, collect: true });
    expect(accepted).toMatchObject({ status: "accepted", sessionKey: "alice", groupId: "swarm:alice:main" });
    ids.push(accepted.runId);
  }
  const order: string[] = [];
  for (const name of ["b", "c", "a"]) {
    const open = ids.filter((_, index) => !order.includes(["a", "b", "c"][index] ?? ""));
    const waiting = world.runtime.wait(ALICE, open, 30);
    (await world.hand.started(name)).done(name.toUpperCase());
    const answer = await waiting;
    expect(answer.completed.map((record) => record.result)).toEqual([name.toUpperCase()]);
    order.push(name);
  }
  expect((await world.runtime.wait(ALICE, ids, 30)).completed).toHaveLength(3);
});

test("S-011 B-037 a time-out answers with no completion and says what each pending child is doing", async () => {
  const world = await openWorld({ swarm: { maxConcurrent: 1 } });
  const first = await world.runtime.spawn(ALICE, { task: "runs", collect: true, label: "one" });
  const second = await world.runtime.spawn(ALICE, { task: "queues", collect: true });
  await world.hand.started("runs");
  const waiting = world.runtime.wait(ALICE, [first.runId, second.runId], undefined);
  await new Promise((resolve) => setImmediate(resolve));
  world.clock.advance(30_000);
  expect(await waiting).toMatchObject({
    completed: [],
    pending: [first.runId, second.runId],
    pendingDetail: [
      { status: "running", label: "one", attempts: 1 },
      { status: "queued", attempts: 0 },
    ],
  });
});

test("S-011 a longer time-out than waitTimeoutSecondsMax is capped", async () => {
  const world = await openWorld({ swarm: { waitTimeoutSecondsMax: 60 } });
  const { runId } = await world.runtime.spawn(ALICE, { task: "long", collect: true });
  const waiting = world.runtime.wait(ALICE, [runId], 86_400);
  await world.hand.started("long");
  world.clock.advance(60_000);
  expect((await waiting).pending).toEqual([runId]);
});

test("S-013 S-014 unknown and foreign ids answer the same entry, and a completed id answers again", async () => {
  const world = await openWorld();
  const { runId } = await world.runtime.spawn(ALICE, { task: "mine", collect: true });
  (await world.hand.started("mine")).done("secret");
  await world.runtime.wait(ALICE, [runId], 30);
  expect((await world.runtime.wait(ALICE, [runId], 30)).completed[0]?.result).toBe("secret");
  const unknown = "agt_00000000000000000000000000000000_1";
  const answer = await world.runtime.wait(MALLORY, [runId, unknown], 30);
  expect(answer.completed).toEqual([]);
  expect(answer.errors).toEqual([
    { runId, error: "not_found" },
    { runId: unknown, error: "not_found" },
  ]);
  await expect(world.runtime.stop(MALLORY, runId)).rejects.toMatchObject({ code: "not_found" });
});

test("S-011 a run's id can be waited for like a child's", async () => {
  const world = await openWorld();
  const run = await world.submit(`return { answer: 42 };`);
  const { completed } = await world.runtime.wait(OPERATOR, [run.runId], 30);
  expect(completed).toMatchObject([{ runId: run.runId, status: "done", structured: { answer: 42 } }]);
});

test("S-009 a child is a leaf unless nesting is configured", async () => {
  const world = await openWorld();
  const { runId } = await world.runtime.spawn(ALICE, { task: "parent", collect: true });
  await world.hand.started("parent");
  const asChild: Caller = { sessionKey: `child:${runId}`, operator: false, childId: runId };
  await expect(world.runtime.spawn(asChild, { task: "nested", collect: true })).rejects.toMatchObject({
    code: "spawn_depth_limit",
    message: expect.stringContaining("maxSpawnDepth"),
  });
});

test("S-007 S-009 B-036 a parent that waits for its nested children holds no place in the lane", async () => {
  const world = await openWorld({ maxConcurrentGlobal: 1, swarm: { maxConcurrent: 1, maxSpawnDepth: 2 } });
  const { runId } = await world.runtime.spawn(ALICE, { task: "parent", collect: true });
  const parent = await world.hand.started("parent");
  const asChild: Caller = { sessionKey: `child:${runId}`, operator: false, childId: runId };
  const nested = await world.runtime.spawn(asChild, { task: "nested", collect: true });
  const waiting = world.runtime.wait(asChild, [nested.runId], 30);
  (await world.hand.started("nested")).done("inner");
  expect((await waiting).completed[0]?.result).toBe("inner");
  parent.done("outer");
  expect((await world.runtime.wait(ALICE, [runId], 30)).completed[0]?.result).toBe("outer");
});

test("S-015 a waiter is woken within one turn of the event loop after the commit", async () => {
  const world = await openWorld();
  const { runId } = await world.runtime.spawn(ALICE, { task: "quick", collect: true });
  const started = await world.hand.started("quick");
  let woken = false;
  const waiting = world.runtime.wait(ALICE, [runId], 30).then(() => {
    woken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  started.done("now");
  let turns = 0;
  while ((await world.runtime.children(ALICE, {}, {})).rows[0]?.status !== "done")
    await new Promise((resolve) => setImmediate(resolve));
  while (!woken) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await waiting;
  expect(turns).toBeLessThanOrEqual(1);
});

test("S-011 S-015 a wait that is open when the gateway closes answers at once with what is pending", async () => {
  const world = await openWorld();
  const { runId } = await world.runtime.spawn(ALICE, { task: "long", collect: true });
  const run = await world.submit("return await agents.run('inner');");
  await world.hand.started("long");
  await world.hand.started("inner");
  const waiting = world.runtime.wait(ALICE, [runId], 600);
  const ending = world.runtime.runEnded(OPERATOR, run.runId);
  await new Promise((resolve) => setImmediate(resolve));
  await world.runtime.close();
  expect(await waiting).toMatchObject({ completed: [], pending: [runId] });
  expect(await ending).toMatchObject({ runId: run.runId, state: "waiting" });
});
