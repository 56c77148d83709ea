// Budgets through the whole runtime: what a script is told and refused, what is cut, what a restart keeps.

import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";

const USAGE = { inputTokens: 60, outputTokens: 40 };

test("S-019 G-010 D-005 a script reads its budget, and the next agent after it is spent rejects with a typed error", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    `const before = [budget.total, budget.remaining(), budget.usd.total];
     await agents.run("one");
     const after = [budget.spent(), budget.remaining(), budget.usd.spent()];
     try { await agents.run("two"); } catch (error) { return [before, after, error.name, error.code, error.message]; }`,
    { budget: { tokens: 100 } },
  );
  (await world.hand.started("one")).end({ status: "done", text: "1", usage: USAGE, costUsd: 0.5 });
  const run = await world.ended(runId);
  expect(run.result).toEqual([
    [100, 100, null],
    [100, 0, 0.5],
    "SwarmAgentError",
    "budget_exceeded",
    expect.stringContaining("The run's budget of 100 tokens is used up: 100 tokens spent."),
  ]);
  expect(run).toMatchObject({ budget: { tokens: 100 }, spent: { ...USAGE, costUsd: 0.5 } });
  expect(world.hand.ledger).toHaveLength(1);
});

test("S-019 the configured budget is the most that a run can be given, unit by unit", async () => {
  const world = await openWorld({ swarm: { budget: { run: { tokens: 1_000, children: 5 } } } });
  const run = await world.run("return budget.total;", { budget: { tokens: 9_000, usd: 2 } });
  expect(run).toMatchObject({ result: 1_000, budget: { tokens: 1_000, children: 5, usd: 2 } });
});

test("B-003 what a failed and retried agent used in all of its attempts is billed, to it and to its run", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    'await agents.run("again", { retries: 1 }).catch(() => {}); return budget.spent();',
  );
  const failing = { status: "failed", error: "no", retryable: true } as const;
  (await world.hand.started("again")).end({ ...failing, usage: USAGE, costUsd: 0.5 });
  while (world.hand.ledger.length < 2) {
    world.clock.advance(250);
    await new Promise(setImmediate);
  }
  (await world.hand.started("again")).end({ ...failing, usage: USAGE, costUsd: 0.25 });
  const run = await world.ended(runId);
  const both = { inputTokens: 120, outputTokens: 80 };
  expect(run).toMatchObject({ result: 200, spent: { ...both, costUsd: 0.75 } });
  const { children } = await world.runtime.runDetail(OPERATOR, runId);
  expect(children[0]).toMatchObject({ status: "failed", attempts: 2, usage: both, costUsd: 0.75 });
});

test("G-002 S-019 an agent's own budget of seconds ends it as cut, over a restart with what was left", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    `try { await agents.run("long", { budget: { seconds: 10 } }); } catch (error) { return [error.status, error.code, error.message]; }`,
  );
  await world.hand.started("long");
  world.clock.advance(7_000);
  await world.restart();
  await world.hand.started("long");
  world.clock.advance(3_000);
  expect((await world.ended(runId)).result).toEqual([
    "failed",
    "budget_exceeded",
    "The child's budget of 10 seconds is over.",
  ]);
  const { census } = await world.runtime.runDetail(OPERATOR, runId);
  expect(census).toMatchObject({ failed: 0, budget: 1 });
});

test("S-019 R-004 a run's budget of seconds ends its agents, over a restart with what was left, and the script goes on", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(
    `const codes = [];
     for (const prompt of ["long", "next"]) {
       try { await agents.run(prompt); } catch (error) { codes.push(error.code); }
     }
     return codes;`,
    { budget: { seconds: 60 } },
  );
  await world.hand.started("long");
  world.clock.advance(40_000);
  await world.restart();
  await world.hand.started("long");
  world.clock.advance(20_000);
  expect((await world.ended(runId)).result).toEqual(["budget_exceeded", "budget_exceeded"]);
});

test("B-005 S-019 offline agents at the same time keep to a budget to the token", async () => {
  const world = await openWorld({ defaultModel: "offline:echo" });
  const script = `
    const ends = await Promise.allSettled(args.map((prompt) => agents.run(prompt)));
    return ends.filter((end) => end.status === "fulfilled").length;`;
  const prompts = Array.from({ length: 8 }, (_, index) => `The same length ${index}`);
  const { spent } = await world.run(script, { args: prompts });
  const one = ((spent?.inputTokens ?? 0) + (spent?.outputTokens ?? 0)) / 8;
  const tight = await world.run(script, { args: prompts, budget: { tokens: Math.ceil(one * 5.5) } });
  expect(tight.result).toBe(5);
  expect((tight.spent?.inputTokens ?? 0) + (tight.spent?.outputTokens ?? 0)).toBeLessThanOrEqual(Math.ceil(one * 5.5));
});
