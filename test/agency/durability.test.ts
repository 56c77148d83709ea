// Killed at every boundary between two calls and started again over what was kept: the run is the one that was
// never disturbed, and no call that was answered is sent again.

import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import type { SeatRequest } from "../../src/agency/port.ts";
import { type Journal, Killed, lastText, type Reply, ScriptedHost } from "./support.ts";

/** Answers follow from the request alone, as a model's would be kept. */
function script(request: SeatRequest): Reply {
  const { role, agent, key } = request;
  const usage = {
    promptTokens: key.index + 1,
    completionTokens: lastText(request).length,
    totalTokens: 0,
    costUSD: 0.1,
  };
  if (role === "manager" && key.index === 0) return { ...calls("writer", "researcher", "writer"), usage };
  if (role === "manager" && key.index === 1) return { ...calls("team"), usage };
  if (agent === "tooled" && key.index < 2) {
    return { toolCalls: [{ id: "t", name: "count", input: {} }], usage };
  }
  if (agent === "reviewer") return { text: '{"approved": false, "feedback": "again"}', usage };
  return { text: `${agent} at ${key.path}: ${lastText(request).length}`, usage };
}

function calls(...names: string[]): { toolCalls: { id: string; name: string; input: { task: string } }[] } {
  return {
    toolCalls: names.map((name, index) => ({
      id: `c${index}`,
      name: `delegate_to_${name}`,
      input: { task: `${index}` },
    })),
  };
}

interface Counts {
  tool: number;
  approval: number;
}

const MODEL = { model: "openai:gpt-4.1" };

function inner(host: ScriptedHost, strategy: AgencyConfig["strategy"] = "parallel") {
  return createAgency({ ...MODEL, strategy, agents: { p: {}, q: {} } }, host);
}

const CONFIGS: { [name: string]: (host: ScriptedHost, counts: Counts) => AgencyConfig } = {
  sequential: (host, counts) => ({
    agents: {
      a: {},
      tooled: { tools: { count: { execute: () => `count ${++counts.tool}` } } },
      built: createAgent({ instructions: "Built." }, host),
      team: inner(host),
      foreign: { generate: async (prompt) => ({ text: `foreign ${prompt.length}`, usage: { promptTokens: 4 } }) },
    },
  }),
  approved: (_host, counts) => ({
    agents: { a: {}, b: {}, c: {} },
    hitl: {
      approvals: { beforeAgent: ["b", "c"], beforeReturn: true },
      handler: ({ agent }) => {
        counts.approval += 1;
        return { approved: agent !== "b", modifications: { instructions: "Briefly." } };
      },
    },
  }),
  parallel: (host) => ({ ...MODEL, strategy: "parallel", agents: { a: {}, team: inner(host, "debate"), c: {} } }),
  debate: () => ({ ...MODEL, strategy: "debate", maxRounds: 2, agents: { a: {}, b: {} } }),
  "review-loop": () => ({ strategy: "review-loop", maxRounds: 2, agents: { drafter: {}, reviewer: {} } }),
  graph: () => ({ agents: { a: {}, b: { dependsOn: ["a"] }, c: { dependsOn: ["a"] }, d: { dependsOn: ["b", "c"] } } }),
  "graph, ready": () => ({
    scheduling: "ready",
    agents: { a: {}, b: { dependsOn: ["a"] }, c: {}, d: { dependsOn: ["b", "c"] } },
  }),
  hierarchical: (host) => ({
    ...MODEL,
    strategy: "hierarchical",
    agents: { writer: {}, researcher: {}, team: inner(host, "sequential") },
  }),
  "with output": () => ({
    agents: { a: {}, b: {} },
    output: { safeParse: () => ({ success: false as const, error: "never" }) },
    controls: { maxValidationRetries: 2 },
  }),
};

const OPTIONS = { runId: "agn_test" };

async function play(name: string, host: ScriptedHost, counts: Counts) {
  const config = CONFIGS[name]?.(host, counts) as AgencyConfig;
  const team = createAgency(config, host);
  const result = await team.generate("The task.", OPTIONS).catch((error: unknown) => error);
  return { result, usage: await team.usage() };
}

function keyOf({ key }: SeatRequest): string {
  return `${key.runId} ${key.path} ${key.index}`;
}

async function undisturbed(name: string) {
  const journal: Journal = new Map();
  const counts = { tool: 0, approval: 0 };
  const whole = await play(name, new ScriptedHost(script, { journal }), counts);
  expect(whole.result).not.toBeInstanceOf(Error);
  return { whole, counts, size: journal.size };
}

describe.each(Object.keys(CONFIGS))("%s", (name) => {
  test("B-001 killed after any number of answers and started again, it ends as if undisturbed and sends nothing twice", async () => {
    const { whole, counts, size } = await undisturbed(name);
    expect(size).toBeGreaterThan(2);
    for (let killAfter = 0; killAfter < size; killAfter += 1) {
      const journal: Journal = new Map();
      const seen = { tool: 0, approval: 0 };
      const first = new ScriptedHost(script, { journal, killAfter });
      expect((await play(name, first, seen)).result).toBeInstanceOf(Error);
      const settled = new Set(journal.keys());
      const second = new ScriptedHost(script, { journal });
      expect(await play(name, second, seen)).toEqual(whole);
      expect(second.sent.map(keyOf).filter((key) => settled.has(key))).toEqual([]);
      expect(journal.size).toBe(size);
      // Work of the host that was under way when the process died is done again, and only that.
      expect(seen.tool - counts.tool).toBeLessThanOrEqual(1);
      expect(seen.approval - counts.approval).toBeLessThanOrEqual(1);
    }
  });

  test("B-001 killed again and again, one answer further each time, every call is sent once when it settles", async () => {
    const { whole, size } = await undisturbed(name);
    const journal: Journal = new Map();
    const counts = { tool: 0, approval: 0 };
    for (let round = 0; round < size; round += 1) {
      await play(name, new ScriptedHost(script, { journal, killAfter: 1 }), counts);
      expect(journal.size).toBe(round + 1);
    }
    const last = new ScriptedHost(script, { journal });
    expect(await play(name, last, counts)).toEqual(whole);
    expect(last.sent).toEqual([]);
  });
});

test("a process that is killed keeps nothing more", async () => {
  const journal: Journal = new Map();
  const host = new ScriptedHost(script, { journal, killAfter: 1 });
  const { result } = await play("sequential", host, { tool: 0, approval: 0 });
  expect(result).toBeInstanceOf(Killed);
  expect(journal.size).toBe(1);
});
