// How a run ends: its result as JSON, or a failure with its place.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { isFault } from "../../src/contract/fault.ts";
import { RESULT_BYTES_MAX } from "../../src/contract/limits.ts";
import { childError, failureOf, ok, openTestHost, resultOf, runScript, TestRun } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

const resultText = async (script: string) => {
  const { report } = await runScript(host, script);
  return report.outcome?.state === "done" ? report.outcome.result : failureOf(report);
};

test("G-010 the result is what JSON makes of the returned value", async () => {
  expect(await resultText("")).toBe("null");
  expect(await resultText("return undefined;")).toBe("null");
  expect(await resultText("return { d: new Date(0), u: undefined, n: NaN, j: { toJSON() { return [1] } } };")).toBe(
    '{"d":"1970-01-01T00:00:00.000Z","n":null,"j":[1]}',
  );
  expect(await resultText("return new Proxy({ a: 1 }, {});")).toBe('{"a":1}');
  expect(await resultText("const shared = { x: 1 }; return [shared, { shared }];")).toBe(
    '[{"x":1},{"shared":{"x":1}}]',
  );
});

test("G-010 texts that are hard to carry arrive as they are: NUL, lone surrogates, bidi, emoji", async () => {
  const text = "a\u0000b\ud800c\udfffd\u202ee\u2028f\ufeffg😀é";
  const { result, notes, calls } = await runScript(
    host,
    "log(args); const back = await agents.run(args); return { same: back === args, text: args };",
    (call) => (call.method === "agentWait" ? ok(call.callId, text) : undefined),
    { args: text },
  );
  expect(result).toEqual({ same: true, text });
  expect(notes).toEqual([text]);
  expect(calls[0]).toMatchObject({ args: { prompt: text } });
});

test.each([
  ["return { items: [1, 2, 3, { run() {} }] };", "result.items[3].run is a function"],
  ["return { a: { b: 5n } };", "result.a.b is a BigInt"],
  ["return [Symbol('s')];", "result[0] is a symbol"],
  ["return () => 1;", "result is a function"],
  ["const a = {}; a['x y'] = { b: [a] }; return a;", 'result["x y"].b[0] refers back to an object that contains it'],
  ["return { p: Promise.resolve(1) };", "result.p is a promise; await it first"],
  ["return { m: new Map() };", "result.m is a Map; return [...map] or Object.fromEntries(map)"],
  ["return { j: { toJSON() { return 1n } } };", "result.j is a BigInt"],
])("G-010 what is no JSON fails the run and names its path: %s", async (script, message) => {
  expect(await resultText(script)).toMatchObject({ code: "result_not_json", message });
});

test("G-010 a result whose reading throws, or that is nested too deep, fails the run with what happened", async () => {
  expect(await resultText("return { get a() { throw new Error('mine') } };")).toMatchObject({
    code: "result_not_json",
    message: expect.stringMatching(/Error: mine/),
  });
  expect(await resultText("let d = []; for (let i = 0; i < 5000; i++) d = [d]; return d;")).toMatchObject({
    code: "result_not_json",
    message: expect.stringMatching(/deeper than 200 levels/),
  });
});

test("G-010 a result over its bytes fails the run with both numbers", async () => {
  const allowed = `at most ${RESULT_BYTES_MAX} are allowed`;
  expect(await resultText(`return "x".repeat(${RESULT_BYTES_MAX});`)).toMatchObject({
    code: "result_too_large",
    message: `the result takes at least ${RESULT_BYTES_MAX + 2} bytes as JSON, ${allowed}`,
  });
  expect(await resultText(`return "é".repeat(${RESULT_BYTES_MAX / 2});`)).toMatchObject({
    code: "result_too_large",
    message: `the result takes ${RESULT_BYTES_MAX + 2} bytes as JSON, ${allowed}`,
  });
  expect(await resultText(`return "x".repeat(${RESULT_BYTES_MAX - 2});`)).toHaveLength(RESULT_BYTES_MAX);
});

test("L10 a call whose bytes only the host can count is refused by it, and the promise of the script rejects", async () => {
  const run = new TestRun(host);
  const report = await run.start(
    'try { await agents.run("é".repeat(600000)) } catch (e) { return [e.name, e.message] }',
  );
  expect(report.calls).toEqual([]);
  expect(report.refused).toMatchObject([{ callId: 2, method: "agentWait" }]);
  const answers = report.refused.map(({ callId, error }) => ({ callId, ok: false as const, error }));
  expect(resultOf(await run.answer(...answers))).toEqual([
    "TypeError",
    expect.stringMatching(/^agentSpawn: arguments take \d+ bytes as JSON, at most 1048576 are allowed$/),
  ]);
});

test("I-005 a thrown error fails the run with its name, message, stack and place", async () => {
  const { report } = await runScript(host, "const a = 1;\nfunction deep() {\n  null.foo;\n}\ndeep();", undefined, {
    fileName: "my script.js",
  });
  expect(report.snapshot).toBeNull();
  expect(failureOf(report)).toEqual({
    code: "script_error",
    message: "TypeError: cannot read property 'foo' of null",
    next: expect.any(String),
    place: { file: "my script.js", line: 3, column: expect.any(Number) },
    details: {
      name: "TypeError",
      stack: expect.stringMatching(/deep \(my script\.js:3:\d+\)\n.*\(my script\.js:5:\d+\)$/),
    },
  });
});

