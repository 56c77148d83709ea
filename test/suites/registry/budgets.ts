// Budgets and spending: reserved before, settled after, added up for child, run and group; and what a restart
// makes of what was under way.

import { expect, test } from "vitest";
import type { Budget } from "../../../src/contract/budget.ts";
import type { SpendingEstimate } from "../../../src/contract/spending.ts";
import type { Registry } from "../../../src/registry/port.ts";
import type { ReserveAnswer } from "../../../src/registry/spending-port.ts";
import { AT, codeOf, ended, type OpenStore, OWNER, ROOMY, type RunDriver, startRun } from "./builders.ts";

const PRICE = { input: 0.001, output: 0.002 };

function estimate(inputTokens: number, outputTokens: number, over: Partial<SpendingEstimate> = {}): SpendingEstimate {
  return { inputTokens, outputTokens, outputTokensMin: outputTokens, price: PRICE, ...over };
}

function ask(registry: Registry, childId: string, wanted: SpendingEstimate, at = AT): Promise<ReserveAnswer> {
  return registry.reserve({ childId, attempt: 1, estimate: wanted, at });
}

async function reserved(registry: Registry, childId: string, wanted: SpendingEstimate): Promise<number> {
  const answer = await ask(registry, childId, wanted);
  expect(answer.kind).toBe("reserved");
  return answer.kind === "reserved" ? answer.reservationId : 0;
}

function bill(registry: Registry, childId: string, reservationId: number | "all" | null, tokens: [number, number]) {
  const [inputTokens, outputTokens] = tokens;
  return registry.bill({ childId, reservationId, usage: { inputTokens, outputTokens }, costUsd: 0.5 });
}

async function runWith(registry: Registry, budget: Budget | undefined, children: number, groupBudget?: Budget) {
  const run = await startRun(registry, 1, { budget, groupBudget });
  const ids = Array.from({ length: children }, () => run.ask().childId);
  await run.commit();
  return { run, ids, first: ids[0] ?? "", second: ids[1] ?? "" };
}

async function spawnRefusal(run: RunDriver, at = AT): Promise<{ code: string; message: string } | undefined> {
  run.ask();
  const { refused } = await run.commit({ at });
  return refused[0]?.error;
}

