// Limits that are kept while a run goes on.

import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig, ControlsConfig } from "../../src/agency/config.ts";
import { numbered, ScriptedHost } from "./support.ts";

const AGENTS = { a: {}, b: {}, c: {} };

async function play(controls: ControlsConfig, config: Partial<AgencyConfig> = {}) {
  const host = new ScriptedHost(numbered());
  const told: [string, number, number][] = [];
  const on: AgencyConfig["on"] = { limitReached: ({ metric, value, limit }) => void told.push([metric, value, limit]) };
  const team = createAgency({ agents: AGENTS, on, controls: { enforce: "live", ...controls }, ...config }, host);
  const result = await team.generate("Go.").catch((error: unknown) => error);
  return { host, told, team, result };
}

describe("B-004 with enforce: 'live' a limit stops the run at the first call that it no longer allows", () => {
  test.each([
    ["maxTotalTokens", { maxTotalTokens: 24 }, 24],
    ["maxCostUSD", { maxCostUSD: 1 }, 1],
    ["maxAgentCalls", { maxAgentCalls: 2 }, 2],
  ])("B-004 %s: what there is comes back, with the limit", async (metric, controls, limit) => {
    const { host, told, result, team } = await play(controls);
    expect(result).toMatchObject({ text: "b says 1", stopped: { metric, value: limit, limit } });
    expect((result as { agentCalls: object[] }).agentCalls).toHaveLength(2);
    expect(host.sent).toHaveLength(2);
    expect(told).toEqual([[metric, limit, limit]]);
    expect(await team.usage()).toMatchObject({ totalTokens: 24, failed: { totalTokens: 0 } });
  });

  test("B-004 a run that stays below says nothing of it", async () => {
    const { result, told } = await play({ maxTotalTokens: 37, maxAgentCalls: 3 });
    expect(result).not.toHaveProperty("stopped");
    expect(told).toEqual([]);
  });

  test("B-004 what is under way when the time is up is stopped", async () => {
    const host = new ScriptedHost(({ agent, signal }) =>
      agent === "b" ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) : "ok",
    );
    const team = createAgency({ agents: AGENTS, controls: { enforce: "live", maxDurationMs: 1_000 } }, host);
    const pending = team.generate("Go.");
    await host.settled(1);
    host.clock.advance(1_000);
    expect(await pending).toMatchObject({ text: "ok", stopped: { metric: "maxDurationMs", limit: 1_000 } });
    expect(host.clock.timerCount).toBe(0);
  });

  test("B-004 A-161 under 'error' the limit is thrown, and the usage is in the totals", async () => {
    const { result, told, team } = await play({ maxTotalTokens: 24, onLimitReached: "error" });
    expect(result).toMatchObject({ name: "AgencyConfigError", details: { metric: "maxTotalTokens" } });
    expect(told).toEqual([]);
    expect((await team.usage()).totalTokens).toBe(24);
  });

  test("B-004 under 'warn' it is told once and stops nothing", async () => {
    const { result, told } = await play({ maxTotalTokens: 12, onLimitReached: "warn" });
    expect(result).toMatchObject({ text: "c says 1" });
    expect(told).toEqual([["maxTotalTokens", 12, 12]]);
  });

  test("B-004 a parent's limit holds for the calls of the agencies that it nests", async () => {
    const host = new ScriptedHost(numbered());
    const inner = createAgency({ agents: AGENTS }, host);
    const controls = { enforce: "live", maxTotalTokens: 24 } as const;
    const result = await createAgency({ agents: { inner }, controls }, host).generate("Go.");
    expect(result).toMatchObject({ text: "", stopped: { metric: "maxTotalTokens" }, usage: { totalTokens: 24 } });
    expect(host.sent).toHaveLength(2);
  });

  test("B-004 in parallel the members that are not begun are not", async () => {
    const { host, result } = await play({ maxAgentCalls: 2 }, { model: "m", strategy: "parallel", concurrency: 1 });
    expect(host.sent.map((request) => request.agent)).toEqual(["a", "b"]);
    expect(result).toMatchObject({ text: "b says 1", stopped: { metric: "maxAgentCalls" } });
  });
});

test.each([
  [{ controls: { maxTokens: 3 } }, 'controls: there is no option "maxTokens"; options: maxTotalTokens'],
  [{ controls: { maxTotalTokens: -1 } }, "controls.maxTotalTokens: expected a whole number, 0 or more, got -1"],
  [{ controls: { maxCostUSD: "1" } }, 'controls.maxCostUSD: expected a number, 0 or more, got "1"'],
  [{ controls: [] }, "controls: expected an object, got a list"],
  [{ controls: { enforce: "now" } }, 'controls.enforce: expected one of "end", "live", got "now"'],
  [{ hitl: { approvals: { beforetool: ["x"] } } }, 'hitl.approvals: there is no option "beforetool"'],
])("A-011 %o is refused when agency() is called", (config, message) => {
  const build = () =>
    createAgency({ agents: AGENTS, ...config } as unknown as AgencyConfig, new ScriptedHost(numbered()));
  expect(build).toThrow(message);
});
