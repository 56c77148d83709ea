// What `agency()` refuses before anything runs, and what it says about it.

import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { numbered, ScriptedHost } from "./support.ts";

function built(config: object) {
  const host = new ScriptedHost(numbered());
  return { team: createAgency(config as AgencyConfig, host), host };
}

function refusal(config: object): unknown {
  try {
    built(config);
    return undefined;
  } catch (error) {
    return error;
  }
}

const TWO = { a: {}, b: {} };

describe("A-011 a configuration that cannot run is an AgencyConfigError when agency() is called", () => {
  test.each([
    ["no member", { agents: {} }, "agents: expected at least one member"],
    ["no roster", {}, "agents: expected an object, got undefined"],
    [
      "an option that does not exist",
      { agents: TWO, startegy: "debate" },
      'there is no option "startegy"; options: agents',
    ],
    [
      "a member's option that does not exist",
      { agents: { a: { instrctions: "x" } } },
      'agents.a: there is no option "instrctions"',
    ],
    ["a strategy that does not exist", { agents: TWO, strategy: "vote" }, 'strategy: expected one of "sequential"'],
    [
      "rounds that are no number",
      { agents: TWO, maxRounds: "3" },
      'maxRounds: expected a whole number, 1 to 100, got "3"',
    ],
    ["rounds past the limit", { agents: TWO, maxRounds: 101 }, "got 101"],
    ["an output that is no schema", { agents: TWO, output: {} }, "output: expected a Zod schema, got an object"],
    [
      "a quorum that can never be met",
      { agents: TWO, quorum: { minAgents: 3 } },
      "quorum.minAgents: expected a whole number, 0 to 2",
    ],
    [
      "review-loop with three",
      { agents: { ...TWO, c: {} }, strategy: "review-loop" },
      "review-loop takes exactly 2 members, got 3",
    ],
    [
      "a name that is no tool's",
      { agents: { "a b": {} }, strategy: "hierarchical", model: "m" },
      '"a b" becomes a tool\'s name',
    ],
    ["a key that is no text", { agents: { a: { apiKey: 12345 } } }, "agents.a.apiKey: expected a text, got a number"],
  ])("A-011 %s", (_what, config, message) => {
    expect(refusal(config)).toMatchObject({ name: "AgencyConfigError", code: "agency_config" });
    expect(String(refusal(config))).toContain(message);
  });

  test("A-012 parallel and debate without a model or a provider on the agency", () => {
    for (const strategy of ["parallel", "debate"]) {
      expect(refusal({ agents: { a: { model: "m" }, b: { model: "m" } }, strategy })).toMatchObject({
        name: "AgencyConfigError",
        message: `strategy: "${strategy}" makes a call of its own: set model or provider on the agency itself`,
      });
      expect(refusal({ agents: TWO, strategy, provider: "openai" })).toBeUndefined();
    }
  });

  test("A-094 hierarchical without a model or a provider on the agency", () => {
    expect(refusal({ agents: TWO, strategy: "hierarchical" })).toMatchObject({ name: "AgencyConfigError" });
  });

  test("A-013 A-113 emergent outside of a hierarchical agency", () => {
    const emergent = { enabled: true };
    expect(refusal({ agents: TWO, emergent })).toMatchObject({ name: "AgencyConfigError" });
    expect(refusal({ agents: TWO, emergent, strategy: "hierarchical", model: "m" })).toBeUndefined();
    expect(refusal({ agents: TWO, emergent, adaptive: true, model: "m" })).toBeUndefined();
  });

  test("A-014 approvals without a handler", () => {
    expect(refusal({ agents: TWO, hitl: { approvals: { beforeReturn: true } } })).toMatchObject({
      name: "AgencyConfigError",
    });
    expect(refusal({ agents: TWO, hitl: { approvals: { beforeReturn: false, beforeAgent: [] } } })).toBeUndefined();
  });

  test("A-112 adaptive with the panel strategy", () => {
    expect(refusal({ agents: TWO, adaptive: true, strategy: "panel", model: "m" })).toMatchObject({
      name: "AgencyConfigError",
    });
  });
});

test("A-015 A-016 options of other surfaces are warned of, and change nothing", () => {
  const { host } = built({ agents: TWO, cognitiveMechanisms: {}, agencies: { launch: true } });
  expect(host.logged).toEqual([
    { level: "warn", event: "agency_option_ignored", details: { option: "agencies" } },
    { level: "warn", event: "agency_option_ignored", details: { option: "cognitiveMechanisms" } },
  ]);
});

test("A-183 A-030 memory, security, permissions, observability, effort and maxTokens are accepted and change nothing", async () => {
  const { team, host } = built({
    agents: TWO,
    memory: { shared: true },
    security: { tier: "strict" },
    permissions: { tools: [] },
    observability: { otel: true },
    effort: "high",
    maxTokens: 1,
  });
  expect((await team.generate("Go.")).text).toBe("b says 1");
  expect(host.sent.map((request) => request.settings)).toEqual([{}, {}]);
  expect(host.logged).toHaveLength(6);
});

test("A-110 adaptive compiles hierarchical, whatever the strategy says", () => {
  expect(built({ agents: TWO, adaptive: true, strategy: "sequential", model: "m" }).team.strategy).toBe("hierarchical");
});

test("A-105 A-106 a cycle and a name that is no member are found in dependsOn", () => {
  const cycle = { a: { dependsOn: ["b"] }, b: { dependsOn: ["a"] }, c: {} };
  expect(refusal({ agents: cycle })).toMatchObject({
    name: "AgencyConfigError",
    message: "agents: dependsOn has a cycle among a, b",
  });
  expect(refusal({ agents: { a: { dependsOn: ["x"] } } })).toMatchObject({
    name: "AgencyConfigError",
    message: 'agents.a.dependsOn: "x" is no member; members: a',
  });
});

test("A-107 a dependsOn that is no list of names is refused by the member's name, on a built agent too; null is unset", () => {
  const agent = createAgent({ instructions: "x" }, new ScriptedHost(numbered()));
  for (const dependsOn of ["a", ["a", 3], 7]) {
    for (const b of [{ dependsOn }, Object.assign(agent, { dependsOn })]) {
      expect(refusal({ agents: { a: {}, b } })).toMatchObject({
        name: "AgencyConfigError",
        message: expect.stringContaining("agents.b.dependsOn: expected a list of members' names"),
      });
    }
  }
  expect(built({ agents: { a: {}, b: { dependsOn: null } } }).team.strategy).toBe("sequential");
});

test("an empty prompt, and one that is no text, are refused before anything is asked", async () => {
  const { team, host } = built({ agents: TWO });
  await expect(team.generate("  ")).rejects.toMatchObject({ code: "option_type" });
  await expect(team.generate(undefined as never)).rejects.toMatchObject({ code: "option_type" });
  expect(host.sent).toEqual([]);
});
