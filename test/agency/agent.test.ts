import { expect, test } from "vitest";
import { z } from "zod";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import type { ToolDefinition } from "../../src/agency/tools.ts";
import { numbered, type Reply, ScriptedHost } from "./support.ts";

function call(name: string, input: object = {}): Reply {
  return { toolCalls: [{ id: "c1", name, input: input as never }] };
}

function hostWith(...replies: Reply[]): ScriptedHost {
  return new ScriptedHost(() => replies.shift() ?? "done");
}

test("A-008 an agent is its instructions and tools: a tool's result goes back to the model, and both are in the result", async () => {
  const host = hostWith(call("add", { a: 2, b: 3 }), "It is 5.");
  const add = {
    description: "Adds.",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }: { a: number; b: number }) => a + b,
  };
  const result = await createAgent({ instructions: "Count.", tools: { add } }, host).generate("2 + 3?");
  expect(host.sent[0]).toMatchObject({ system: "Count.", tools: [{ name: "add", description: "Adds." }] });
  expect(host.sent[0]?.tools[0]?.inputSchema).toMatchObject({ type: "object", required: ["a", "b"] });
  expect(host.sent[1]?.messages.at(-1)).toEqual({
    role: "tool",
    results: [{ id: "c1", name: "add", text: "5", isError: false }],
  });
  expect(result).toMatchObject({
    text: "It is 5.",
    toolCalls: [{ name: "add", input: { a: 2, b: 3 }, output: "5", isError: false }],
    usage: { totalTokens: 24 },
    durationMs: 0,
  });
});

test.each(["generate", "stream"] as const)(
  "A-090 under %s a tool that another tool adds to the table is in the next request and runs when called",
  async (way) => {
    const tools: { [name: string]: ToolDefinition } = {
      grow: {
        execute: () => {
          tools.late = { execute: () => "late!" };
          return "grown";
        },
      },
    };
    const host = hostWith(call("grow"), call("late"), "done");
    const agent = createAgent({ tools }, host);
    await (way === "generate" ? agent.generate("Go.") : agent.stream("Go.").result);
    expect(host.sent.map((request) => request.tools.map((tool) => tool.name))).toEqual([
      ["grow"],
      ["grow", "late"],
      ["grow", "late"],
    ]);
    expect(host.asked.at(-1)?.[1]).toBe("late!");
  },
);

test("A-091 a table that can be read only once is read once and keeps its tools", async () => {
  function* once(): Generator<ToolDefinition> {
    yield { name: "one", execute: () => "1" };
  }
  const host = hostWith(call("one"), "done");
  const agent = createAgent({ tools: once() }, host);
  await agent.generate("Go.");
  await agent.generate("Go.");
  expect(host.sent.map((request) => request.tools.map((tool) => tool.name))).toEqual([["one"], ["one"], ["one"]]);
});

test("B-018 a tool that fails is told to the model by name and code alone", async () => {
  const host = hostWith(call("break"), "done");
  const failing = {
    execute: () => {
      throw Object.assign(new TypeError("no /secret/path"), { code: "ENOENT" });
    },
  };
  await createAgent({ tools: { break: failing } }, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).toBe("The tool failed: TypeError (ENOENT)");
});

test("an agent that only ever calls tools is made to answer at its last step", async () => {
  const host = new ScriptedHost(({ toolChoice }) => (toolChoice === "none" ? "enough" : call("spin")));
  const agent = createAgent({ maxSteps: 3, tools: { spin: { execute: () => "again" } } }, host);
  expect((await agent.generate("Go.")).text).toBe("enough");
  expect(host.sent.map((request) => request.toolChoice)).toEqual(["auto", "auto", "none"]);
});

test("A-033 A-009 an agent in a roster runs as it is: it inherits nothing, and hears only what the strategy passes", async () => {
  const host = new ScriptedHost(numbered());
  const own = createAgent({ name: "own", instructions: "Own.", model: "openai:gpt-4.1" }, host);
  await own.session("s").send("A secret of the session.");
  const tools = { shared: { execute: () => "" } };
  const team = createAgency({ model: "anthropic:x", apiKey: "k", tools, agents: { own, plain: {} } }, host);
  await team.generate("Go.");
  expect(host.sent[1]).toMatchObject({
    agent: "own",
    tools: [],
    route: { seat: { model: "openai:gpt-4.1" }, agency: {} },
  });
  expect(JSON.stringify(host.sent.slice(1))).not.toContain("secret");
  expect(host.sent[2]).toMatchObject({
    tools: [{ name: "shared" }],
    route: { agency: { model: "anthropic:x", apiKey: "k" } },
  });
});

