// What runs use, the limits on it, the callbacks, and the trail.

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyEvents } from "../../src/agency/callbacks.ts";
import type { AgencyConfig, ControlsConfig } from "../../src/agency/config.ts";
import { canonicalJson, type Json } from "../../src/contract/json.ts";
import { numbered, ScriptedHost } from "./support.ts";

const AGENTS = { a: {}, b: {} };
/** Of one run of AGENTS. */
const USAGE = { promptTokens: 20, completionTokens: 4, totalTokens: 24, costUSD: 1 };

/** Fails at `b` as often as said. */
function failingAt(times: number) {
  let left = times;
  return new ScriptedHost(({ agent }) => {
    if (agent === "b" && left-- > 0) throw new RangeError("b broke");
    return "ok";
  });
}

test("A-024 usage sums a run's calls, and usage() the runs", async () => {
  const team = createAgency({ agents: AGENTS }, new ScriptedHost(numbered()));
  expect((await team.generate("Go.")).usage).toEqual(USAGE);
  await team.generate("Go.");
  expect(await team.usage()).toMatchObject({ promptTokens: 40, completionTokens: 8, totalTokens: 48, costUSD: 2 });
});

test("A-025 B-003 a run that fails adds nothing to the totals; what its answered calls used is kept beside them", async () => {
  const team = createAgency({ agents: AGENTS }, failingAt(1));
  await expect(team.generate("Go.")).rejects.toThrow("b broke");
  expect(await team.usage()).toEqual({
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    failed: { promptTokens: 10, completionTokens: 2, totalTokens: 12, costUSD: 0.5 },
  });
});

test("B-003 an answer that comes after its call was given up is billed as well", async () => {
  let answer = (): void => {};
  const gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const host = new ScriptedHost(() => gate.then(() => "late"));
  const controller = new AbortController();
  const inner = createAgency({ agents: { a: {} } }, host);
  const pending = inner.generate("Go.", { abortSignal: controller.signal });
  await Promise.resolve();
  controller.abort();
  await expect(pending).rejects.toMatchObject({ code: "agency_stopped" });
  answer();
  await host.settled(1);
  expect((await inner.usage()).failed.totalTokens).toBe(12);
});

describe("limits", () => {
  async function breaches(controls: ControlsConfig, runs = 1) {
    const seen: [string, number, number][] = [];
    const on: AgencyEvents = { limitReached: ({ metric, value, limit }) => void seen.push([metric, value, limit]) };
    const team = createAgency({ agents: AGENTS, controls, on }, new ScriptedHost(numbered()));
    for (let run = 0; run < runs; run += 1) await team.generate("Go.");
    return seen;
  }

  test("A-158 A-159 A-161 tokens, cost and calls of a run are compared with their limits when it ends", async () => {
    expect(await breaches({ maxTotalTokens: 23, maxCostUSD: 0.99, maxAgentCalls: 1 })).toEqual([
      ["maxTotalTokens", 24, 23],
      ["maxCostUSD", 1, 0.99],
      ["maxAgentCalls", 2, 1],
    ]);
    expect(await breaches({ maxTotalTokens: 24, maxCostUSD: 1, maxAgentCalls: 2, maxDurationMs: 1 })).toEqual([]);
  });

  test("A-158 A-159 so is its duration", async () => {
    const host = new ScriptedHost(() => {
      host.clock.advance(40);
      return "ok";
    });
    const seen: object[] = [];
    const on: AgencyEvents = { limitReached: (event) => void seen.push(event) };
    await createAgency({ agents: AGENTS, controls: { maxDurationMs: 79 }, on }, host).generate("Go.");
    expect(seen).toMatchObject([{ metric: "maxDurationMs", value: 80, limit: 79 }]);
  });

  test("A-160 before a run begins, the tokens and the cost of all runs before it are compared", async () => {
    expect(await breaches({ maxTotalTokens: 30 }, 3)).toEqual([["maxTotalTokens", 48, 30]]);
  });

  test("A-026 A-160 A-161 under 'error' it is thrown instead, after the run was added; and no further run begins", async () => {
    const told: unknown[] = [];
    const config: AgencyConfig = {
      agents: AGENTS,
      controls: { maxCostUSD: 0.5, onLimitReached: "error" },
      on: { limitReached: (event) => void told.push(event) },
    };
    const host = new ScriptedHost(numbered());
    const team = createAgency(config, host);
    const limit = { name: "AgencyConfigError", details: { metric: "maxCostUSD", value: 1, limit: 0.5 } };
    await expect(team.generate("Go.")).rejects.toMatchObject(limit);
    expect(await team.usage()).toMatchObject(USAGE);
    await expect(team.generate("Go.")).rejects.toMatchObject(limit);
    expect(host.sent).toHaveLength(2);
    expect(told).toEqual([]);
  });

  test.each(["stop", "warn"] as const)("A-162 '%s' reports and interrupts nothing", async (onLimitReached) => {
    expect(await breaches({ maxTotalTokens: 1, onLimitReached })).toEqual([["maxTotalTokens", 24, 1]]);
  });

  test("A-163 maxStepsPerAgent and maxEmergentAgents are accepted and not read", async () => {
    expect(await breaches({ maxStepsPerAgent: 1, maxEmergentAgents: 0 })).toEqual([]);
  });
});

