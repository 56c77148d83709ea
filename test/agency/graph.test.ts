import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import { numbered, ScriptedHost } from "./support.ts";

const AGENTS = {
  researcher: {},
  writer: { dependsOn: ["researcher"] },
  illustrator: { dependsOn: ["researcher"] },
  reviewer: { dependsOn: ["writer", "illustrator"] },
};

/** A host whose members answer when they are let go, and who is working now. */
function gatedHost() {
  const working = new Map<string, () => void>();
  const arrivals: (() => void)[] = [];
  const host = new ScriptedHost(async ({ agent }) => {
    await new Promise<void>((resolve) => {
      working.set(agent, resolve);
      for (const arrived of arrivals.splice(0)) arrived();
    });
    working.delete(agent);
    return `${agent} done`;
  });
  return {
    host,
    working,
    letGo: (name: string) => working.get(name)?.(),
    until: async (...names: string[]) => {
      while (!names.every((name) => working.has(name))) await new Promise<void>((resolve) => arrivals.push(resolve));
    },
  };
}

test("A-096 A-099 A-100 A-101 each member gets exactly the prompt and the text of its direct dependencies", async () => {
  const host = new ScriptedHost(numbered());
  await createAgency({ agents: AGENTS, strategy: "graph" }, host).generate("Write it.");
  expect(host.asked).toEqual([
    ["researcher", "Write it."],
    ["writer", "Original task: Write it.\n\nOutputs from dependencies:\n[researcher]:\nresearcher says 1"],
    ["illustrator", "Original task: Write it.\n\nOutputs from dependencies:\n[researcher]:\nresearcher says 1"],
    [
      "reviewer",
      "Original task: Write it.\n\nOutputs from dependencies:\n[writer]:\nwriter says 1\n\n[illustrator]:\nillustrator says 1",
    ],
  ]);
});

test("A-102 a dependsOn that names a member selects the graph; an empty one, a strategy and adaptive do not", () => {
  const host = new ScriptedHost(numbered());
  expect(createAgency({ agents: AGENTS }, host).strategy).toBe("graph");
  expect(createAgency({ agents: { a: {}, b: { dependsOn: [] } } }, host).strategy).toBe("sequential");
  expect(createAgency({ agents: AGENTS, strategy: "sequential" }, host).strategy).toBe("sequential");
  expect(createAgency({ agents: AGENTS, adaptive: true, model: "m" }, host).strategy).toBe("hierarchical");
});

test("A-103 A-104 a built agent with a dependsOn of its own selects the graph and waits; handles carry none", async () => {
  const host = new ScriptedHost(numbered());
  const writer = createAgent({ instructions: "Write." }, host);
  expect(Object.hasOwn(writer, "dependsOn")).toBe(false);
  expect("dependsOn" in createAgency({ agents: AGENTS }, host)).toBe(false);
  const team = createAgency({ agents: { writer: Object.assign(writer, { dependsOn: ["reader"] }), reader: {} } }, host);
  expect(team.strategy).toBe("graph");
  await team.generate("Go.");
  expect(host.sent.map((request) => request.agent)).toEqual(["reader", "writer"]);
  for await (const _ of team.stream("Go.").textStream);
  expect(host.sent.slice(2).map((request) => request.agent)).toEqual(["reader", "writer"]);
});

test("A-097 a tier works at once, and the next one waits for all of it", async () => {
  const { host, working, letGo, until } = gatedHost();
  const agents = { a: {}, b: {}, c: { dependsOn: ["a"] } };
  const pending = createAgency({ agents }, host).generate("Go.");
  await until("a", "b");
  letGo("a");
  await host.settled(1);
  expect([...working.keys()]).toEqual(["b"]);
  letGo("b");
  await until("c");
  letGo("c");
  expect((await pending).agentCalls.map((call) => call.agent)).toEqual(["a", "b", "c"]);
});

test('B-009 scheduling: "ready" starts a member when its own dependencies are done', async () => {
  const { host, working, letGo, until } = gatedHost();
  const agents = { a: {}, b: {}, c: { dependsOn: ["a"] } };
  const pending = createAgency({ agents, scheduling: "ready" }, host).generate("Go.");
  await until("a", "b");
  letGo("a");
  await until("c");
  expect([...working.keys()]).toEqual(["b", "c"]);
  letGo("c");
  letGo("b");
  const result = await pending;
  expect(result.agentCalls.map((call) => call.agent)).toEqual(["a", "b", "c"]);
  expect(result.text).toBe("c done");
});

test("A-098 a stream runs the members of a tier one after another", async () => {
  const { host, letGo, until } = gatedHost();
  const stream = createAgency({ agents: { a: {}, b: {}, c: { dependsOn: ["a", "b"] } } }, host).stream("Go.");
  for (const name of ["a", "b", "c"]) {
    await until(name);
    expect(host.sent.at(-1)?.agent).toBe(name);
    letGo(name);
  }
  const pieces: string[] = [];
  for await (const piece of stream.textStream) pieces.push(piece);
  expect(pieces).toEqual(["a done", "b done", "c done"]);
});

test("A-108 a rejected dependency is passed on as skipped, without a record", async () => {
  const host = new ScriptedHost(numbered());
  const hitl = { approvals: { beforeAgent: ["writer"] }, handler: () => ({ approved: false }) };
  const { agentCalls } = await createAgency({ agents: AGENTS, hitl }, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).toContain("[writer]:\n[skipped by HITL]\n\n[illustrator]:\nillustrator says 1");
  expect(agentCalls.map((call) => call.agent)).toEqual(["researcher", "illustrator", "reviewer"]);
});

test("A-022 A-109 text, provider, model and parsed are those of the final tier's last result", async () => {
  const number = {
    safeParse: (value: unknown) =>
      typeof value === "number" ? { success: true as const, data: value } : { success: false as const, error: "" },
  };
  const host = new ScriptedHost(({ agent }) =>
    agent === "c" ? { text: "3", provider: "gemini", model: "g" } : { text: "1", provider: "openai", model: "o" },
  );
  const agents = { a: {}, b: { dependsOn: ["a"] }, c: { dependsOn: ["a"], responseSchema: number } };
  const result = await createAgency({ agents }, host).generate("Go.");
  expect(result).toMatchObject({ text: "3", provider: "gemini", model: "g", parsed: 3 });
});

test("a member that fails lets its siblings finish, starts nobody after it, and ends the run with its error", async () => {
  const host = new ScriptedHost(({ agent }) => {
    if (agent === "writer") throw new RangeError("broken");
    return "ok";
  });
  await expect(createAgency({ agents: AGENTS }, host).generate("Go.")).rejects.toThrow("broken");
  expect(host.sent.map((request) => request.agent)).toEqual(["researcher", "writer", "illustrator"]);
});

test("B-009 a member is asked again as often as its retries say, with a key of its own each time", async () => {
  let failures = 2;
  const host = new ScriptedHost(({ agent }) => {
    if (agent === "a" && failures-- > 0) throw new RangeError("broken");
    return "ok";
  });
  const team = createAgency({ agents: { a: { retries: 2 }, b: { dependsOn: ["a"] } } }, host);
  expect((await team.generate("Go.")).agentCalls).toHaveLength(2);
  expect(host.sent.map((request) => request.key.path)).toEqual(["a#0", "a#1", "a#2", "b#0"]);
});
