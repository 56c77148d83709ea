import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import { createAgent } from "../../src/agency/agent.ts";
import type { AgencyConfig, Agent } from "../../src/agency/config.ts";
import { numbered, ScriptedHost } from "./support.ts";

const MODEL = { model: "openai:gpt-4.1" };

/** An agency of which nobody answers. */
function silent(host: ScriptedHost, name = "silent") {
  const hitl = { approvals: { beforeAgent: ["x"] }, handler: () => ({ approved: false }) };
  return createAgency({ name, agents: { x: {} }, hitl }, host);
}

test("A-176 A-177 an agency in a roster is one call: one record with its final text, its usage in the totals", async () => {
  const host = new ScriptedHost(numbered());
  const research = createAgency({ agents: { searcher: {}, analyst: {} } }, host);
  const team = createAgency({ agents: { research, writer: {} } }, host);
  const result = await team.generate("Write.");
  expect(result.agentCalls.map(({ agent, output }) => [agent, output])).toEqual([
    ["research", "analyst says 1"],
    ["writer", "writer says 1"],
  ]);
  expect(result.agentCalls[0]).toMatchObject({ input: "Write.", usage: { totalTokens: 24 }, toolCalls: [] });
  expect(result.usage.totalTokens).toBe(36);
  expect((await team.usage()).totalTokens).toBe(36);
  expect((await research.usage()).totalTokens).toBe(24);
});

test("A-176 agencies nest to any depth, and every call has a path that tells where it is", async () => {
  const host = new ScriptedHost(numbered());
  let team = createAgency({ agents: { leaf: {} } }, host);
  for (let depth = 0; depth < 20; depth += 1) team = createAgency({ agents: { inner: team } }, host);
  const result = await team.generate("Go.", { runId: "agn_deep" });
  expect(result.text).toBe("leaf says 1");
  expect(host.sent[0]?.key).toEqual({ runId: "agn_deep", path: `${"inner#0/".repeat(20)}leaf#0`, index: 0 });
});

test("A-178 a nested agency's provenance trail is not in its parent's result", async () => {
  const host = new ScriptedHost(numbered());
  const inner = createAgency({ agents: { x: {} }, provenance: { enabled: true } }, host);
  expect(await createAgency({ agents: { inner } }, host).generate("Go.")).not.toHaveProperty("provenanceTrail");
});

test("A-180 closing an agency closes those that were built before, nested ones included, once; then it is closed", async () => {
  const host = new ScriptedHost(numbered());
  const closed: string[] = [];
  const foreign = (name: string): Agent => ({
    generate: async () => ({ text: name }),
    close: () => void closed.push(name),
  });
  const inner = createAgency({ agents: { a: foreign("a"), b: {} } }, host);
  const solo = createAgent({}, host);
  const team = createAgency({ agents: { inner, c: foreign("c"), solo } }, host);
  await team.close();
  await team.close();
  expect(closed.sort()).toEqual(["a", "c"]);
  for (const one of [team, inner, solo])
    await expect(one.generate("Go.")).rejects.toMatchObject({ code: "wrong_state" });
});

describe("A-179 an agency that nobody answered in counts as a rejected member", () => {
  async function play(config: (inner: Agent) => AgencyConfig) {
    const host = new ScriptedHost(numbered());
    const result = await createAgency(config(silent(host)), host).generate("Go.");
    return { host, result, agents: result.agentCalls.map((call) => call.agent) };
  }

  test("A-059 A-179 in a sequence it is skipped", async () => {
    const { host, result, agents } = await play((inner) => ({ agents: { a: {}, inner, b: {} } }));
    expect(agents).toEqual(["a", "b"]);
    expect(host.asked.at(-1)?.[1]).toBe("Original task: Go.\n\nPrevious agent output:\na says 1");
    expect(result.text).toBe("b says 1");
  });

  test("A-068 A-179 in parallel it is left out, of the quorum too", async () => {
    const config = (inner: Agent): AgencyConfig => ({ ...MODEL, strategy: "parallel", agents: { a: {}, inner } });
    expect((await play(config)).agents).toEqual(["a"]);
    const quorum = { minAgents: 2 };
    await expect(play((inner) => ({ ...config(inner), quorum }))).rejects.toMatchObject({ name: "AgencyQuorumError" });
  });

  test("A-075 A-179 in a debate its turn is sat out", async () => {
    const { agents } = await play((inner) => ({
      ...MODEL,
      strategy: "debate",
      maxRounds: 1,
      agents: { inner, a: {} },
    }));
    expect(agents).toEqual(["a"]);
  });

  test("A-081 A-179 as the drafter it ends the loop, and no reviewer is asked", async () => {
    const { result, host } = await play((inner) => ({ strategy: "review-loop", agents: { inner, reviewer: {} } }));
    expect(result.text).toBe("");
    expect(host.sent).toEqual([]);
  });

  test("A-082 A-179 as the reviewer it leaves the draft standing", async () => {
    const { result } = await play((inner) => ({ strategy: "review-loop", agents: { drafter: {}, inner } }));
    expect(result.text).toBe("drafter says 1");
  });

  test("A-108 A-179 in a graph it is passed on as skipped", async () => {
    const { host, agents } = await play((inner) => ({ agents: { inner, b: { dependsOn: ["inner"] } } }));
    expect(host.asked[0]?.[1]).toBe("Original task: Go.\n\nOutputs from dependencies:\n[inner]:\n[skipped by HITL]");
    expect(agents).toEqual(["b"]);
  });

  test("A-018 A-179 and an agency of nothing else has an empty text", async () => {
    expect((await play((inner) => ({ agents: { inner } }))).result.text).toBe("");
  });
});

test("A-008 an object of the host's own takes a seat by its generate(), with the call's options", async () => {
  const host = new ScriptedHost(numbered());
  const seen: unknown[] = [];
  const own: Agent = {
    generate: async (prompt, options) => {
      seen.push(prompt, options?.temperature, options?.abortSignal instanceof AbortSignal);
      return { text: "mine", usage: { promptTokens: 3, completionTokens: 1 }, provider: "own" };
    },
  };
  const result = await createAgency({ agents: { own } }, host).generate("Go.", { temperature: 1 });
  expect(seen).toEqual(["Go.", 1, true]);
  expect(result).toMatchObject({ text: "mine", provider: "own", usage: { totalTokens: 4 } });
});

test("B-007 an object of the host's own that never ends does not hold an aborted run", async () => {
  const host = new ScriptedHost(numbered());
  const controller = new AbortController();
  const own: Agent = { generate: () => new Promise(() => {}) };
  const pending = createAgency({ agents: { own } }, host).generate("Go.", { abortSignal: controller.signal });
  controller.abort();
  await expect(pending).rejects.toMatchObject({ code: "agency_stopped" });
});