describe("callbacks", () => {
  test("A-017 A-165 agentStart and agentEnd fire once a run, for the agency by its name", async () => {
    const seen: object[] = [];
    const on: AgencyEvents = {
      agentStart: (event) => void seen.push(event),
      agentEnd: (event) => void seen.push(event),
    };
    const host = new ScriptedHost(numbered());
    await createAgency({ name: "team", agents: AGENTS, on }, host).generate("Go.");
    const timestamp = host.clock.now();
    expect(seen).toEqual([
      { agent: "team", input: "Go.", timestamp },
      { agent: "team", output: "b says 1", durationMs: 0, timestamp },
    ]);
    await createAgency({ agents: AGENTS, on }, host).generate("Go.");
    expect(seen[2]).toMatchObject({ agent: "__agency__" });
  });

  test("a run that fails is told to error, with its own error", async () => {
    const seen: [string, string][] = [];
    const on: AgencyEvents = { error: ({ agent, error }) => void seen.push([agent, error.message]) };
    await createAgency({ agents: AGENTS, on }, failingAt(1))
      .generate("Go.")
      .catch(() => {});
    expect(seen).toEqual([["__agency__", "b broke"]]);
  });

  test("H-038 approvals are told when they are asked for and when they are decided", async () => {
    const seen: object[] = [];
    const on: AgencyEvents = {
      approvalRequested: (event) => void seen.push(event),
      approvalDecided: (event) => void seen.push(event),
    };
    const hitl: AgencyConfig["hitl"] = {
      approvals: { beforeAgent: ["a"] },
      handler: () => ({ approved: false, reason: "no" }),
    };
    await createAgency({ agents: AGENTS, on, hitl }, new ScriptedHost(numbered())).generate("Go.", { runId: "r" });
    expect(seen).toMatchObject([
      { type: "agent", agent: "a", id: "r/a#0:approval/0" },
      { requestId: "r/a#0:approval/0", approved: false, reason: "no" },
    ]);
  });

  test("A-181 each guardrail's id is reported as not enforced, and the text passes unchanged", async () => {
    const seen: string[] = [];
    const on: AgencyEvents = {
      guardrailResult: ({ guardrailId, stage, passed, enforced, action }) =>
        void seen.push([stage, guardrailId, passed, enforced, action].join(" ")),
    };
    const host = new ScriptedHost(numbered());
    const guardrails = { input: ["pii"], output: ["grounding"] };
    expect((await createAgency({ agents: AGENTS, on, guardrails }, host).generate("Go.")).text).toBe("b says 1");
    await createAgency({ agents: AGENTS, on, guardrails: ["both"] }, host).generate("Go.");
    const rest = "true false allow";
    expect(seen).toEqual([
      `input pii ${rest}`,
      `output grounding ${rest}`,
      `input both ${rest}`,
      `output both ${rest}`,
    ]);
    expect(() => createAgency({ agents: AGENTS, guardrails: "pii" as never }, host)).toThrow("guardrails: expected");
  });

  test("A-166 one that throws, and one whose promise rejects, is logged by name and changes nothing", async () => {
    const host = new ScriptedHost(numbered());
    const on: AgencyEvents = {
      agentStart: () => {
        throw new TypeError("secret");
      },
      agentEnd: () => Promise.reject(new RangeError("secret")),
    };
    expect((await createAgency({ agents: AGENTS, on }, host).generate("Go.")).text).toBe("b says 1");
    await Promise.resolve();
    const line = (callback: string, error: string) => ({
      level: "warn",
      event: "agency_callback_threw",
      details: { callback, error },
    });
    expect(host.logged).toEqual([line("agentStart", "TypeError"), line("agentEnd", "RangeError")]);
  });

  test("A-167 each is read when its event fires: one that is set later runs, one that is deleted does not", async () => {
    const seen: string[] = [];
    const on: AgencyEvents = { agentEnd: () => void seen.push("end") };
    const team = createAgency({ agents: AGENTS, on }, new ScriptedHost(numbered()));
    on.agentStart = () => {
      seen.push("start");
      delete on.agentEnd;
    };
    await team.generate("Go.");
    expect(seen).toEqual(["start"]);
  });

  test("A-168 a getter is read only then, and one that throws is logged", async () => {
    let reads = 0;
    const on = {
      get agentStart(): never {
        reads += 1;
        throw new TypeError("no");
      },
    };
    const host = new ScriptedHost(numbered());
    const team = createAgency({ agents: AGENTS, on }, host);
    expect(reads).toBe(0);
    await team.generate("Go.");
    expect(reads).toBe(1);
    expect(host.logged.map((line) => line.event)).toEqual(["agency_callback_threw"]);
  });
});

