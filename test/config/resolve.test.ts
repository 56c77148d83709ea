import fc from "fast-check";
import { expect, test } from "vitest";
import { checkConfig } from "../../src/config/check.ts";
import { CODE_MODE_FIELDS, SWARM_FIELDS } from "../../src/config/fields.ts";
import { resolveAgents, resolveCodeModeConfig, resolveSwarmConfig } from "../../src/config/resolve.ts";
import type { Config } from "../../src/config/schema.ts";

function config(raw: unknown): Config {
  const checked = checkConfig(raw);
  if (!checked.config) throw new Error(JSON.stringify(checked.problems));
  return checked.config;
}

test("C-002 C-006 an empty configuration resolves to the defaults, enabled", () => {
  expect(resolveSwarmConfig({}, undefined)).toEqual({
    enabled: true,
    maxConcurrent: 8,
    maxChildrenPerGroup: 50,
    maxTotalPerGroup: 200,
    waitTimeoutSecondsMax: 600,
    defaultAgentId: "",
    maxSpawnDepth: 1,
    cancelUnawaited: false,
    archiveAfterMinutes: 60,
  });
});

test("C-007 tools.codeMode resolves to its defaults", () => {
  expect(resolveCodeModeConfig({})).toEqual({
    enabled: true,
    timeoutMs: 10_000,
    memoryLimitBytes: 67_108_864,
    maxOutputBytes: 65_536,
    maxSnapshotBytes: 10_485_760,
    maxPendingToolCalls: 10_000,
    snapshotTtlSeconds: 604_800,
    keepHistoryTurns: 0,
  });
});

test("C-001 true means enabled and nothing else, false means disabled and nothing else", () => {
  const defaults = resolveSwarmConfig({}, undefined);
  expect(resolveSwarmConfig(config({ tools: { swarm: true } }), undefined)).toEqual({ ...defaults, enabled: true });
  expect(resolveSwarmConfig(config({ tools: { swarm: false } }), undefined)).toEqual({ ...defaults, enabled: false });
});

test("C-003 the resolver clamps what is above the range of each number", () => {
  const huge = Object.fromEntries(Object.keys(SWARM_FIELDS).map((name) => [name, Number.MAX_SAFE_INTEGER]));
  const resolved = resolveSwarmConfig(config({ tools: { swarm: huge } }), undefined);
  expect(resolved).toMatchObject({
    maxConcurrent: 1000,
    maxChildrenPerGroup: 10_000,
    maxTotalPerGroup: 100_000,
    waitTimeoutSecondsMax: 86_400,
  });
});

test("C-007 the resolver clamps tools.codeMode to its ranges, below and above", () => {
  const all = (value: number) => Object.fromEntries(Object.keys(CODE_MODE_FIELDS).map((name) => [name, value]));
  expect(resolveCodeModeConfig(config({ tools: { codeMode: all(1) } }))).toMatchObject({
    timeoutMs: 100,
    memoryLimitBytes: 1_048_576,
    maxPendingToolCalls: 1,
  });
  expect(resolveCodeModeConfig(config({ tools: { codeMode: all(Number.MAX_SAFE_INTEGER) } }))).toMatchObject({
    timeoutMs: 60_000,
    memoryLimitBytes: 1_073_741_824,
    maxPendingToolCalls: 100_000,
  });
});

test("C-007 tools.codeMode false disables, and an object without enabled does not", () => {
  expect(resolveCodeModeConfig(config({ tools: { codeMode: false } })).enabled).toBe(false);
  expect(resolveCodeModeConfig(config({ tools: { codeMode: { timeoutMs: 500 } } })).enabled).toBe(true);
});

const agentsOf = (swarm: unknown) => ({ agents: { reader: { tools: { swarm } } } });

test("C-004 an agent's false disables it and leaves the others enabled", () => {
  const given = config({ tools: { swarm: true }, ...agentsOf(false) });
  expect(resolveSwarmConfig(given, "reader").enabled).toBe(false);
  expect(resolveSwarmConfig(given, undefined).enabled).toBe(true);
  expect(resolveSwarmConfig(given, "other").enabled).toBe(true);
});

test("C-004 an agent's true enables it even when the global switch is off", () => {
  const given = config({ tools: { swarm: false }, ...agentsOf(true) });
  expect(resolveSwarmConfig(given, "reader").enabled).toBe(true);
  expect(resolveSwarmConfig(given, undefined).enabled).toBe(false);
});

test("C-004 an agent's object with limits only inherits whether it is enabled", () => {
  const limits = agentsOf({ maxConcurrent: 2 });
  expect(resolveSwarmConfig(config({ tools: { swarm: false }, ...limits }), "reader")).toMatchObject({
    enabled: false,
    maxConcurrent: 2,
  });
  expect(resolveSwarmConfig(config({ ...limits }), "reader")).toMatchObject({ enabled: true, maxConcurrent: 2 });
});

test("C-004 fields are merged one by one: the agent's, else the global one, else the default", () => {
  const given = config({
    tools: { swarm: { enabled: true, maxConcurrent: 3, maxTotalPerGroup: 30, defaultAgentId: "worker" } },
    ...agentsOf({ maxConcurrent: 5, cancelUnawaited: true }),
  });
  expect(resolveSwarmConfig(given, "reader")).toMatchObject({
    maxConcurrent: 5,
    maxTotalPerGroup: 30,
    maxChildrenPerGroup: 50,
    defaultAgentId: "worker",
    cancelUnawaited: true,
  });
});

test("C-004 an agent's true keeps the limits that are set globally", () => {
  const given = config({ tools: { swarm: { maxConcurrent: 3 } }, ...agentsOf(true) });
  expect(resolveSwarmConfig(given, "reader")).toMatchObject({ enabled: true, maxConcurrent: 3 });
});

test("C-005 names that every object inherits are no agents", () => {
  const given = config({ tools: { swarm: { maxConcurrent: 3 } }, agents: { reader: {} } });
  for (const id of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    expect(resolveSwarmConfig(given, id)).toEqual(resolveSwarmConfig(given, undefined));
    expect(resolveAgents(given)[id]).toBeUndefined();
  }
});

test("C-003 C-005 whatever passes the schema resolves into the ranges, and twice to the same", () => {
  const number = fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.maxSafeNat());
  const limits = Object.fromEntries(Object.keys(SWARM_FIELDS).map((name) => [name, number]));
  const objectForm = fc.record({ enabled: fc.boolean(), ...limits }, { requiredKeys: [] });
  const swarm = fc.option(fc.oneof(fc.boolean(), objectForm), { nil: undefined });
  fc.assert(
    fc.property(swarm, swarm, (global, own) => {
      const raw = { tools: { swarm: global }, agents: { reader: { tools: { swarm: own } } } };
      const before = JSON.stringify(raw);
      const checked = checkConfig(raw);
      if (!checked.config) return checked.problems.every((problem) => problem.path.includes("swarm"));
      const resolved = resolveSwarmConfig(checked.config, "reader");
      expect(resolveSwarmConfig(checked.config, "reader")).toEqual(resolved);
      expect(JSON.stringify(raw)).toBe(before);
      return (Object.keys(SWARM_FIELDS) as (keyof typeof SWARM_FIELDS)[]).every(
        (name) => resolved[name] >= SWARM_FIELDS[name].min && resolved[name] <= SWARM_FIELDS[name].max,
      );
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
});
