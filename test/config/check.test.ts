import JSON5 from "json5";
import { expect, test } from "vitest";
import { checkConfig, problemText } from "../../src/config/check.ts";

function lines(raw: unknown): string[] {
  return checkConfig(raw).problems.map(problemText);
}

test("C-001 tools.swarm takes true, false and an object, and nothing else", () => {
  for (const swarm of [true, false, {}, { enabled: true }]) expect(lines({ tools: { swarm } })).toEqual([]);
  expect(lines({ tools: { swarm: "on" } })).toEqual(['tools.swarm: got "on", expected true, false or an object']);
  expect(lines({ tools: { swarm: null } })).toEqual(["tools.swarm: got null, expected true, false or an object"]);
  expect(lines({ tools: { swarm: [] } })).toEqual(["tools.swarm: got a list of 0, expected true, false or an object"]);
});

test("C-001 an unknown key is named with its path and the likely typo", () => {
  expect(lines({ tools: { swarm: { maxConcurent: 3 } } })).toEqual([
    'tools.swarm.maxConcurent: unknown key "maxConcurent"; did you mean "maxConcurrent"?',
  ]);
});

test("C-001 an unknown key that is near nothing gets no suggestion", () => {
  expect(lines({ tools: { swarm: { colour: 3 } } })).toEqual(['tools.swarm.colour: unknown key "colour"']);
});

test("C-001 a key at the wrong level is answered with where it belongs", () => {
  expect(lines({ maxConcurrent: 3 })).toEqual([
    'maxConcurrent: unknown key "maxConcurrent"; did you mean "tools.swarm.maxConcurrent"?',
  ]);
});

test("C-001 unknown keys are found in every object of the file", () => {
  const raw = { a: 1, gateway: { b: 1 }, limits: { c: 1 }, tools: { d: 1, codeMode: { e: 1 } } };
  const agents = { x: { f: 1, tools: { g: 1, swarm: { h: 1 } } } };
  const paths = checkConfig({ ...raw, agents }).problems.map((problem) => problem.path);
  expect(paths.sort()).toEqual(
    [
      "a",
      "agents.x.f",
      "agents.x.tools.g",
      "agents.x.tools.swarm.h",
      "gateway.b",
      "limits.c",
      "tools.codeMode.e",
      "tools.d",
    ].sort(),
  );
});

test("C-003 the schema refuses what is no positive integer, for every number of tools.swarm", () => {
  for (const name of ["maxConcurrent", "maxChildrenPerGroup", "maxTotalPerGroup", "waitTimeoutSecondsMax"]) {
    for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "8", null, true, [8], {}]) {
      const found = checkConfig({ tools: { swarm: { [name]: bad } } }).problems;
      expect(found, `${name}: ${String(bad)}`).toMatchObject([{ kind: "wrong_value", path: `tools.swarm.${name}` }]);
    }
  }
});

test("C-003 a refusal says what was got, what was expected and the range", () => {
  expect(lines({ tools: { swarm: { maxConcurrent: 0 } } })).toEqual([
    "tools.swarm.maxConcurrent: got 0, expected a positive integer (effective range 1 to 1000)",
  ]);
});

test("C-007 the schema refuses wrong types in tools.codeMode", () => {
  for (const name of ["timeoutMs", "memoryLimitBytes", "maxOutputBytes", "maxSnapshotBytes", "maxPendingToolCalls"]) {
    const found = checkConfig({ tools: { codeMode: { [name]: -5 } } }).problems;
    expect(found).toMatchObject([{ kind: "wrong_value", path: `tools.codeMode.${name}`, got: "-5" }]);
  }
  expect(lines({ tools: { codeMode: 3 } })).toEqual(["tools.codeMode: got 3, expected true, false or an object"]);
});

test("S-017 archiveAfterMinutes may be 0, which means never", () => {
  expect(lines({ tools: { swarm: { archiveAfterMinutes: 0 } } })).toEqual([]);
  expect(lines({ tools: { swarm: { archiveAfterMinutes: -1 } } })).toHaveLength(1);
});

test("I-005 all problems are reported at once", () => {
  const raw = {
    tools: { swarm: { maxConcurrent: "8", enabled: "yes", extra: 1 }, codeMode: { timeoutMs: 0 } },
    gateway: { port: 70_000, allowedOrigins: ["*"] },
    agents: { "bad id": {}, reader: { model: "two words", allowedAgents: ["ok", "not ok"] } },
    logLevel: "loud",
  };
  expect(
    checkConfig(raw)
      .problems.map((problem) => problem.path)
      .sort(),
  ).toEqual(
    [
      "tools.swarm.maxConcurrent",
      "tools.swarm.enabled",
      "tools.swarm.extra",
      "tools.codeMode.timeoutMs",
      "gateway.port",
      "gateway.allowedOrigins[0]",
      'agents["bad id"]',
      "agents.reader.model",
      "agents.reader.allowedAgents[1]",
      "logLevel",
    ].sort(),
  );
});

test("I-005 the number of reported problems is bounded", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 1]));
  expect(checkConfig(many).problems.length).toBeLessThanOrEqual(50);
});

test("C-001 an own key __proto__ is refused wherever it stands, and changes no prototype", () => {
  for (const text of ["{ __proto__: { a: 1 } }", "{ tools: { swarm: { __proto__: { enabled: false } } } }"]) {
    expect(checkConfig(JSON5.parse(text)).problems).toMatchObject([{ kind: "unknown_key", key: "__proto__" }]);
  }
  expect(checkConfig(JSON5.parse("{ agents: { __proto__: { model: 'offline:echo' } } }")).problems).toHaveLength(1);
  expect(({} as { a?: unknown }).a).toBeUndefined();
});

test("I-005 a file that is no object, or very deep, is refused without a crash", () => {
  for (const raw of [null, 3, "text", [], true]) {
    expect(checkConfig(raw).problems).toMatchObject([{ path: "the whole file", expected: "an object" }]);
  }
  const deep = JSON5.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
  expect(checkConfig({ tools: deep }).problems).toMatchObject([{ path: "tools", expected: "an object" }]);
});

test("I-005 a long wrong value is cut in the message", () => {
  const [line] = lines({ logLevel: "x".repeat(10_000) });
  expect(line?.length).toBeLessThan(250);
});

test("S-005 agents take a model, instructions and an allow list", () => {
  const agent = { model: "offline:echo", instructions: "Read.", allowedAgents: ["writer"], tools: { swarm: false } };
  expect(lines({ agents: { reader: agent, "writer.v2": {} } })).toEqual([]);
});
