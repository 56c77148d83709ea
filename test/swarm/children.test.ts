import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";

test("G-001 R-001 agents.run resolves to the child's final text, and one call makes one child", async () => {
  const world = await openWorld();
  const run = await world.submit(`return await agents.run("say hello", { label: "greeter" });`);
  const started = await world.hand.started("say hello");
  expect(started.work.attempt).toBe(1);
  started.done("hello");
  const ended = await world.ended(run.runId);
  expect(ended).toMatchObject({ state: "done", result: "hello" });
  expect(world.hand.ledger).toHaveLength(1);
  const { rows } = await world.runtime.children(OPERATOR, { runId: run.runId }, {});
  expect(rows).toMatchObject([{ status: "done", result: "hello", label: "greeter", attempts: 1 }]);
});

test("S-007 maxConcurrent children of a group run; the rest start in the order of their spawns", async () => {
  const world = await openWorld({ swarm: { maxConcurrent: 2 } });
  const run = await world.submit(
    `return (await Promise.all(["a", "b", "c", "d"].map((p) => agents.run(p)))).join("");`,
  );
  for (const [open, next] of [
    ["a,b", "a"],
    ["b,c", "b"],
    ["c,d", "c"],
    ["d", "d"],
  ] as const) {
    await world.hand.started(open.split(",").at(-1) ?? "");
    expect([...world.hand.open.values()].map(({ work }) => work.prompt).join()).toBe(open);
    (await world.hand.started(next)).done(next.toUpperCase());
  }
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: "ABCD" });
});

test("S-008 a spawn over maxChildrenPerGroup is refused, naming the key and the numbers, and the script goes on", async () => {
  const world = await openWorld({ swarm: { maxChildrenPerGroup: 2 } });
  const run = await world.submit(`
    const settled = await Promise.allSettled([agents.run("a"), agents.run("b"), agents.run("c")]);
    const error = settled[2].reason;
    return { name: error.name, code: error.code, message: error.message, first: settled[0].value };`);
  await world.hand.untilOpen(2);
  for (const child of [...world.hand.open.values()]) child.done(child.work.prompt);
  const ended = await world.ended(run.runId);
  expect(ended.result).toMatchObject({ name: "SwarmAgentError", code: "child_limit", first: "a" });
  expect((ended.result as { message: string }).message).toMatch(/maxChildrenPerGroup.*2|2.*maxChildrenPerGroup/s);
  expect(world.hand.ledger).toHaveLength(2);
});

test("S-008 S-004 maxTotalPerGroup counts a group's whole life, over all turns of the run", async () => {
  const world = await openWorld({ swarm: { maxTotalPerGroup: 3 } });
  const run = await world.submit(`
    let spawned = 0;
    try { for (;;) { await agents.run("n" + spawned); spawned += 1; } }
    catch (error) { return { spawned, code: error.code, text: error.message }; }`);
  for (let i = 0; i < 3; i++) (await world.hand.started(`n${i}`)).done("ok");
  const ended = await world.ended(run.runId);
  expect(ended.result).toMatchObject({ spawned: 3, code: "group_total_limit" });
  expect((ended.result as { text: string }).text).toContain("maxTotalPerGroup");
  expect(ended.groupId).toBe(`swarm:operator:${run.runId}`);
});

test("G-004 a failed child rejects with a SwarmAgentError that carries its data", async () => {
  const world = await openWorld();
  const run = await world.submit(`
    try { await agents.run("doomed", { label: "d" }); }
    catch (e) { return { isError: e instanceof Error, name: e.name, message: e.message, runId: e.runId, status: e.status, label: e.label, attempts: e.attempts, text: e.text }; }`);
  const started = await world.hand.started("doomed");
  started.end({
    status: "failed",
    error: "the model refused",
    errorCode: "refusal",
    text: "partial",
    retryable: false,
  });
  const ended = await world.ended(run.runId);
  expect(ended.result).toEqual({
    isError: true,
    name: "SwarmAgentError",
    message: expect.stringContaining("the model refused"),
    runId: started.work.childId,
    status: "failed",
    label: "d",
    attempts: 1,
    text: "partial",
  });
});