describe("provenance", () => {
  const trailOf = async (config: Partial<AgencyConfig>, host = new ScriptedHost(numbered())) =>
    (await createAgency({ agents: AGENTS, ...config }, host).generate("Go.")).provenanceTrail;

  test("A-171 A-172 the trail holds what happened, in order, and the final text; without it there is none", async () => {
    const trail = await trailOf({ provenance: { enabled: true } });
    expect(trail?.map((entry) => [entry.index, entry.kind])).toEqual([
      [0, "agentStart"],
      [1, "agentEnd"],
      [2, "output"],
    ]);
    expect(trail?.[2]?.data).toEqual({ text: "b says 1" });
    expect(trail?.[0]).not.toHaveProperty("hash");
    expect(await trailOf({})).toBeUndefined();
  });

  test("A-172 decisions and errors are in it, errors by name and code", async () => {
    const failing = new ScriptedHost(({ agent, role }) => {
      if (agent === "a" && role === "member") throw new TypeError("sk-secret");
      return "ok";
    });
    const config: Partial<AgencyConfig> = {
      model: "m",
      strategy: "parallel",
      hitl: { approvals: { beforeAgent: ["b"] }, handler: () => ({ approved: true }) },
      provenance: { enabled: true },
    };
    const trail = await trailOf(config, failing);
    expect(trail?.map((entry) => entry.kind)).toEqual(expect.arrayContaining(["approvalDecided", "error"]));
    expect(JSON.stringify(trail)).not.toContain("sk-secret");
  });

  test("A-173 with hashChain each entry's SHA-256 is over the entry and the hash before it", async () => {
    const trail = (await trailOf({ provenance: { enabled: true, hashChain: true } })) ?? [];
    let previousHash = "0".repeat(64);
    for (const { hash, ...entry } of trail) {
      expect(entry.previousHash).toBe(previousHash);
      previousHash = createHash("sha256")
        .update(canonicalJson(entry as unknown as Json))
        .digest("hex");
      expect(hash).toBe(previousHash);
    }
    expect(trail).toHaveLength(3);
  });

  test("A-174 kinds that are set to false are left out", async () => {
    const trail = await trailOf({ provenance: { enabled: true, record: { agentStart: false, agentEnd: true } } });
    expect(trail?.map((entry) => entry.kind)).toEqual(["agentEnd", "output"]);
  });
});
