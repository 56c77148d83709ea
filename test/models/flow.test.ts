// Scripts whose children are answered by real models: the whole runtime on a real database, and a model
// server on loopback.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";
import { modelSettings } from "../support/model-settings.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

const CANARY = "canary-90d2c1ab37";

async function setUp(env: { [name: string]: string } = { OPENAI_API_KEY: CANARY }) {
  const server: ModelServer = await startModelServer();
  onTestFinished(() => server.close());
  const providers = { openai: { baseUrl: `${server.url}/v1` } };
  const models = modelSettings(env, { providers, prices: { "openai:m": { input: 1, output: 2 } } });
  const agents = { reader: { id: "reader", model: undefined, instructions: "You read.", allowedAgents: undefined } };
  const world = await openWorld({ models, agents, defaultModel: "openai:m" });
  return { server, world };
}

test("G-001 agents.run resolves to a model's text, and to the value when a schema is given", async () => {
  const { server, world } = await setUp();
  const usage = { input: 100, output: 50 };
  server.script({ text: "Blue.", usage }, { calls: [{ name: "structured_output", input: { colour: "blue" } }], usage });
  const run = await world.run(`
    const text = await agents.run("Which colour?", { agentId: "reader" });
    const schema = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
    return [text, await agents.run("Which colour?", { schema })];
  `);
  expect(run.result).toEqual(["Blue.", { colour: "blue" }]);
  expect(JSON.stringify(server.requests[0]?.body)).toContain("You read.");
  const { children } = await world.runtime.runDetail(OPERATOR, run.runId);
  for (const child of children) {
    expect(child).toMatchObject({ status: "done", usage: { inputTokens: 100, outputTokens: 50 }, costUsd: 0.0002 });
  }
});

test("S-003 a child that failed its schema rejects with schemaError and its raw text", async () => {
  const { server, world } = await setUp();
  server.script({ text: "No." }, { text: "Never." });
  const run = await world.run(`
    try { await agents.run("x", { schema: { type: "object" } }); }
    catch (error) { return [error.name, error.status, error.text, error.schemaError]; }
  `);
  expect(run.result).toEqual(["SwarmAgentError", "failed", "Never.", expect.stringContaining("did not call")]);
});

test("a schema outside the vocabulary is refused at call time, by the keyword, and costs nothing", async () => {
  const { server, world } = await setUp();
  const run = await world.run(`
    try { await agents.run("x", { schema: { type: "object", properties: { a: { $dynamicRef: "#a" } } } }); }
    catch (error) { return [error.name, error.message]; }
  `);
  expect(run.result).toEqual([expect.any(String), expect.stringContaining('"$dynamicRef" at #/properties/a')]);
  const detail = await world.runtime.runDetail(OPERATOR, run.runId);
  expect(detail.children).toEqual([]);
  expect(server.requests).toEqual([]);
});

test("A-047 A-051 a model that cannot be asked refuses the submit, and names the variable", async () => {
  const { world } = await setUp();
  const submit = (model: string) => world.submit("return 1;", { model });
  await expect(submit("anthropic:m")).rejects.toMatchObject({
    code: "model_key_missing",
    message: expect.stringContaining("set ANTHROPIC_API_KEY"),
  });
  await expect(submit("llama3.2:3b")).rejects.toMatchObject({ code: "model_unknown" });
});

test("keys are in no file of the data directory, whatever the provider answers", async () => {
  const { server, world } = await setUp();
  server.script({ status: 401, error: `wrong key ${CANARY}` }, { text: "fine" });
  const run = await world.run(`
    const failed = await agents.run("x").catch((error) => error.message);
    return [failed, await agents.run("y")];
  `);
  expect(run.result).toEqual([expect.stringContaining("answered 401: wrong key ••••"), "fine"]);
  for (const name of readdirSync(world.dataDir)) {
    expect(readFileSync(join(world.dataDir, name)).includes(CANARY), name).toBe(false);
  }
});
