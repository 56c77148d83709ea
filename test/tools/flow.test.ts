// Scripts whose children use tools: the whole runtime, a model server on loopback, and a real MCP server.

import { expect, onTestFinished, test } from "vitest";
import type { AgentSettings } from "../../src/contract/settings.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";
import { modelSettings } from "../support/model-settings.ts";
import { OPERATOR, openWorld } from "../support/world.ts";
import { fixtureProgram, toolSettings } from "./support.ts";

async function setUp(more: object = {}, agent: Partial<AgentSettings> = {}) {
  const server: ModelServer = await startModelServer();
  onTestFinished(() => server.close());
  const program = fixtureProgram({}, more);
  const clerk = { id: "clerk", model: undefined, instructions: undefined, allowedAgents: undefined, ...agent };
  const world = await openWorld({
    models: modelSettings({ OPENAI_API_KEY: "k" }, { providers: { openai: { baseUrl: `${server.url}/v1` } } }),
    tools: toolSettings({ files: program.config }),
    agents: { clerk },
    defaultModel: "openai:m",
  });
  return { server, program, world };
}

const call = (name: string, input: object) => ({ calls: [{ name: `files__${name}`, input }] });

test("G-002 a child uses a tool of an MCP server over two steps, and its answer is the script's", async () => {
  const { server, program, world } = await setUp();
  server.script(call("echo", { text: "one" }), call("sum", { a: 1, b: 2 }), { text: "It is 3." });
  const run = await world.run(`return agents.run("Add.", { tools: ["files.echo", "files.sum"] });`);
  expect(run.result).toBe("It is 3.");
  const [child] = (await world.runtime.runDetail(OPERATOR, run.runId)).children;
  expect(child).toMatchObject({ status: "done", usage: { inputTokens: 33, outputTokens: 21 } });
  const keys = program.ledger().flatMap(({ key }) => key ?? []);
  expect(keys).toEqual([expect.stringMatching(`^${child?.runId}:0:`), expect.stringMatching(`^${child?.runId}:1:`)]);
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain("files__die");
});

test("S-010 a call that needs approval is answered approval_required to the child, and no event asks anybody", async () => {
  const { server, program, world } = await setUp({ approval: "always" });
  server.script(call("echo", { text: "x" }), { text: "I may not." });
  const run = await world.run(`return agents.run("Do it.", { tools: ["files.*"] });`);
  expect(run.result).toBe("I may not.");
  expect(JSON.stringify(server.requests[1]?.body)).toContain("Error approval_required: The tool files.echo needs");
  expect(program.ledger().filter(({ tool }) => tool !== undefined)).toEqual([]);
  const events = await world.runtime.eventsAfter(OPERATOR, 0, undefined, 100);
  expect(events.map(({ type }) => type).filter((type) => type.startsWith("approval"))).toEqual([]);
});

test("G-002 a tool that is not there or not allowed refuses the spawn, and nothing is spent", async () => {
  const { server, world } = await setUp({}, { tools: ["files.echo"] });
  const run = await world.run(`
    const codes = [];
    for (const options of [{ tools: ["nowhere.read"] }, { tools: ["files.sum"], agentId: "clerk" }]) {
      await agents.run("x", options).catch((error) => codes.push([error.code, error.message]));
    }
    return codes;
  `);
  expect(run.result).toEqual([
    ["tool_unknown", expect.stringContaining('There is no tool "nowhere.read"; there are: files.*')],
    ["tool_not_allowed", expect.stringContaining("allowed: files.echo")],
  ]);
  expect(server.requests).toEqual([]);
  expect((await world.runtime.runDetail(OPERATOR, run.runId)).children).toEqual([]);
});

test("a child whose server does not start fails with the server's name and the reason", async () => {
  const { server, world } = await setUp({ command: "/no/such/quickswarm-program" });
  const run = await world.run(`
    return agents.run("x", { tools: ["files.*"] }).catch((error) => [error.code, error.message]);
  `);
  expect(run.result).toEqual([
    "tool_unavailable",
    'The server "files" is not there: its program, or its working directory, was not found.',
  ]);
  expect(server.requests).toEqual([]);
});

test("S-006 what a call leaves out of thinking and fastMode is as its agent has it", async () => {
  const { server, world } = await setUp({}, { thinking: "high", instructions: "You file." });
  server.script({ text: "a" }, { text: "b" });
  await world.run(`
    await agents.run("x", { agentId: "clerk", model: "openai:gpt-5" });
    await agents.run("x", { agentId: "clerk", model: "openai:gpt-5", thinking: "low" });
  `);
  const efforts = server.requests.map(({ body }) => (body.reasoning as { effort?: string } | undefined)?.effort);
  expect(efforts).toEqual(["high", "low"]);
});

test("L7 a stop of the run ends a call that is under way", async () => {
  const { server, program, world } = await setUp();
  server.script(call("hang", {}));
  const run = await world.submit(`return agents.run("x", { tools: ["files.hang"] });`);
  await expect.poll(() => program.ledger().at(-1)?.tool, { timeout: 30_000 }).toBe("hang");
  await world.runtime.stop(OPERATOR, run.runId);
  await expect.poll(() => program.ledger().at(-1), { timeout: 30_000 }).toEqual({ cancelled: true });
});

test("R-004 L12 a child whose gateway closed in a call runs that call again under the same key, and no other", async () => {
  const { server, program, world } = await setUp();
  server.script(call("echo", { text: "one" }), call("hang", {}));
  const run = await world.submit(`return agents.run("x", { tools: ["files.*"] });`);
  await expect.poll(() => program.ledger().at(-1)?.tool, { timeout: 30_000 }).toBe("hang");
  await world.restart();
  await expect.poll(() => program.ledger().filter(({ tool }) => tool === "hang").length, { timeout: 30_000 }).toBe(2);
  const calls = program.ledger().filter(({ tool }) => tool !== undefined);
  expect(calls.map(({ tool, attempt }) => [tool, attempt])).toEqual([
    ["echo", 1],
    ["hang", 1],
    ["hang", 2],
  ]);
  expect(calls[2]?.key).toBe(calls[1]?.key);
  expect(server.requests).toHaveLength(2);
  await world.runtime.stop(OPERATOR, run.runId);
});