test("I-005 an error thrown after a wait has its place as well", async () => {
  const { report } = await runScript(host, "await sleep(1);\n\n  throw new RangeError('late');", (call) =>
    ok(call.callId, null),
  );
  expect(failureOf(report)).toMatchObject({ message: "RangeError: late", place: { file: "script.js", line: 3 } });
});

test("I-005 a child's failure that nobody caught is placed at the line that asked for it", async () => {
  const { report } = await runScript(host, "\n\nawait agents.run('q');", (call) =>
    call.method === "agentWait" ? childError(call.callId, { status: "failed" }, "child died") : undefined,
  );
  expect(failureOf(report)).toMatchObject({
    code: "script_error",
    message: "SwarmAgentError: child died",
    place: { line: 3 },
  });
});

test.each([
  ["throw 'text';", "the script threw a value that is no Error: text"],
  ["throw { code: 5 };", "the script threw a value that is no Error: { code: 5 }"],
  ["throw undefined;", "the script threw a value that is no Error: undefined"],
  ["throw new AggregateError([new Error('one')], 'all');", /^AggregateError: all \[Error: one/],
  ["throw new Error('outer', { cause: new Error('inner') });", /^Error: outer\ncaused by Error: inner/],
  ["throw new Proxy({}, { getPrototypeOf() { throw 1 }, ownKeys() { throw 2 } });", /no Error: \[unreadable value\]$/],
])("I-005 whatever is thrown is shown: %s", async (script, message) => {
  const { report } = await runScript(host, script);
  expect(failureOf(report).message).toMatch(message);
});

test("I-005 a long message is cut and a getter for it is not run", async () => {
  const long = await runScript(host, "throw new Error('m'.repeat(100000));");
  expect(failureOf(long.report).message.length).toBeLessThan(4_200);
  const getter = await runScript(
    host,
    "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { log('ran'); return 'no' } }); throw e;",
  );
  expect(getter.notes).toEqual([]);
  expect(failureOf(getter.report).code).toBe("script_error");
});

test("G-015 a rejection that nobody handles fails the run at the end of its turn", async () => {
  const { report } = await runScript(host, "\nPromise.reject(new Error('lost'));\nawait sleep(1);");
  expect(failureOf(report)).toMatchObject({
    code: "unhandled_rejection",
    message: "a promise was rejected and nothing handled it: Error: lost",
    place: { file: "script.js", line: 2 },
  });
  expect(report.snapshot).toBeNull();
});

test("G-015 a script that returned in the very turn that left a rejection behind has failed", async () => {
  const { report } = await runScript(host, "Promise.reject(new Error('lost')); return 'fine';");
  expect(failureOf(report).code).toBe("unhandled_rejection");
});

test("G-015 a failed child that nobody awaits fails the run; one that is handled in the same turn does not", async () => {
  const script = (handling: string) =>
    `const p = agents.run("q"); ${handling}; await sleep(1); await sleep(2); return "fine";`;
  const answering = (call: { callId: number; method: string }) =>
    call.method === "agentWait" ? childError(call.callId, { status: "failed" }) : ok(call.callId, null);
  const lost = await runScript(host, script(""), (call) =>
    call.method === "agentSpawn" ? undefined : answering(call),
  );
  expect(failureOf(lost.report)).toMatchObject({ code: "unhandled_rejection", place: { line: 1 } });
  const caught = await runScript(host, script("p.catch(() => {})"), (call) =>
    call.method === "agentSpawn" ? undefined : answering(call),
  );
  expect(caught.result).toBe("fine");
});

test("G-012 a script that does not parse is refused at compile, with line, column and a caret", async () => {
  const compiled = host.compile({ text: "const a = 1;\nconst b = ;\n", language: "js", fileName: "bad.js" });
  const error = await compiled.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isFault(error) && error.code).toBe("script_syntax");
  expect(error).toMatchObject({ place: { line: 2, excerpt: expect.stringContaining("^") } });
});

test("G-012 TypeScript is stripped and its lines stay where they are", async () => {
  const { report } = await runScript(
    host,
    "type A = {\n  a: number;\n};\nconst x: A = { a: 1 };\nthrow new Error(String(x.a) satisfies string);",
    undefined,
    { language: "ts", fileName: "s.ts" },
  );
  expect(failureOf(report)).toMatchObject({ message: "Error: 1", place: { file: "s.ts", line: 5 } });
});

test("L10 a turn with more waiting calls than allowed is the fault too_many_calls", async () => {
  const run = new TestRun(host, { limits: { maxPendingToolCalls: 5 } });
  const error = await run.start("for (let i = 0; i < 6; i++) sleep(1); await sleep(1);").then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isFault(error) && error.code).toBe("too_many_calls");
});

test("L10 a turn that makes calls without end is the fault too_many_calls", async () => {
  const run = new TestRun(host);
  const error = await run.start("for (;;) sleep(1);").then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isFault(error) && error.code).toBe("too_many_calls");
});

test("what happens after the end changes nothing: the first end is the only one", async () => {
  const { report } = await runScript(
    host,
    "Promise.resolve().then(() => Promise.resolve()).then(() => Promise.resolve()).then(() => log('after')); return 1;",
  );
  expect(resultOf(report)).toBe(1);
});
