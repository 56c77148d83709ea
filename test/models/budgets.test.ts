// Budgets against a model server that keeps its own ledger of what it has billed.

import { expect, onTestFinished, test } from "vitest";
import { type SeenRequest, startModelServer } from "../support/model-server/server.ts";
import { modelSettings } from "../support/model-settings.ts";
import { openWorld } from "../support/world.ts";

const FAN_OUT = `
  const ends = await Promise.allSettled(args.map((prompt) => agents.run(prompt)));
  return ends.map((end) => end.status === "fulfilled" ? "done" : end.reason.code);`;
const PROMPTS = Array.from({ length: 8 }, (_, index) => `Question ${index}`);

/** Answers as long as it may, at most `longest` tokens, and adds up what it bills. */
async function setUp(longest: number, prices: object = { "openai:m": { input: 1, output: 2 } }) {
  const ledger = { tokens: 0, caps: [] as number[] };
  const server = await startModelServer({
    otherwise: ({ body }: SeenRequest) => {
      const cap = Number(body.max_output_tokens ?? Number.POSITIVE_INFINITY);
      const usage = { input: 40, output: Math.min(longest, cap) };
      ledger.caps.push(cap);
      ledger.tokens += usage.input + usage.output;
      return { text: "An answer.", usage, finish: longest > cap ? "length" : "stop" };
    },
  });
  onTestFinished(() => server.close());
  const providers = { openai: { baseUrl: `${server.url}/v1` } };
  const models = modelSettings({ OPENAI_API_KEY: "key" }, { providers, prices });
  return { ledger, world: await openWorld({ models, defaultModel: "openai:m" }) };
}

test("B-005 S-019 eight agents at the same time never pass a token budget, by the server's own ledger", async () => {
  const { ledger, world } = await setUp(900);
  const run = await world.run(FAN_OUT, { args: PROMPTS, budget: { tokens: 4_000 } });
  expect(ledger.tokens).toBeLessThanOrEqual(4_000);
  expect(ledger.tokens).toBeGreaterThan(3_000);
  const { inputTokens = 0, outputTokens = 0 } = run.spent ?? {};
  expect(inputTokens + outputTokens).toBe(ledger.tokens);
  const codes = run.result as string[];
  expect(codes.filter((code) => code === "done").length).toBeGreaterThanOrEqual(3);
  expect(codes.filter((code) => code !== "done")).toEqual(
    Array(8 - codes.filter((code) => code === "done").length).fill("budget_exceeded"),
  );
  expect(Math.max(...ledger.caps)).toBeLessThanOrEqual(4_000);
});

test("B-005 without a budget nothing is limited and everything is billed", async () => {
  const { ledger, world } = await setUp(900);
  const run = await world.run(FAN_OUT, { args: PROMPTS });
  expect(ledger.caps).toEqual(Array(8).fill(Number.POSITIVE_INFINITY));
  expect(run.spent).toMatchObject({ inputTokens: 320, outputTokens: 7_200, unpricedRequests: 0 });
});

test("S-019 a budget in dollars needs a price, and says so", async () => {
  const { ledger, world } = await setUp(900, {});
  const run = await world.run(FAN_OUT, { args: PROMPTS.slice(0, 1), budget: { usd: 1 } });
  expect([run.result, ledger.tokens]).toEqual([["price_unknown"], 0]);
});
