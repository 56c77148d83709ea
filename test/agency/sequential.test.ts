import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { numbered, ScriptedHost } from "./support.ts";

const AGENTS = {
  researcher: { instructions: "Gather facts." },
  editor: { instructions: "Edit." },
  reviewer: { instructions: "Check." },
};

test("A-003 A-006 A-056 A-057 members run in roster order; each later one gets the original task and the previous output", async () => {
  const host = new ScriptedHost(numbered());
  const team = createAgency({ agents: AGENTS, model: "openai:gpt-4.1" }, host);
  const result = await team.generate("Write about quantum computing.");
  expect(team.strategy).toBe("sequential");
  expect(host.asked).toEqual([
    ["researcher", "Write about quantum computing."],
    ["editor", "Original task: Write about quantum computing.\n\nPrevious agent output:\nresearcher says 1"],
    ["reviewer", "Original task: Write about quantum computing.\n\nPrevious agent output:\neditor says 1"],
  ]);
  expect(host.sent.map((request) => request.system)).toEqual(["Gather facts.", "Edit.", "Check."]);
  expect(result.text).toBe("reviewer says 1");
});

test("A-019 A-060 there is one record for each member that ran, with all that a call has", async () => {
  const host = new ScriptedHost(numbered());
  const { agentCalls } = await createAgency({ agents: AGENTS }, host).generate("Go.");
  expect(agentCalls).toHaveLength(3);
  expect(agentCalls[0]).toEqual({
    agent: "researcher",
    input: "Go.",
    output: "researcher says 1",
    toolCalls: [],
    usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12, costUSD: 0.5 },
    durationMs: 7,
    provider: "openai",
    model: "gpt-4.1",
  });
});

test("A-021 A-022 a record names who really answered, and the result's provider and model are the last member's", async () => {
  const fallback = { from: "openai:gpt-4.1", reason: "http 503" };
  const host = new ScriptedHost(({ agent }) =>
    agent === "reviewer" ? { text: "fine", provider: "anthropic", model: "claude-sonnet-5-5", fallback } : "ok",
  );
  const result = await createAgency({ agents: AGENTS }, host).generate("Go.");
  expect(result).toMatchObject({ provider: "anthropic", model: "claude-sonnet-5-5" });
  expect(result.agentCalls[2]).toMatchObject({ provider: "anthropic", model: "claude-sonnet-5-5", fallback });
  expect(result.agentCalls[0]).not.toHaveProperty("fallback");
});

test("A-020 A-058 a rejected member is skipped without a trace; an approval's instructions are part of the record's input", async () => {
  const host = new ScriptedHost(numbered());
  const team = createAgency(
    {
      agents: AGENTS,
      hitl: {
        approvals: { beforeAgent: ["editor", "reviewer"] },
        handler: ({ agent }) =>
          agent === "editor"
            ? { approved: false, reason: "not now" }
            : { approved: true, modifications: { instructions: "Be brief." } },
      },
    },
    host,
  );
  const { agentCalls, text } = await team.generate("Go.");
  const input = "Original task: Go.\n\nPrevious agent output:\nresearcher says 1\n\nBe brief.";
  expect(host.asked).toEqual([
    ["researcher", "Go."],
    ["reviewer", input],
  ]);
  expect(agentCalls.map((call) => [call.agent, call.input])).toEqual([
    ["researcher", "Go."],
    ["reviewer", input],
  ]);
  expect(text).toBe("reviewer says 1");
});

test("A-018 A-058 with every member rejected the text is an empty string and nothing is asked", async () => {
  const host = new ScriptedHost(numbered());
  const hitl = { approvals: { beforeAgent: Object.keys(AGENTS) }, handler: () => ({ approved: false }) };
  const result = await createAgency({ agents: AGENTS, hitl }, host).generate("Go.");
  expect(result).toMatchObject({ text: "", agentCalls: [], usage: { totalTokens: 0 } });
  expect(host.sent).toEqual([]);
});

test("A-061 the result's parsed is the last member's own", async () => {
  const number = {
    safeParse: (value: unknown) =>
      typeof value === "number"
        ? { success: true as const, data: value }
        : { success: false as const, error: "no number" },
  };
  const host = new ScriptedHost(({ agent }) => (agent === "b" ? "42" : "7"));
  const agents = { a: { responseSchema: number }, b: { responseSchema: number } };
  expect((await createAgency({ agents }, host).generate("Go.")).parsed).toBe(42);
});

test("a member that fails ends the run with its own error", async () => {
  const host = new ScriptedHost(({ agent }) => {
    if (agent === "editor") throw new RangeError("no such thing");
    return "ok";
  });
  await expect(createAgency({ agents: AGENTS }, host).generate("Go.")).rejects.toThrow(RangeError);
  expect(host.sent.map((request) => request.agent)).toEqual(["researcher", "editor"]);
});