test("A-027 A-040 a member's route keeps what is set, also to undefined, and leaves the rest to be inherited", async () => {
  const host = new ScriptedHost(numbered());
  const agents = { set: { apiKey: undefined, model: "m" }, bare: {} };
  await createAgency({ provider: "openai", apiKey: "k", agents }, host).generate("Go.");
  expect(Object.keys(host.sent[0]?.route.seat ?? {})).toEqual(["model", "apiKey"]);
  expect(host.sent[1]?.route).toEqual({
    seat: {},
    agency: { provider: "openai", apiKey: "k" },
    call: {},
    fallbackProviders: undefined,
  });
});

test("A-052 A-055 options of one call go to every member and to the chair", async () => {
  const host = new ScriptedHost(numbered());
  const team = createAgency({ model: "a:b", strategy: "parallel", agents: { x: { model: "c:d" }, y: {} } }, host);
  await team.generate("Go.", { model: "e:f", temperature: 0, fallbackProviders: [] });
  for (const request of host.sent) {
    expect(request).toMatchObject({
      route: { call: { model: "e:f" }, fallbackProviders: [] },
      settings: { temperature: 0 },
    });
  }
  expect(host.sent).toHaveLength(3);
});

test("A-029 A-030 a member's tools go over the agency's by name; effort and maxTokens are its own", async () => {
  const host = new ScriptedHost(numbered());
  const tool = (description: string) => ({ description, execute: () => "" });
  const team = createAgency(
    {
      tools: { a: tool("shared a"), b: tool("shared b") },
      agents: { x: { tools: { b: tool("own b") }, effort: "high", maxTokens: 100 }, y: {} },
    },
    host,
  );
  await team.generate("Go.");
  expect(host.sent.map((request) => request.tools.map((one) => one.description))).toEqual([
    ["shared a", "own b"],
    ["shared a", "shared b"],
  ]);
  expect(host.sent.map((request) => request.settings)).toEqual([
    { effort: "high", maxTokens: 100, temperature: undefined },
    { effort: undefined, maxTokens: undefined, temperature: undefined },
  ]);
});

test("an agent's own session hands the turns before as messages", async () => {
  const host = new ScriptedHost(numbered());
  const session = createAgent({ name: "tutor" }, host).session("s");
  await session.send("One?");
  await session.send("Two?");
  expect(host.sent[1]?.messages).toEqual([
    { role: "user", text: "One?" },
    { role: "assistant", text: "tutor says 1", toolCalls: [] },
    { role: "user", text: "Two?" },
  ]);
});

test("A-144 an agent's memory is asked before the call and told after it, also in a roster; one that fails is logged", async () => {
  const host = new ScriptedHost(numbered());
  const turns: object[] = [];
  const memoryProvider = {
    getContext: async (text: string) => ({ contextText: `Notes on ${text}` }),
    observe: async (turn: object) => void turns.push(turn),
  };
  const solo = createAgent({ name: "solo", instructions: "Be brief.", memoryProvider }, host);
  await solo.generate("tea");
  await createAgency({ agents: { seat: solo } }, host).generate("milk");
  expect(host.sent.map((request) => request.system)).toEqual([
    "Be brief.\n\nNotes on tea",
    "Be brief.\n\nNotes on milk",
  ]);
  expect(turns).toEqual([
    { user: "tea", assistant: "solo says 1" },
    { user: "milk", assistant: "seat says 1" },
  ]);
  const failing = { getContext: () => Promise.reject(new TypeError("secret")), observe: () => Promise.reject(7) };
  expect((await createAgent({ memoryProvider: failing }, host).generate("x")).text).toBe("agent says 1");
  expect(host.logged.map((line) => [line.event, line.details.what, line.details.error])).toEqual([
    ["agency_memory_failed", "getContext", "TypeError"],
    ["agency_memory_failed", "observe", "Error"],
  ]);
});

test("A-001 an agency has an agent's methods, and tells what it is without keys, addresses and functions", () => {
  const host = new ScriptedHost(numbered());
  const single = createAgent({}, host);
  const team = createAgency(
    {
      name: "team",
      model: "openai:gpt-4.1",
      apiKey: "sk-secret",
      agents: { a: { instructions: "Be a.", apiKey: "sk-own", tools: { t: { execute: () => "" } } }, single },
    },
    host,
  );
  for (const method of ["generate", "stream", "session", "usage", "close"] as const) {
    expect([typeof single[method], typeof team[method]]).toEqual(["function", "function"]);
  }
  expect(JSON.parse(team.exportJSON())).toEqual(team.export());
  expect(team.export()).toEqual({
    name: "team",
    strategy: "sequential",
    model: "openai:gpt-4.1",
    maxRounds: 3,
    agents: {
      a: { kind: "config", description: "Be a.", dependsOn: [], instructions: "Be a.", tools: ["t"] },
      single: { kind: "built", description: "General purpose", dependsOn: [] },
    },
  });
});