test("D-011 G-002 a retryable failure is tried again inside the child, as often as the call allows", async () => {
  const world = await openWorld();
  const run = await world.submit(`return await agents.run("flaky", { retries: 2 });`);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const started = await world.hand.started("flaky");
    expect(started.work.attempt).toBe(attempt);
    started.end({ status: "failed", error: "connection reset", retryable: true });
    while (world.hand.ledger.length === attempt) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      world.clock.advance(100);
    }
  }
  (await world.hand.started("flaky")).done("third time");
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: "third time" });
  expect(world.hand.ledger.map((work) => work.attempt)).toEqual([1, 2, 3]);
});

test("G-002 S-012 a child over its timeoutMs ends as timeout and its work is aborted", async () => {
  const world = await openWorld();
  const run = await world.submit(
    `try { await agents.run("slow", { timeoutMs: 5000 }); } catch (e) { return [e.status, e.code]; }`,
  );
  const started = await world.hand.started("slow");
  world.clock.advance(5000);
  expect((await world.ended(run.runId)).result).toEqual(["timeout", "child_timeout"]);
  expect(started.work.signal.aborted).toBe(true);
});

test("B-038 an empty final text is a failure, not an answer", async () => {
  const world = await openWorld();
  const run = await world.submit(`try { await agents.run("say nothing"); } catch (e) { return [e.status, e.code]; }`);
  (await world.hand.started("say nothing")).done("");
  expect((await world.ended(run.runId)).result).toEqual(["failed", "empty"]);
});

test("G-007 the first completion is answered first and the losers are cancelled", async () => {
  const world = await openWorld();
  const run = await world.submit(`
    const racers = ["a", "b", "c"].map((name) => agents.spawn(name));
    const { completed, pending } = await agents.wait(racers.map((r) => r.runId));
    for (const racer of racers) racer.result.catch(() => {});
    for (const id of pending) await agents.cancel(id, "lost the race");
    return { winner: completed[0].result, cancelled: pending.length };`);
  await world.hand.untilOpen(3);
  const loser = await world.hand.started("a");
  (await world.hand.started("b")).done("B");
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: { winner: "B", cancelled: 2 } });
  const { rows } = await world.runtime.children(OPERATOR, { runId: run.runId }, {});
  expect(rows.map((row) => row.status).sort()).toEqual(["done", "killed", "killed"]);
  expect(loser.work.signal.aborted).toBe(true);
});

test("S-005 I-005 an unknown agent id is a spawn error that names it, never a fallback", async () => {
  const world = await openWorld();
  const run = await world.run(
    `try { await agents.run("x", { agentId: "ghost" }); } catch (e) { return [e.code, e.message]; }`,
  );
  expect(run.result).toEqual(["agent_unknown", expect.stringContaining("ghost")]);
  expect(world.hand.ledger).toHaveLength(0);
});

test("I-005 an unknown model is refused at the spawn and at the submit, naming it", async () => {
  const world = await openWorld();
  const run = await world.run(
    `try { await agents.run("x", { model: "nobody:1" }); } catch (e) { return [e.code, e.message]; }`,
  );
  expect(run.result).toEqual(["model_unknown", expect.stringContaining("nobody:1")]);
  await expect(world.submit("return 1;", { model: "nobody:2" })).rejects.toMatchObject({ code: "model_unknown" });
  expect((await world.runtime.runs(OPERATOR, {})).rows).toHaveLength(1);
});

test("C-006 with the swarm disabled a spawn is refused with the configuration key's name", async () => {
  const world = await openWorld({ swarm: { enabled: false } });
  const run = await world.run(`try { await agents.run("x"); } catch (e) { return [e.code, e.message]; }`);
  expect(run.result).toEqual(["swarm_disabled", expect.stringContaining("tools.swarm.enabled")]);
  await expect(world.runtime.spawn(OPERATOR, { task: "x", collect: true })).rejects.toMatchObject({
    code: "swarm_disabled",
  });
});

test("I-005 an offline name that does not exist is refused at the spawn, naming those that do", async () => {
  const world = await openWorld();
  const run = await world.run(
    `try { await agents.run("x", { model: "offline:nope" }); } catch (e) { return [e.code, e.message]; }`,
  );
  expect(run.result).toEqual(["model_unknown", expect.stringContaining("offline:echo")]);
  await expect(world.submit("return 1;", { model: "offline:nope" })).rejects.toMatchObject({ code: "model_unknown" });
});
