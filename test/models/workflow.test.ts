// Workflows whose agents are answered by real models over HTTP: what passes is tried again inside the agent,
// what does not is null to the script and stands in the census.

import { expect, onTestFinished, test } from "vitest";
import { EagerClock } from "../support/eager-clock.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { modelSettings } from "../support/model-settings.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

const META = "export const meta = { name: 'asks', description: 'Asks models' }\n";

async function setUp() {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const providers = { openai: { baseUrl: `${server.url}/v1` } };
  const models = modelSettings({ OPENAI_API_KEY: "canary-of-a-key" }, { providers });
  const dialect = { models: { haiku: "openai:small" }, agentTypes: {}, agentsMax: 1000, workflowFolders: [] };
  const world = await openWorld({ models, dialect, defaultModel: "openai:m" }, { clock: new EagerClock() });
  return { server, world };
}

test("D-011 a network or provider error that passes is tried again inside the agent, and the run hears nothing of it", async () => {
  const { server, world } = await setUp();
  server.script({ status: 503 }, { text: "A long answer that breaks off.", ends: "drop" }, { text: "Blue." });
  const done = await world.run(`${META}return agent("Which colour?");`);
  expect(done).toMatchObject({ state: "done", result: "Blue.", census: { done: 1, problems: [] } });
  expect(server.requests).toHaveLength(3);
});

test("D-002 D-010 an agent that died on an error that does not pass is null, and the run goes on with the others", async () => {
  const { server, world } = await setUp();
  server.script({ status: 400, error: "no such thing" }, { text: "Green." });
  const done = await world.run(
    `${META}return [await agent("a", { label: "first" }), await agent("b", { model: "haiku" })];`,
  );
  expect(done).toMatchObject({ state: "done", result: [null, "Green."] });
  expect(done.census?.problems).toEqual([
    expect.objectContaining({ label: "first", reason: expect.stringContaining("no such thing") }),
  ]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain('"small"');
});

test("D-002 S-002 an answer that does not fit is asked for once more inside the agent; then agent throws with the last failure", async () => {
  const { server, world } = await setUp();
  const wrong = { calls: [{ name: "structured_output", input: { age: "old" } }] };
  const right = { calls: [{ name: "structured_output", input: { age: 7 } }] };
  server.script(wrong, right, wrong, { calls: [{ name: "structured_output", input: {} }] });
  const script = `${META}
    const schema = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };
    const first = await agent("How old?", { schema });
    try { await agent("How old?", { schema }) } catch (error) { return [first, error.name, error.schemaError] }`;
  const done = await world.run(script);
  expect(done.result).toEqual([{ age: 7 }, "SwarmAgentError", expect.stringContaining("age")]);
  expect((await world.runtime.runDetail(OPERATOR, done.runId)).census).toMatchObject({ done: 1, failed: 0, schema: 1 });
  expect(server.requests).toHaveLength(4);
});
