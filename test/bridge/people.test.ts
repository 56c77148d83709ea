// approve and waitForEvent: what a script asks of people and programs, and what it sees of the answers.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { APPROVAL_DETAILS_BYTES_MAX, SLEEP_MS_MAX } from "../../src/contract/limits.ts";
import { callOf, ok, openTestHost, resultOf, runScript, TestRun } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

test("G-009 approve sends what it asks, from its line, and resolves to the decision", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    `const plan = { files: ["a"] };
const one = await approve("Deploy?", plan, { timeout: "1h30m", onTimeout: "error" });
return [one.approved, one.by];`,
  );
  expect(first.calls).toEqual([
    {
      callId: 1,
      method: "approve",
      args: { title: "Deploy?", details: { files: ["a"] }, timeoutMs: 5_400_000, onTimeout: "error" },
      line: 2,
      column: expect.any(Number),
    },
  ]);
  expect(resultOf(await run.answer(ok(1, { approved: true, by: "operator" })))).toEqual([true, "operator"]);
});

test("G-009 without options an approval waits for ever and counts as rejected when it expires", async () => {
  const { calls } = await new TestRun(host).start('await approve("Deploy?");');
  expect(callOf(calls, "approve").args).toEqual({ title: "Deploy?", timeoutMs: null, onTimeout: "reject" });
});

test("G-009 waitForEvent resolves to the event's JSON, whatever it is", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    `return await Promise.all([waitForEvent("a.b-c:1", { timeoutMs: 5 }), waitForEvent("x"), waitForEvent("y", {})]);`,
  );
  expect(first.calls.map((call) => call.args)).toEqual([
    { name: "a.b-c:1", timeoutMs: 5 },
    { name: "x", timeoutMs: null },
    { name: "y", timeoutMs: null },
  ]);
  expect(resultOf(await run.answer(ok(1, null), ok(3, [1, { n: 2 }]), ok(2, "text")))).toEqual([
    null,
    "text",
    [1, { n: 2 }],
  ]);
});

test("G-009 a time-out is an error with a name and a code that points at the line that waits", async () => {
  const run = new TestRun(host);
  await run.start(
    `try {
  await waitForEvent("built", { timeout: "2h" });
} catch (error) { return [error instanceof Error, error.name, error.code, error.event, error.stack.includes(":2:")]; }`,
  );
  const error = { name: "TimeoutError", message: "late", data: { code: "event_timeout", event: "built" } };
  const late = { callId: 1, ok: false as const, error };
  expect(resultOf(await run.answer(late))).toEqual([true, "TimeoutError", "event_timeout", "built", true]);
});

const REFUSED: [string, string][] = [
  ["approve()", "approve: title must be a string"],
  ['approve("")', "approve: title must not be empty"],
  ['approve("x".repeat(501))', "approve: title must be at most 500 characters long, got 501"],
  ['approve("x", () => 1)', "approve: details is a function"],
  [`approve("x", "y".repeat(${APPROVAL_DETAILS_BYTES_MAX}))`, "approve: details must take at most"],
  ['approve("x", 1, 5)', "approve: options must be an object"],
  ['approve("x", 1, { timeOut: 5 })', 'approve: unknown option "timeOut"; did you mean "timeout"?'],
  ['approve("x", 1, { onTimeout: "wait" })', 'approve: option onTimeout must be "reject" or "error"'],
  ['approve("x", 1, { timeoutMs: -1 })', "approve: option timeoutMs must be milliseconds"],
  ['approve("x", 1, { timeout: "soon" })', "approve: option timeout must be milliseconds"],
  ['approve("x", 1, { timeout: "1h", timeoutMs: 5 })', "approve: options timeoutMs and timeout say the same"],
  ['approve("x", 1, { signal: {} })', "approve: option signal must be the signal of an AbortController"],
  ["waitForEvent(7)", "waitForEvent: name must be a string"],
  ['waitForEvent("")', "waitForEvent: name must be at most 100 letters"],
  ['waitForEvent("a b")', "waitForEvent: name must be at most 100 letters"],
  ['waitForEvent("../a")', "waitForEvent: name must be at most 100 letters"],
  ['waitForEvent("x".repeat(101))', "waitForEvent: name must be at most 100 letters"],
  [`waitForEvent("x", { timeoutMs: ${SLEEP_MS_MAX + 1} })`, "waitForEvent: option timeoutMs must be at most"],
  ['waitForEvent("x", { onTimeout: "error" })', 'waitForEvent: unknown option "onTimeout"'],
];

