import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig, EmergentConfig } from "../../src/agency/config.ts";
import { lastText, type Reply, ScriptedHost } from "./support.ts";

type Input = { [key: string]: string };

function step(...calls: [string, Input][]): Reply {
  return { toolCalls: calls.map(([name, input], index) => ({ id: `c${index}`, name, input })) };
}

const spawn = (input: Input): [string, Input] => ["spawn_specialist", { instructions: "Draw charts.", ...input }];

const YES = '{"approved": true, "reason": "fine"}';

interface Setting extends Partial<AgencyConfig> {
  emergent?: EmergentConfig;
  verdicts?: Reply[];
}

/** What the manager read after each of its steps, and the host that was asked. */
async function play(steps: Reply[], { verdicts = [], ...config }: Setting = {}) {
  const queue = [...steps];
  const host = new ScriptedHost(({ role, agent }) => {
    if (role === "manager") return queue.shift() ?? "done";
    if (role === "emergent-judge") return verdicts.shift() ?? YES;
    return `${agent} did it`;
  });
  const team = createAgency(
    {
      model: "openai:gpt-4.1",
      strategy: "hierarchical",
      agents: { writer: {} },
      emergent: { enabled: true },
      ...config,
    },
    host,
  );
  const result = await team.generate("Go.");
  const read = host.sent
    .filter((request) => request.role === "manager")
    .slice(1)
    .map(lastText);
  return { host, team, result, read };
}

function errorIn(text: string | undefined): string {
  return (JSON.parse(text ?? "{}") as { error: { code: string } }).error.code;
}

test("A-093 with emergent the manager has spawn_specialist too, and without it not", async () => {
  const names = async (setting: Setting) =>
    (await play(["done"], setting)).host.sent[0]?.tools.map((tool) => tool.name);
  expect(await names({})).toEqual(["delegate_to_writer", "spawn_specialist"]);
  expect(await names({ emergent: { enabled: false } })).toEqual(["delegate_to_writer"]);
});

test("A-114 A-089 a specialist joins the roster, is in the manager's next request and runs when called", async () => {
  const { host, result } = await play([
    step(spawn({ role: "chartist" })),
    step(["delegate_to_chartist", { task: "Draw." }]),
    "done",
  ]);
  const managers = host.sent.filter((request) => request.role === "manager");
  expect(managers.map((request) => request.tools.length)).toEqual([2, 3, 3]);
  expect(managers[1]?.tools[1]).toMatchObject({
    name: "delegate_to_chartist",
    description: "Delegates a task to chartist: Draw charts.",
  });
  expect(host.sent[2]).toMatchObject({
    agent: "chartist",
    system: "Draw charts.",
    route: { seat: {}, agency: { model: "openai:gpt-4.1" } },
  });
  expect(result.agentCalls.map(({ agent, output }) => [agent, output])).toEqual([["chartist", "chartist did it"]]);
});

test("A-131 A-132 the next run starts from the configured roster, whatever the tier says", async () => {
  const { host, team } = await play([step(spawn({ role: "chartist" })), "done"], {
    emergent: { enabled: true, tier: "shared" },
  });
  await team.generate("Again.");
  expect(host.sent.at(-1)?.tools.map((tool) => tool.name)).toEqual(["delegate_to_writer", "spawn_specialist"]);
});

