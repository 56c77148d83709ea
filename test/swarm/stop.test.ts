import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";

test("S-016 stopping a run cancels its children; queued ones never start and have no start time", async () => {
  const world = await openWorld({ swarm: { maxConcurrent: 1 } });
  const run = await world.submit(`await Promise.all([agents.run("runs"), agents.run("queues")]);`);
  const running = await world.hand.started("runs");
  const stopped = await world.runtime.stop(OPERATOR, run.runId, "enough");
  expect(stopped).toEqual({ stopped: run.runId, cancelledChildren: 2 });
  expect(running.work.signal.aborted).toBe(true);
  expect(await world.ended(run.runId)).toMatchObject({ state: "killed", error: { code: "run_stopped" } });
  const { rows } = await world.runtime.children(OPERATOR, { runId: run.runId }, {});
  expect(rows.map((row) => [row.prompt, row.status, row.startedAt === undefined])).toEqual([
    ["runs", "killed", false],
    ["queues", "killed", true],
  ]);
  expect(world.hand.ledger).toHaveLength(1);
});

test("S-016 I-005 stopping what has ended is refused as wrong_state and changes nothing", async () => {
  const world = await openWorld();
  const run = await world.run("return 1;");
  await expect(world.runtime.stop(OPERATOR, run.runId)).rejects.toMatchObject({ code: "wrong_state" });
  expect(await world.runtime.run(OPERATOR, run.runId)).toMatchObject({ state: "done", result: 1 });
});

test("S-016 a run that completes leaves children it spawned and did not await running", async () => {
  const world = await openWorld();
  const run = await world.run(`agents.spawn("background").result.catch(() => {}); return "done";`);
  expect(run.state).toBe("done");
  const background = await world.hand.started("background");
  background.done("later");
  const answer = await world.runtime.wait(OPERATOR, [background.work.childId], 30);
  expect(answer.completed[0]).toMatchObject({ status: "done", result: "later" });
});

test("S-016 with cancelUnawaited such children are cancelled", async () => {
  const world = await openWorld({ swarm: { cancelUnawaited: true } });
  const run = await world.run(`agents.spawn("background").result.catch(() => {}); return "done";`);
  const { rows } = await world.runtime.children(OPERATOR, { runId: run.runId }, {});
  const answer = await world.runtime.wait(
    OPERATOR,
    rows.map((row) => row.runId),
    30,
  );
  expect(answer.completed[0]).toMatchObject({ status: "killed" });
  expect(await world.runtime.run(OPERATOR, run.runId)).toMatchObject({ state: "done", result: "done" });
});

test("S-016 stopping one child answers its script with status killed and the reason", async () => {
  const world = await openWorld();
  const run = await world.submit(`try { await agents.run("victim"); } catch (e) { return [e.status, e.message]; }`);
  const started = await world.hand.started("victim");
  await world.runtime.stop(OPERATOR, started.work.childId, "wrong task");
  expect((await world.ended(run.runId)).result).toEqual(["killed", expect.stringContaining("wrong task")]);
});

test("S-016 a script that spins can be stopped", async () => {
  const world = await openWorld();
  const run = await world.submit(`await agents.run("then spin"); for (;;) {}`);
  (await world.hand.started("then spin")).done("go");
  await world.runtime.wait(
    OPERATOR,
    (await world.runtime.children(OPERATOR, {}, {})).rows.map((row) => row.runId),
    30,
  );
  await world.runtime.stop(OPERATOR, run.runId);
  expect(await world.ended(run.runId)).toMatchObject({ state: "killed" });
  expect(await world.run("return 'neighbour';")).toMatchObject({ result: "neighbour" });
});

test("S-017 a group is archived as one batch after its minutes, and only a summary is kept", async () => {
  const world = await openWorld({ swarm: { archiveAfterMinutes: 60 } });
  const run = await world.submit(`return await agents.run("a");`);
  const child = await world.hand.started("a");
  child.done("A");
  await world.ended(run.runId);
  world.clock.advance(59 * 60_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect((await world.runtime.wait(OPERATOR, [child.work.childId], 1)).completed).toHaveLength(1);
  for (let minute = 0; minute < 3; minute++) {
    world.clock.advance(60_000);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  const { group } = await world.runtime.group(OPERATOR, run.groupId);
  expect(group.archivedAt).toBeGreaterThan(0);
  expect(group.summary).toContain("1");
  expect((await world.runtime.wait(OPERATOR, [child.work.childId], 1)).errors).toEqual([
    { runId: child.work.childId, error: "not_found" },
  ]);
});

test("G-015 a run that waits on nothing is failed as deadlock at once", async () => {
  const world = await openWorld();
  const run = await world.run(`await new Promise(() => {});`);
  expect(run).toMatchObject({ state: "failed", error: { code: "deadlock" } });
});

test("G-015 an unhandled rejection fails the run even when nobody awaits it", async () => {
  const world = await openWorld();
  const run = await world.submit(
    `(async () => { await agents.run("a"); throw new Error("nobody listens"); })(); await sleep("1h"); return 1;`,
  );
  (await world.hand.started("a")).done("A");
  expect(await world.ended(run.runId)).toMatchObject({
    state: "failed",
    error: { code: "unhandled_rejection", message: expect.stringContaining("nobody listens") },
  });
});

test("D-010 S-018 the detail of a run counts every child that did not end well, with its label and reason", async () => {
  const world = await openWorld();
  const run = await world.submit(
    `await Promise.allSettled([agents.run("ok"), agents.run("bad", { label: "the bad one" })]); return "finished";`,
  );
  await world.hand.untilOpen(2);
  (await world.hand.started("ok")).done("fine");
  (await world.hand.started("bad")).end({ status: "failed", error: "no luck", retryable: false });
  await world.ended(run.runId);
  const { census } = await world.runtime.runDetail(OPERATOR, run.runId);
  expect(census).toMatchObject({ done: 1, failed: 1, killed: 0, timeout: 0, schema: 0 });
  expect(census.problems).toEqual([
    { runId: expect.any(String), label: "the bad one", status: "failed", reason: "no luck" },
  ]);
});
