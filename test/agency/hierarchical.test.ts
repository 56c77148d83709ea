import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { lastText, type Reply, ScriptedHost } from "./support.ts";

const CONFIG = {
  model: "openai:gpt-6-astra",
  instructions: "Delegate well.",
  strategy: "hierarchical",
  agents: { researcher: { instructions: "Find facts." }, writer: { instructions: "Write prose." } },
} satisfies AgencyConfig;

/** Calls of tools, by name and input. */
function calls(...list: [string, object][]): Reply {
  return { toolCalls: list.map(([name, input], index) => ({ id: `c${index}`, name, input: input as never })) };
}

/** The manager's steps in turn; members answer by name. */
function hostWith(...steps: Reply[]): ScriptedHost {
  return new ScriptedHost(({ role, agent }) => (role === "manager" ? (steps.shift() ?? "done") : `${agent}: ok`));
}

test("A-083 A-084 A-031 the manager gets one delegate tool a member, the roster and the agency's instructions", async () => {
  const host = hostWith(calls(["delegate_to_writer", { task: "Write it." }]), "The report.");
  const result = await createAgency(CONFIG, host).generate("Report.");
  const [first, writer, second] = host.sent;
  expect(first).toMatchObject({ role: "manager", route: { seat: { model: "openai:gpt-6-astra" } } });
  expect(first?.tools.map((tool) => tool.name)).toEqual(["delegate_to_researcher", "delegate_to_writer"]);
  expect(first?.system).toContain("- researcher: Find facts.\n- writer: Write prose.");
  expect(first?.system).toMatch(/\n\nDelegate well\.$/);
  expect(writer).toMatchObject({ agent: "writer", system: "Write prose.", messages: [{ text: "Write it." }] });
  expect(second && lastText(second)).toBe("writer: ok");
  expect(result.text).toBe("The report.");
});

test("A-022 A-019 the result's provider and model are the manager's, whose steps are no records but are usage", async () => {
  const host = hostWith(calls(["delegate_to_writer", { task: "Write." }]), {
    text: "x",
    provider: "xai",
    model: "grok",
  });
  const result = await createAgency(CONFIG, host).generate("Report.");
  expect(result).toMatchObject({ provider: "xai", model: "grok", usage: { totalTokens: 36 } });
  expect(result.agentCalls.map(({ agent, input }) => [agent, input])).toEqual([["writer", "Write."]]);
});

test("B-010 several delegations of one step run together, and are answered in their order", async () => {
  let open = 0;
  let most = 0;
  const steps: Reply[] = [
    calls(
      ["delegate_to_writer", { task: "1" }],
      ["delegate_to_researcher", { task: "2" }],
      ["delegate_to_writer", { task: "3" }],
    ),
    "done",
  ];
  const host = new ScriptedHost(async ({ role, messages }) => {
    if (role === "manager") return steps.shift() ?? "done";
    most = Math.max(most, ++open);
    await Promise.resolve();
    open -= 1;
    return `did ${(messages[0] as { text: string }).text}`;
  });
  const result = await createAgency(CONFIG, host).generate("Go.");
  expect(most).toBe(3);
  expect(host.asked.at(-1)?.[1]).toBe("did 1\ndid 2\ndid 3");
  expect(result.agentCalls.map((call) => call.input)).toEqual(["1", "2", "3"]);
});

test("A-085 A-086 members are described by their instructions, or by a built agent's own description", async () => {
  const host = hostWith("done");
  const described = Object.assign(createAgent({ instructions: "Secret ways." }, host), { description: "Does maths." });
  const blank = Object.assign(createAgent({ instructions: "Secret ways." }, host), { description: "  " });
  await createAgency({ ...CONFIG, agents: { described, blank, plain: { instructions: "Be plain." } } }, host).generate(
    "Go.",
  );
  expect(host.sent[0]?.system).toContain("- described: Does maths.\n- blank: General purpose\n- plain: Be plain.");
  expect(host.sent[0]?.tools.map((tool) => tool.description)).toEqual([
    "Delegates a task to described: Does maths.",
    "Delegates a task to blank: General purpose",
    "Delegates a task to plain: Be plain.",
  ]);
});

test("A-087 a rejected delegate answers the manager with a refusal and leaves no record", async () => {
  const host = hostWith(calls(["delegate_to_writer", { task: "Write." }]), "done");
  const hitl = { approvals: { beforeAgent: ["writer"] }, handler: () => ({ approved: false, reason: "not today" }) };
  const result = await createAgency({ ...CONFIG, hitl }, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).toBe("writer was not approved for this: not today");
  expect(result.agentCalls).toEqual([]);
});

test("A-088 an agency that nobody answered in gives no answer, and leaves no record", async () => {
  const host = hostWith(calls(["delegate_to_inner", { task: "Write." }]), "done");
  const hitl = { approvals: { beforeAgent: ["x"] }, handler: () => ({ approved: false }) };
  const inner = createAgency({ agents: { x: {} }, hitl }, host);
  const result = await createAgency({ ...CONFIG, agents: { inner } }, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).toBe("inner gave no answer");
  expect(result.agentCalls).toEqual([]);
});

test("B-018 a failing delegate is told to the manager by name and code; the text goes to on.error", async () => {
  const steps: Reply[] = [calls(["delegate_to_writer", { task: "Write." }]), "done"];
  const host = new ScriptedHost(({ role }) => {
    if (role === "manager") return steps.shift() ?? "done";
    throw Object.assign(new TypeError("key sk-secret was refused"), { code: "E_KEY" });
  });
  const messages: string[] = [];
  const on = { error: (event: { error: Error }) => messages.push(event.error.message) };
  await createAgency({ ...CONFIG, on }, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).toBe("writer failed: TypeError (E_KEY)");
  expect(JSON.stringify(host.sent)).not.toContain("sk-secret");
  expect(messages).toEqual(["key sk-secret was refused"]);
});

test("a delegation without a task, and a tool that does not exist, are told to the manager", async () => {
  const host = hostWith(calls(["delegate_to_writer", {}], ["delegate_to_nobody", { task: "x" }]), "done");
  await createAgency(CONFIG, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).toBe(
    'expected { task: string }, with a task in it\nThere is no tool "delegate_to_nobody".',
  );
});