describe("A-130 a refusal is a result that the manager reads, and the run goes on", () => {
  test.each([
    ["A-120", "empty_instructions", { role: "a", instructions: "  " }],
    ["A-121", "reserved_role", { role: "final_answer" }],
    ["A-121", "reserved_role", { role: "delegate_to_writer" }],
    ["A-122", "invalid_role", { role: "chart ist" }],
    ["A-122", "invalid_role", { role: "1st" }],
    ["A-126", "role_taken", { role: "writer" }],
  ])("%s %s for %o", async (_id, code, input) => {
    const { read, result } = await play([step(spawn(input)), "done"]);
    expect(errorIn(read[0])).toBe(code);
    expect(result.text).toBe("done");
  });

  test("A-120 A-130 empty instructions", async () => {
    expect(errorIn((await play([step(spawn({ role: "a", instructions: "" }))])).read[0])).toBe("empty_instructions");
  });

  test("A-121 A-130 a reserved name", async () => {
    expect(errorIn((await play([step(spawn({ role: "spawn_specialist" }))])).read[0])).toBe("reserved_role");
  });

  test("A-122 A-130 a name that is none", async () => {
    expect(errorIn((await play([step(spawn({ role: "a b" }))])).read[0])).toBe("invalid_role");
  });

  test("A-126 A-130 a name that is taken, by a member or by a specialist of the same step", async () => {
    const { read } = await play([step(spawn({ role: "x" }), spawn({ role: "x" }), spawn({ role: "writer" })), "done"]);
    const [first, second, third] = (read[0] ?? "").split("\n");
    expect(JSON.parse(first ?? "")).toEqual({ success: true, role: "x", tool: "delegate_to_x" });
    expect([errorIn(second), errorIn(third)]).toEqual(["role_taken", "role_taken"]);
  });

  test("A-123 A-117 A-130 a justification that is demanded and missing; given, it is in the callback", async () => {
    const forged: unknown[] = [];
    const on = { emergentForge: (event: object) => forged.push(event) };
    const emergent = { enabled: true, planner: { requireJustification: true } };
    const steps = [step(spawn({ role: "a" })), step(spawn({ role: "a", justification: "Nobody draws." })), "done"];
    const { read } = await play(steps, { emergent, on });
    expect(errorIn(read[0])).toBe("missing_justification");
    expect(forged).toMatchObject([
      { agentName: "a", approved: false },
      { agentName: "a", approved: true, justification: "Nobody draws.", instructions: "Draw charts." },
    ]);
  });

  test("A-116 A-124 A-130 five specialists a run, or maxSpecialists; refused ones do not count", async () => {
    const six = Array.from({ length: 6 }, (_, index) => spawn({ role: `s${index}` }));
    const { read } = await play([step(spawn({ role: "1x" }), ...six), "done"]);
    const lines = (read[0] ?? "").split("\n");
    expect(lines.slice(1, 6).every((line) => line.includes('"success":true'))).toBe(true);
    expect(errorIn(lines[6])).toBe("max_specialists");
    const emergent = { enabled: true, planner: { maxSpecialists: 1 } };
    const one = await play([step(spawn({ role: "a" }), spawn({ role: "b" })), "done"], { emergent });
    expect(errorIn(one.read[0]?.split("\n")[1])).toBe("max_specialists");
  });

  test("A-125 A-118 A-130 judge calls are limited to twice the specialists, refused ones included", async () => {
    const verdicts: Reply[] = ['{"approved": false, "reason": "no"}', '{"approved": false, "reason": "no"}'];
    const emergent = { enabled: true, judge: true, planner: { maxSpecialists: 1 } };
    const steps = [step(spawn({ role: "a" }), spawn({ role: "b" }), spawn({ role: "c" })), "done"];
    const { read, host } = await play(steps, { emergent, verdicts });
    expect((read[0] ?? "").split("\n").map(errorIn)).toEqual(["judge_refused", "judge_refused", "max_judge_calls"]);
    expect(host.sent.filter((request) => request.role === "emergent-judge")).toHaveLength(2);
  });

  test("A-118 without a judge its limit has no effect", async () => {
    const emergent = { enabled: true, planner: { maxJudgeCalls: 0 } };
    expect((await play([step(spawn({ role: "a" })), "done"], { emergent })).read[0]).toContain('"success":true');
  });

  test("A-127 A-130 H-035 an approver that refuses; it is asked before the judge is paid", async () => {
    const hitl = { approvals: { beforeEmergent: true }, handler: () => ({ approved: false, reason: "too many" }) };
    const { read, host } = await play([step(spawn({ role: "a" })), "done"], {
      hitl,
      emergent: { enabled: true, judge: true },
    });
    expect(errorIn(read[0])).toBe("not_approved");
    expect(read[0]).toContain("too many");
    expect(host.sent.every((request) => request.role === "manager")).toBe(true);
  });

  test("A-128 A-115 A-130 a judge that refuses", async () => {
    const verdicts: Reply[] = ['```json\n{"approved": false, "reason": "out of scope"}\n```'];
    const { read, host } = await play([step(spawn({ role: "a" })), "done"], {
      verdicts,
      emergent: { enabled: true, judge: true },
    });
    expect(errorIn(read[0])).toBe("judge_refused");
    expect(host.asked[1]?.[1]).toBe("Role: a\nInstructions: Draw charts.");
  });

  test("A-129 A-130 a judge whose answer is no JSON, and one that fails", async () => {
    const emergent = { enabled: true, judge: true };
    const malformed = await play([step(spawn({ role: "a" })), "done"], { emergent, verdicts: ["Looks fine to me."] });
    expect(errorIn(malformed.read[0])).toBe("judge_failed");
    const broken = Promise.reject(new TypeError("key sk-1 refused"));
    broken.catch(() => {});
    const failed = await play([step(spawn({ role: "a" })), "done"], { emergent, verdicts: [broken as never] });
    expect(errorIn(failed.read[0])).toBe("judge_failed");
    expect(failed.read[0]).not.toContain("sk-1");
  });
});

test("A-115 an approving judge lets the specialist join, and its call is usage but no record", async () => {
  const { read, result } = await play([step(spawn({ role: "a" })), "done"], {
    emergent: { enabled: true, judge: true },
  });
  expect(read[0]).toContain('"success":true');
  expect(result.agentCalls).toEqual([]);
  expect(result.usage.totalTokens).toBe(36);
});

test.each([
  [{ model: "openai:gpt-4.1" }, "openai:gpt-4o-mini"],
  [{ model: "x", provider: "anthropic" }, "claude-haiku-4-5-20251001"],
  [{ model: "gemini:g" }, "gemini:gemini-2.5-flash"],
  [{ provider: "groq" }, "llama-3.3-70b-versatile"],
  [{ model: "mistral:m" }, "mistral:m"],
])("A-119 the judge of an agency on %o is %s", async (route, model) => {
  const config = { emergent: { enabled: true, judge: true }, model: undefined as never, ...route };
  const { host } = await play([step(spawn({ role: "a" })), "done"], config);
  expect(host.sent[1]?.route.seat.model).toBe(model);
});

test("A-119 judgeModel goes before the provider's small model", async () => {
  const emergent = { enabled: true, judge: true, planner: { judgeModel: "openai:o3" } };
  expect((await play([step(spawn({ role: "a" })), "done"], { emergent })).host.sent[1]?.route.seat.model).toBe(
    "openai:o3",
  );
});
