// Options of agents: what travels, what is refused at the call, and when they are read.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { answerAll, callOf, openTestHost, runScript } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

/** The messages of errors that a script's statements throw, one a statement. */
async function thrownBy(...statements: string[]): Promise<string[]> {
  const tries = statements.map(
    (statement) => `try { ${statement}; out.push("nothing thrown") } catch (e) { out.push(e.name + ": " + e.message) }`,
  );
  const { result } = await runScript(host, `const out = [];\n${tries.join("\n")}\nreturn out;`, answerAll("x"));
  return result as string[];
}

test("G-002 every option of the surface travels to the host", async () => {
  const options = {
    label: "l",
    model: "m",
    thinking: "high",
    fastMode: "auto",
    agentId: "a",
    schema: { type: "string" },
    phase: "p",
    timeoutMs: 5,
    retries: 2,
    tools: ["t"],
    onRestart: "fail",
    groupId: "g",
    key: "k",
  };
  const { calls } = await runScript(host, "agents.run('q', args); return 1;", undefined, { args: options });
  expect(callOf(calls, "agentSpawn").args).toEqual({ prompt: "q", options });
});

test("G-002 an option that is undefined counts as not given, and inherited ones are not read", async () => {
  const { calls } = await runScript(
    host,
    'Object.prototype.model = "planted"; agents.run("q", Object.assign(Object.create({ label: "inherited" }), { phase: undefined })); return 1;',
  );
  expect(callOf(calls, "agentSpawn").args.options).toEqual({});
});

test("G-003 a wrong argument is a TypeError at the call that names the option", async () => {
  expect(
    await thrownBy(
      "agents.run(5)",
      'agents.run("x", "y")',
      'agents.run("x", { label: 1 })',
      'agents.run("x", { retries: 1.5 })',
      'agents.run("x", { fastMode: "no" })',
      'agents.run("x", { tools: ["a", 2] })',
      'agents.run("x", { schema: [] })',
      'agents.run("x", { signal: { aborted: false } })',
      'agents.wait("agt_1")',
      "agents.wait([])",
      'agents.wait(["a"], { timeoutSeconds: -1 })',
      "agents.cancel(1)",
      "agents.session(1)",
      'agents.session("s", { key: "k" })',
    ),
  ).toEqual([
    "TypeError: agents.run: prompt must be a string, got the number 5",
    'TypeError: agents.run: options must be an object, got the text "y"',
    "TypeError: agents.run: option label must be a string, got the number 1",
    "TypeError: agents.run: option retries must be a whole number from 0 to 20, got the number 1.5",
    'TypeError: agents.run: option fastMode must be true, false or "auto", got the text "no"',
    "TypeError: agents.run: option tools[1] must be a string, got the number 2",
    "TypeError: agents.run: option schema must be an object, got an array",
    "TypeError: agents.run: option signal must be the signal of an AbortController, got an object",
    'TypeError: agents.wait: ids must be an array of runIds, got the text "agt_1"',
    "TypeError: agents.wait: ids must not be empty",
    "TypeError: agents.wait: option timeoutSeconds must be a number from 0 to 315360000, got the number -1",
    "TypeError: agents.cancel: id must be the runId of a child, got the number 1",
    "TypeError: agents.session: system must be a string, got the number 1",
    'TypeError: agents.session: unknown option "key"',
  ]);
});

