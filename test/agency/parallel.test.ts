import { expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { numbered, type Script, ScriptedHost } from "./support.ts";

const CONFIG = {
  model: "anthropic:claude-opus-5-5",
  instructions: "Be fair.",
  strategy: "parallel",
  agents: { style: {}, security: { model: "openai:gpt-6-astra", apiKey: "k1" }, tests: {} },
} satisfies AgencyConfig;

/** `failing` members fail with their own error. */
function failing(...names: string[]): Script {
  return ({ agent }) => {
    if (names.includes(agent)) throw Object.assign(new TypeError(`${agent} broke`), { code: "E_BROKEN" });
    return `${agent} says so`;
  };
}

test("A-062 A-031 A-069 all members get the prompt at once on their own routes, and the chair merges labelled outputs", async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const host = new ScriptedHost(async ({ agent }) => {
    if (agent !== "__agency__") await gate;
    return `${agent} says so`;
  });
  const pending = createAgency(CONFIG, host).generate("Review this.");
  await Promise.resolve();
  expect(host.asked).toEqual([
    ["style", "Review this."],
    ["security", "Review this."],
    ["tests", "Review this."],
  ]);
  release();
  const result = await pending;
  const chair = host.sent[3];
  expect(chair).toMatchObject({ agent: "__agency__", role: "synthesizer", toolChoice: "none" });
  expect(chair?.system).toMatch(/\n\nBe fair\.$/);
  const labelled = "[style]:\nstyle says so\n\n[security]:\nsecurity says so\n\n[tests]:\ntests says so";
  expect(host.asked[3]?.[1]).toContain(labelled);
  expect(host.sent[1]?.route).toMatchObject({
    seat: { model: "openai:gpt-6-astra", apiKey: "k1" },
    agency: { model: "anthropic:claude-opus-5-5" },
  });
  expect(result.text).toBe("__agency__ says so");
});

test("A-019 A-022 A-024 the chair is not in the records, gives provider and model, and is in the usage", async () => {
  const host = new ScriptedHost(({ role }) =>
    role === "member" ? "m" : { text: "c", provider: "anthropic", model: "o" },
  );
  const result = await createAgency(CONFIG, host).generate("Go.");
  expect(result.agentCalls.map((call) => call.agent)).toEqual(["style", "security", "tests"]);
  expect(result).toMatchObject({ provider: "anthropic", model: "o" });
  expect(result.usage).toEqual({ promptTokens: 40, completionTokens: 8, totalTokens: 48, costUSD: 2 });
});

test("A-063 A-064 a failed member is left out, logged by name and code, and given to on.error", async () => {
  const host = new ScriptedHost(failing("security"));
  const errors: [string, string][] = [];
  const on = { error: (event: { agent: string; error: Error }) => errors.push([event.agent, event.error.message]) };
  const result = await createAgency({ ...CONFIG, on }, host).generate("Go.");
  expect(host.asked.at(-1)?.[1]).not.toContain("security");
  expect(result.agentCalls.map((call) => call.agent)).toEqual(["style", "tests"]);
  expect(errors).toEqual([["security", "security broke"]]);
  const details = { agency: "__agency__", agent: "security", error: "TypeError (E_BROKEN)" };
  expect(host.logged).toEqual([{ level: "warn", event: "parallel_seat_failed", details }]);
});

test("A-065 A-018 B-014 with every member rejected no synthesis runs and the text is empty", async () => {
  const host = new ScriptedHost(numbered());
  const hitl = { approvals: { beforeAgent: ["style", "security", "tests"] }, handler: () => ({ approved: false }) };
  const result = await createAgency({ ...CONFIG, hitl }, host).generate("Go.");
  expect(result.text).toBe("");
  expect(host.sent).toEqual([]);
});

test("A-066 B-014 with nobody left the first failed member's error is thrown after each failure was told", async () => {
  const host = new ScriptedHost(failing("style", "security", "tests"));
  const told: string[] = [];
  const on = { error: (event: { agent: string }) => told.push(event.agent) };
  await expect(createAgency({ ...CONFIG, on }, host).generate("Go.")).rejects.toThrow("style broke");
  expect(told).toEqual(["style", "security", "tests", "__agency__"]);
  expect(host.sent.every((request) => request.role === "member")).toBe(true);
});

test("A-067 a quorum that is not met throws before synthesis, with the first failure as its cause", async () => {
  const host = new ScriptedHost(failing("security", "tests"));
  const team = createAgency({ ...CONFIG, quorum: { minAgents: 2 } }, host);
  const error = await team.generate("Go.").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: "AgencyQuorumError",
    code: "agency_quorum",
    cause: { message: "security broke" },
  });
  expect(host.sent.every((request) => request.role === "member")).toBe(true);
});

test("A-067 distinct providers are counted too, and 'proceed' goes on with a line in the log", async () => {
  const host = new ScriptedHost(numbered());
  const quorum = { minAgents: 3, minProviders: 2 };
  await expect(createAgency({ ...CONFIG, quorum }, host).generate("Go.")).rejects.toThrow("1 of 2 providers");
  const going = { ...quorum, onShortfall: "proceed" as const };
  expect((await createAgency({ ...CONFIG, quorum: going }, host).generate("Go.")).text).toBe("__agency__ says 1");
  expect(host.logged.map((line) => line.event)).toEqual(["parallel_quorum_shortfall"]);
});

test("B-006 no more members than `concurrency` work at once", async () => {
  let working = 0;
  let most = 0;
  const host = new ScriptedHost(async ({ role }) => {
    if (role !== "member") return "done";
    most = Math.max(most, ++working);
    await Promise.resolve();
    working -= 1;
    return "done";
  });
  const agents = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`m${index}`, {}]));
  const { agentCalls } = await createAgency({ ...CONFIG, agents, concurrency: 2 }, host).generate("Go.");
  expect(most).toBe(2);
  expect(agentCalls.map((call) => call.agent)).toEqual(Object.keys(agents));
});

test("B-006 a member that hangs is ended at its deadline, and the others are merged", async () => {
  const host = new ScriptedHost(({ agent, signal }) =>
    agent === "tests"
      ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
      : "ok",
  );
  const pending = createAgency({ ...CONFIG, seatDeadlineMs: 5_000 }, host).generate("Go.");
  await host.settled(2);
  host.clock.advance(5_000);
  expect((await pending).agentCalls.map((call) => call.agent)).toEqual(["style", "security"]);
  expect(host.logged[0]?.details).toMatchObject({ agent: "tests", error: "Fault (child_timeout)" });
  expect(host.clock.timerCount).toBe(0);
});

test("a hundred members at once are no leak to Node", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.name);
  process.on("warning", listen);
  const agents = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, {}]));
  const result = await createAgency({ ...CONFIG, agents }, new ScriptedHost(numbered())).generate("Go.");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(result.agentCalls).toHaveLength(100);
  expect(warnings).toEqual([]);
});
