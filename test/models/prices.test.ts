// What an answer costs: by the table when everything is known, and undefined otherwise.

import { expect, test } from "vitest";
import { costUsd, LIST_PRICES } from "../../src/models/prices.ts";
import { rig } from "./support.ts";

const USAGE = { inputTokens: 1_000, outputTokens: 100 };

test("the price of every model has its month and is a price", () => {
  for (const [model, price] of Object.entries(LIST_PRICES)) {
    expect(price.asOf, model).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/);
    expect(price.output, model).toBeGreaterThan(price.input);
    expect(price.cachedInput ?? 0, model).toBeLessThan(price.input);
  }
});

test.each<[string, Parameters<typeof costUsd>, number | undefined]>([
  ["input and output", ["openai:gpt-4.1", USAGE, {}], 0.0028],
  ["cached input at its own price", ["openai:gpt-4.1", { ...USAGE, cachedInputTokens: 400 }, {}], 0.0022],
  ["a model without a price", ["openai:gpt-unknown", USAGE, {}], undefined],
  ["a name that every object has", ["toString", USAGE, {}], undefined],
  ["a known model at another provider", ["openrouter:gpt-4.1", USAGE, {}], undefined],
  ["no usage", ["openai:gpt-4.1", undefined, {}], undefined],
  ["cached input without a price", ["gemini:gemini-2.5-pro", { ...USAGE, cachedInputTokens: 1 }, {}], undefined],
  ["tokens written to a cache", ["anthropic:claude-haiku-4-5", { ...USAGE, cacheWriteTokens: 1 }, {}], undefined],
  [
    "more input than the price is for",
    ["gemini:gemini-2.5-pro", { inputTokens: 200_001, outputTokens: 1 }, {}],
    undefined,
  ],
  ["the operator's own price", ["openai:gpt-4.1", USAGE, { "openai:gpt-4.1": { input: 1, output: 1 } }], 0.0011],
])("the cost of %s", (_what, args, expected) => {
  const cost = costUsd(...args);
  if (expected === undefined) expect(cost).toBeUndefined();
  else expect(cost).toBeCloseTo(expected, 10);
});

test("a child's cost is that of all its steps, and unknown when one of them is", async () => {
  const prices = { "openai:m": { input: 1, cachedInput: 0.5, output: 2 } };
  const { server, runner, work } = await rig({ models: { prices } });
  const schema = { type: "object", required: ["a"] };
  const usage = { input: 1_000, output: 500, cached: 200 };
  const reply = (input: object) => ({ calls: [{ name: "structured_output", input }], usage });
  server.script(reply({}), reply({ a: 1 }));
  const priced = await runner.run(work({ model: "openai:m", schema }));
  expect(priced.costUsd).toBeCloseTo((2 * (800 + 200 * 0.5 + 500 * 2)) / 1_000_000, 12);
  expect(priced.usage).toEqual({ inputTokens: 2_000, outputTokens: 1_000, cachedInputTokens: 400 });
  server.script({ text: "yes" });
  expect((await runner.run(work({ model: "anthropic:m" }))).costUsd).toBeUndefined();
});