test("G-002 G-003 a budget of one agent is refused at the call when it is no budget", async () => {
  const { calls, result } = await runScript(
    host,
    `const refused = [];
     for (const budget of [5, { tokens: 0 }, { tokens: 1.5 }, { usd: -1 }, { seconds: NaN }, { tokens: "9" }, { token: 9 }, { children: 2 }]) {
       try { agents.spawn("a", { budget }) } catch (error) { refused.push(error.message) }
     }
     agents.spawn("a", { budget: { tokens: 9, usd: 0.5, seconds: undefined } });
     return refused;`,
    () => undefined,
  );
  expect(result).toEqual([
    "agents.spawn: option budget: options must be an object, got the number 5",
    expect.stringMatching(
      /^agents.spawn: option budget.tokens must be a whole number from 1 to \d+, got the number 0$/,
    ),
    expect.stringMatching(/budget.tokens must be a whole number .*1.5$/),
    expect.stringMatching(/budget.usd must be a number above 0, at most \d+, got the number -1$/),
    expect.stringMatching(/budget.seconds must be a number above 0, .* got the number NaN$/),
    expect.stringMatching(/budget.tokens must be a whole number .* got the text "9"$/),
    'agents.spawn: option budget: unknown option "token"; did you mean "tokens"?',
    'agents.spawn: option budget: unknown option "children"',
  ]);
  const spawned = calls.find((call) => call.method === "agentSpawn");
  expect(spawned?.args).toMatchObject({ options: { budget: { tokens: 9, usd: 0.5 } } });
});

test("G-003 an unknown option is refused with the name that was meant", async () => {
  expect(
    await thrownBy(
      'agents.run("x", { lable: "y" })',
      'agents.run("x", { timeout: 5 })',
      'agents.run("x", { outputSchema: {} })',
      'agents.spawn("x", { Model: "m" })',
      'agents.run("x", { zzzz: 1 })',
    ),
  ).toEqual([
    'TypeError: agents.run: unknown option "lable"; did you mean "label"?',
    'TypeError: agents.run: unknown option "timeout"; did you mean "timeoutMs"?',
    'TypeError: agents.run: unknown option "outputSchema"; did you mean "schema"?',
    'TypeError: agents.spawn: unknown option "Model"; did you mean "model"?',
    'TypeError: agents.run: unknown option "zzzz"',
  ]);
});

test("G-003 what is not JSON in an option is a TypeError that names its path", async () => {
  const [bigint, cycle, func, map] = await thrownBy(
    'agents.run("x", { schema: { a: [1, 2n] } })',
    'const c = {}; c.self = { back: c }; agents.run("x", { schema: c })',
    'agents.run("x", { schema: { properties: { run() {} } } })',
    'agents.run("x", { schema: { m: new Map() } })',
  );
  expect(bigint).toMatch(/option schema\.a\[1\] is a BigInt; it must be JSON$/);
  expect(cycle).toMatch(/option schema\.self\.back refers back/);
  expect(func).toMatch(/option schema\.properties\.run is a function/);
  expect(map).toMatch(/option schema\.m is a Map/);
});

test("G-003 whether a schema was given is read at the call: later changes of the object change nothing", async () => {
  const { calls } = await runScript(
    host,
    'const o = { schema: { type: "string" } }; agents.run("q", o); o.schema.type = "number"; delete o.schema; return 1;',
  );
  expect(callOf(calls, "agentSpawn").args.options).toEqual({ schema: { type: "string" } });
});

test("G-002 an already aborted signal starts nothing", async () => {
  const { calls, result } = await runScript(
    host,
    `const c = new AbortController(); c.abort();
     const s = agents.session("s");
     const out = [];
     for (const f of [() => agents.run("a", { signal: c.signal }), () => agents.spawn("a", { signal: c.signal }), () => s.send("a", { signal: c.signal })])
       try { await f() } catch (e) { out.push(e.name) }
     return out;`,
  );
  expect(calls).toEqual([]);
  expect(result).toEqual(["AbortError", "AbortError", "AbortError"]);
});

test("G-002 a second call with the same key gives the same promise and starts nothing", async () => {
  const { calls, result } = await runScript(
    host,
    `const a = agents.run("x", { key: "k" }), b = agents.run("y", { key: "k" }), h = agents.spawn("z", { key: "k" });
     await a;
     return [a === b, h.result === a, h === agents.spawn("w", { key: "k" }), agents.run("x", { key: "other" }) === a];`,
    answerAll("v"),
  );
  expect(result).toEqual([true, true, true, false]);
  expect(calls.filter((call) => call.method === "agentSpawn")).toHaveLength(2);
});