export function budgetsChapter(open: OpenStore): void {
  test("B-005 S-019 what is reserved counts until it is settled, and what was used counts from then on", async () => {
    const { registry } = await open();
    const { run, first, second } = await runWith(registry, { tokens: 1_000 }, 2);
    const one = await reserved(registry, first, estimate(400, 300));
    expect(await ask(registry, second, estimate(400, 300))).toEqual({ kind: "wait" });
    await bill(registry, first, one, [100, 50]);
    await reserved(registry, second, estimate(400, 300));
    expect((await registry.run(run.runId, OWNER))?.spent).toMatchObject({ inputTokens: 100, outputTokens: 50 });
  });

  test("B-005 less output is granted where a budget ends, and nothing below the least that makes sense", async () => {
    const { registry } = await open();
    const { first } = await runWith(registry, { tokens: 1_000 }, 1);
    const answer = await ask(registry, first, estimate(400, 5_000, { outputTokensMin: 100 }));
    expect(answer).toMatchObject({ kind: "reserved", outputTokens: 600 });
    await bill(registry, first, "all", [400, 550]);
    await expect(ask(registry, first, estimate(10, 500, { outputTokensMin: 100 }))).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { scope: "run", unit: "tokens", limit: 1_000, spent: 950, reserved: 0, wanted: 110 },
    });
  });

  test("S-019 dollars are held like tokens, and a model without a price cannot be held to them", async () => {
    const { registry } = await open();
    const { first, second } = await runWith(registry, { usd: 1 }, 2);
    await reserved(registry, first, estimate(100, 300));
    expect(await ask(registry, second, estimate(100, 200))).toEqual({ kind: "wait" });
    await reserved(registry, second, estimate(100, 100));
    expect(await codeOf(ask(registry, first, estimate(1, 1, { price: undefined })))).toBe("price_unknown");
    await expect(ask(registry, first, estimate(0, 501))).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { unit: "usd", limit: 1 },
    });
  });

  test("S-019 the least of the child's, the run's and the group's budget counts, and the refusal names it", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { budget: { tokens: 800 }, groupBudget: { tokens: 500 } });
    const modest = run.spawn({ options: { budget: { tokens: 100 } } });
    const plain = run.spawn();
    await run.commit();
    const scope = async (childId: string, tokens: number): Promise<unknown> =>
      ask(registry, childId, estimate(tokens, 0)).catch((error: { details: object }) => error.details);
    expect(await scope(modest, 101)).toMatchObject({ scope: "child", id: modest, limit: 100 });
    expect(await scope(plain, 501)).toMatchObject({ scope: "group", limit: 500 });
    expect(await scope(plain, 801)).toMatchObject({ scope: "run", id: run.runId, limit: 800 });
  });

  test("S-019 without a budget nothing is reserved and everything is billed", async () => {
    const { registry } = await open();
    const { run, first } = await runWith(registry, undefined, 1);
    expect(await ask(registry, first, estimate(1_000_000, 1_000_000))).toEqual({ kind: "unlimited" });
    await bill(registry, first, null, [10, 20]);
    const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 1 };
    await registry.completeChild(ended(first, { usage, costUsd: 0.25 }));
    const total = { inputTokens: 11, outputTokens: 22, cachedInputTokens: 1 };
    expect((await registry.childForRun(first))?.record).toMatchObject({ usage: total, costUsd: 0.75 });
    const spent = { ...total, costUsd: 0.75, unpricedRequests: 0, assumedTokens: 0, assumedUsd: 0 };
    expect((await registry.run(run.runId, OWNER))?.spent).toEqual(spent);
    expect((await registry.groups(OWNER, { limit: 1 })).rows[0]?.spent).toEqual(spent);
  });

  test("B-003 what a child used is billed after it was killed, and what a retried attempt used stays", async () => {
    const { registry } = await open();
    const { run, first, second } = await runWith(registry, { tokens: 1_000 }, 2);
    const one = await reserved(registry, first, estimate(100, 100));
    await registry.cancelChild(first, "not needed", AT);
    expect(await bill(registry, first, one, [60, 0])).toBe(true);
    await bill(registry, second, null, [5, 5]);
    await registry.requeueChild(second, 1, "it failed", AT);
    await registry.claimChildren([second], AT);
    await registry.completeChild(ended(second, { attempt: 2, usage: { inputTokens: 5, outputTokens: 6 } }));
    expect((await registry.childForRun(second))?.record.usage).toEqual({ inputTokens: 10, outputTokens: 11 });
    expect((await registry.childForRun(first))?.record.usage).toEqual({ inputTokens: 60, outputTokens: 0 });
    expect(await registry.runSpending(run.runId)).toMatchObject({ tokens: 81, tokensLeft: 919, tokensTotal: 1_000 });
  });

  test("B-003 a cost that is not known leaves the child's cost unknown and is counted in the totals", async () => {
    const { registry } = await open();
    const { run, first } = await runWith(registry, { usd: 1 }, 1);
    await bill(registry, first, null, [1, 1]);
    const one = await reserved(registry, first, estimate(100, 100));
    const usage = { inputTokens: 90, outputTokens: 10 };
    await registry.bill({ childId: first, reservationId: one, usage, costUsd: undefined });
    expect((await registry.childForRun(first))?.record.costUsd).toBeUndefined();
    const { spent } = (await registry.run(run.runId, OWNER)) ?? {};
    expect(spent).toMatchObject({ costUsd: 0.5, unpricedRequests: 1, assumedUsd: expect.closeTo(0.3) });
  });

  test("B-005 R-004 a reservation of a process that died is charged once at the next start and stands no longer", async () => {
    const store = await open();
    const { run, first, second } = await runWith(store.registry, { tokens: 1_000 }, 2);
    await reserved(store.registry, first, estimate(300, 100));
    for (let start = 0; start < 2; start += 1) {
      const registry = await store.restart();
      await registry.recover(AT + start);
      expect(await registry.runSpending(run.runId)).toMatchObject({ tokens: 400, tokensLeft: 600 });
    }
    const { registry } = store;
    const attempt = (await registry.claimChildren([second], AT))[0]?.record.attempts ?? 0;
    const request = { childId: second, attempt, estimate: estimate(600, 0), at: AT };
    expect(await registry.reserve(request)).toMatchObject({ kind: "reserved" });
  });

  test("S-019 the next spawn is refused when tokens, dollars or children are used up", async () => {
    const { registry } = await open();
    const { run, first } = await runWith(registry, { tokens: 100, children: 3 }, 2);
    expect(await spawnRefusal(run)).toBeUndefined();
    expect(await spawnRefusal(run)).toMatchObject({
      code: "budget_exceeded",
      message: "The run's budget of 3 children is used up: 3 children spent.",
      details: { scope: "run", unit: "children", limit: 3, spent: 3 },
    });
    const shared = await startRun(registry, 2, { groupId: "shared", groupBudget: { tokens: 100 } });
    const { childId } = shared.ask();
    await shared.commit();
    await bill(registry, childId, null, [100, 0]);
    expect(await spawnRefusal(shared)).toMatchObject({ details: { scope: "group", unit: "tokens", spent: 100 } });
    await bill(registry, first, null, [50, 50]);
    expect((await registry.run(run.runId, OWNER))?.budget).toEqual({ tokens: 100, children: 3 });
  });

  test("S-019 a turn that spawns more children than the budget has room for keeps those that fit", async () => {
    const { registry } = await open();
    const run = await startRun(registry, 1, { budget: { children: 2 } });
    for (let child = 0; child < 5; child += 1) run.ask();
    const { spawned, refused } = await run.commit();
    expect([spawned.length, refused.map(({ error }) => error.code)]).toEqual([2, Array(3).fill("budget_exceeded")]);
  });

  test("S-019 when a budget of time is over the live children end as cut by it, after a restart as well", async () => {
    const store = await open();
    const { run, first } = await runWith(store.registry, { seconds: 10 }, 1);
    const registry = await store.restart();
    const { earliestDueAt } = await registry.recover(AT + 4_000);
    expect(earliestDueAt).toBe(AT + 10_000);
    expect((await registry.fireTimers(AT + 9_999, 10)).cut).toEqual([]);
    const fired = await registry.fireTimers(AT + 10_000, 10);
    expect(fired).toMatchObject({ cut: [first], wake: [run.runId] });
    const { record } = (await registry.childForRun(first)) ?? {};
    expect(record).toMatchObject({ status: "failed", errorCode: "budget_exceeded" });
    expect(record?.error).toBe("The run's budget of 10 seconds is over.");
    run.goOn(registry);
    run.ask();
    const { refused } = await run.commit({ at: AT + 10_000 });
    expect(refused[0]?.error).toMatchObject({ code: "budget_exceeded", details: { unit: "seconds", limit: 10 } });
    expect((await registry.fireTimers(AT + 20_000, 10)).cut).toEqual([]);
  });

  test("S-019 a group's time counts from its first use, over its runs", async () => {
    const { registry } = await open();
    const groupLimits = { ...ROOMY, budget: { group: { seconds: 10 } } };
    const run = await startRun(registry, 1);
    const childId = run.spawn({ groupId: "other" });
    const { earliestDueAt } = await run.commit({ at: AT + 1_000, groupLimits });
    expect(earliestDueAt).toBe(AT + 11_000);
    expect((await registry.fireTimers(AT + 11_000, 10)).cut).toEqual([childId]);
    run.spawn({ groupId: "other" });
    const { refused } = await run.commit({ at: AT + 12_000, groupLimits });
    expect(refused[0]?.error.details).toMatchObject({ scope: "group", id: "other", unit: "seconds" });
  });

  test("B-005 only the attempt that runs may reserve", async () => {
    const { registry } = await open();
    const { first } = await runWith(registry, { tokens: 100 }, 1);
    const request = { childId: first, attempt: 2, estimate: estimate(1, 1), at: AT };
    expect(await codeOf(registry.reserve(request))).toBe("stale_epoch");
    expect(await codeOf(registry.reserve({ ...request, childId: "agt_none" }))).toBe("not_found");
    expect(await bill(registry, "agt_none", null, [1, 1])).toBe(false);
  });
}
