// Scripts that call tools themselves: the whole runtime and a real MCP server.

import { expect, test } from "vitest";
import type { AgentSettings } from "../../src/contract/settings.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";
import { type Fixture, fixtureProgram, toolSettings } from "./support.ts";

interface Changes {
  server?: object;
  top?: object;
  agent?: Partial<AgentSettings>;
}

async function setUp(changes: Changes = {}): Promise<{ program: Fixture; world: World }> {
  const program = fixtureProgram({}, changes.server);
  const clerk = { id: "clerk", model: undefined, instructions: undefined, allowedAgents: undefined, ...changes.agent };
  const tools = toolSettings({ files: program.config }, changes.top);
  return { program, world: await openWorld({ tools, agents: { clerk } }) };
}

const SOON = { timeout: 30_000 };
const called = (program: Fixture, tool: string) => program.ledger().filter((entry) => entry.tool === tool);

test("G-014 a script calls a tool and gets its text, or the value that it declares", async () => {
  const { program, world } = await setUp();
  const run = await world.run(
    `return [await tools.files.echo({ text: "hi" }), await tools.files.sum({ a: 1, b: 2 })];`,
  );
  expect(run.result).toEqual(["echo: hi", { sum: 3 }]);
  expect(program.ledger().flatMap(({ key }) => key ?? [])).toEqual([`${run.runId}:1`, `${run.runId}:2`]);
});

test("G-014 B-018 a call that fails rejects with a ToolError and its code", async () => {
  const { program, world } = await setUp({ server: { approval: ["die"], maxResultBytes: 1024 } });
  const run = await world.run(`
    const told = [];
    for (const call of [
      () => tools.files.fail(), () => tools.files.sum({ a: "x" }), () => tools.files.nothing(),
      () => tools.files.die(), () => tools.files.big({ bytes: 2000 }),
    ]) await call().catch((error) => told.push([error.name, error.code, error.server]));
    return told;
  `);
  expect(run.result).toEqual(
    ["tool_failed", "tool_arguments", "tool_unknown", "approval_required", "tool_result_too_large"].map((code) => [
      "ToolError",
      code,
      "files",
    ]),
  );
  expect(called(program, "die")).toEqual([]);
  const events = await world.runtime.eventsAfter(OPERATOR, 0, undefined, 100);
  expect(events.filter(({ type }) => type.startsWith("approval"))).toEqual([]);
});

test("G-014 the declarations of a server are read from the script, and name arguments and values", async () => {
  const { world } = await setUp();
  const run = await world.run(`return [API.list("tools/"), API.read("tools/files.d.ts")];`);
  const [names, text] = run.result as [string[], string];
  expect(names).toEqual(["tools/files.d.ts"]);
  expect(text).toContain(
    "    /** Adds. */\n    sum(args: {\n      a: number;\n      /** the second */\n      b: number;\n    }): Promise<{",
  );
  expect(text).toContain("echo(args: {\n      text: string;\n    }): Promise<string>;");
});

test("G-014 R-004 declarations are part of the run: they are the same after a restart with another server", async () => {
  const { world } = await setUp();
  const run = await world.submit(`
    const before = API.read("tools/files.d.ts");
    await sleep(1000);
    return before === API.read("tools/files.d.ts") && before.includes("sum(");
  `);
  await expect.poll(async () => (await world.runtime.runDetail(OPERATOR, run.runId)).pending.length, SOON).toBe(1);
  await world.restart({ tools: toolSettings({ other: fixtureProgram().config }) });
  world.clock.advance(1_000);
  expect((await world.ended(run.runId)).result).toBe(true);
});

test("a script that does not speak of tools starts no server", async () => {
  const { program, world } = await setUp();
  expect((await world.run("return 1;")).result).toBe(1);
  expect(program.ledger()).toEqual([]);
});

test("G-014 an agent's list of tools holds for its script as well", async () => {
  const { program, world } = await setUp({ agent: { tools: ["files.echo"] } });
  const run = await world.run(
    `return [await tools.files.echo({ text: "a" }), await tools.files.sum({ a: 1, b: 1 }).catch((error) => error.code),
       API.read("tools/files.d.ts").includes("sum(")];`,
    { agentId: "clerk" },
  );
  expect(run.result).toEqual(["echo: a", "tool_not_allowed", false]);
  expect(called(program, "sum")).toEqual([]);
});

test("G-014 a server that does not start fails the call with its name and reason, and is said in the declarations", async () => {
  const { world } = await setUp({ server: { command: "/no/such/quickswarm-program" } });
  const run = await world.run(`
    return [API.read("tools/files.d.ts"), await tools.files.echo({ text: "" }).catch((error) => [error.code, error.message])];
  `);
  const reason = 'The server "files" is not there: its program, or its working directory, was not found.';
  expect(run.result).toEqual([`// ${reason}\n`, ["tool_unavailable", expect.stringContaining(reason.slice(0, -1))]]);
});

test("G-014 R-004 L12 a call that was under way runs again after a restart, under the same key, and is answered once", async () => {
  const { program, world } = await setUp();
  const run = await world.submit(`
    const first = await tools.files.echo({ text: "once" });
    await tools.files.hang().catch(() => {});
    return first;
  `);
  await expect.poll(() => called(program, "hang").length, SOON).toBe(1);
  const { pending } = await world.runtime.runDetail(OPERATOR, run.runId);
  expect(pending).toMatchObject([{ method: "toolCall", line: 3 }]);
  await world.restart();
  await expect.poll(() => called(program, "hang").length, SOON).toBe(2);
  const key = `${run.runId}:2`;
  expect(called(program, "hang").map(({ key, attempt }) => [key, attempt])).toEqual([
    [key, 1],
    [key, 2],
  ]);
  expect(called(program, "echo")).toHaveLength(1);
  world.clock.advance(60_000);
  expect((await world.ended(run.runId)).result).toBe("echo: once");
});

test("L7 stopping a run ends its calls, and their servers hear it", async () => {
  const { program, world } = await setUp();
  const run = await world.submit("await tools.files.hang();");
  await expect.poll(() => called(program, "hang").length, SOON).toBe(1);
  await world.runtime.stop(OPERATOR, run.runId);
  await expect.poll(() => program.ledger().at(-1), SOON).toEqual({ cancelled: true });
  expect((await world.ended(run.runId)).state).toBe("killed");
});

test("L10 no more calls of one script run at once than tools.maxConcurrentCallsPerRun", async () => {
  const { program, world } = await setUp({ top: { maxConcurrentCallsPerRun: 2 }, server: { timeoutMs: 1_000 } });
  const run = await world.submit(`
    const ends = await Promise.allSettled([1, 2, 3].map(() => tools.files.hang()));
    return ends.map((end) => end.reason.code);
  `);
  await expect.poll(() => called(program, "hang").length, SOON).toBe(2);
  world.clock.advance(1_000);
  await expect.poll(() => called(program, "hang").length, SOON).toBe(3);
  world.clock.advance(1_000);
  expect((await world.ended(run.runId)).result).toEqual(["tool_timeout", "tool_timeout", "tool_timeout"]);
});

test("G-014 a tool of the host is tools.host.<name>", async () => {
  const add = {
    name: "add",
    description: "Adds one.",
    inputSchema: { type: "object" },
    run: ({ n }: { n?: unknown }) => Number(n) + 1,
  };
  const world = await openWorld({}, { tools: [add] });
  expect((await world.run(`return [await tools.host.add({ n: 1 }), API.list("tools/")];`)).result).toEqual([
    2,
    ["tools/host.d.ts"],
  ]);
});