test.each(REFUSED)("I-005 G-009 %s is refused at the call", async (code, message) => {
  const { result, calls } = await runScript(
    host,
    `try { ${code}; return "taken"; } catch (error) { return [error.name, error.message]; }`,
  );
  expect(result).toEqual(["TypeError", expect.stringContaining(message)]);
  expect(calls).toEqual([]);
});

test("a title, details and a name at their limits are taken", async () => {
  const { calls } = await new TestRun(host).start(
    `approve("x".repeat(500), "y".repeat(${APPROVAL_DETAILS_BYTES_MAX - 2})); await waitForEvent("x".repeat(100), { timeoutMs: ${SLEEP_MS_MAX} });`,
  );
  expect(calls.map((call) => call.method)).toEqual(["approve", "waitForEvent"]);
});

test("G-007 a signal gives a wait up: it rejects with the reason, and the host hears of it", async () => {
  const run = new TestRun(host);
  const report = await run.start(
    `const c = new AbortController();
     const asked = [approve("A?", undefined, { signal: c.signal }), waitForEvent("e", { signal: c.signal })];
     c.abort("enough");
     const late = approve("B?", undefined, { signal: c.signal });
     return (await Promise.allSettled([...asked, late])).map((end) => end.reason);`,
  );
  expect(
    report.calls.map((call) => [call.method, call.method === "waitCancel" ? call.args.callId : undefined]),
  ).toEqual([
    ["approve", undefined],
    ["waitForEvent", undefined],
    ["waitCancel", 1],
    ["waitCancel", 2],
  ]);
  expect(resultOf(report)).toEqual(["enough", "enough", "enough"]);
});

test("G-007 an event that comes for a wait which was given up is given back, and a decision is let go", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    `const c = new AbortController();
     const end = Promise.allSettled([approve("A?", 1, { signal: c.signal }), waitForEvent("e", { signal: c.signal })]);
     await sleep(1); c.abort("enough"); await end; await sleep(2);`,
  );
  const asleep = callOf(first.calls, "sleep").callId;
  const second = await run.answer(ok(asleep, null), ok(1, { approved: true }), ok(2, { n: [1, "x"] }));
  expect(second.calls.map((call) => call.method)).toEqual(["waitCancel", "waitCancel", "sleep", "eventReturn"]);
  expect(callOf(second.calls, "eventReturn").args).toEqual({ name: "e", payload: { n: [1, "x"] } });
});

test("a signal that aborts after the answer changes nothing", async () => {
  const run = new TestRun(host);
  await run.start(
    `const c = new AbortController();
     const one = await waitForEvent("e", { signal: c.signal });
     c.abort("late");
     return one;`,
  );
  const report = await run.answer(ok(1, "here"));
  expect(report.calls).toEqual([]);
  expect(resultOf(report)).toBe("here");
});

test("a script that has redefined what it can forges no answer and no event", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    `RegExp.prototype.exec = () => ["x"]; Object.prototype.toJSON = () => "forged"; JSON.stringify = () => "forged";
     Map.prototype.get = () => undefined; Promise.prototype.then = undefined;
     return (await waitForEvent("e")).n;`,
  );
  expect(callOf(first.calls, "waitForEvent").args).toEqual({ name: "e", timeoutMs: null });
  const report = await run.answer(ok(1, { n: 1 }));
  expect(report.outcome).toMatchObject({ state: "done" });
});
