// agents.run, spawn, wait, cancel, session: what a script asks for, and what it sees of the answers.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { childIdOf } from "../../src/contract/ids.ts";
import { answerAll, callOf, childError, ok, openTestHost, resultOf, runScript, TestRun } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

test("G-001 agents.run spawns and waits in one turn and resolves to the child's text", async () => {
  const run = new TestRun(host);
  const first = await run.start('return (await agents.run("read it", { label: "reader" })) + "!";');
  expect(first.calls).toEqual([
    {
      callId: 1,
      method: "agentSpawn",
      args: { prompt: "read it", options: { label: "reader" } },
      line: 1,
      column: expect.any(Number),
    },
    {
      callId: 2,
      method: "agentWait",
      args: { mode: "one", ids: [childIdOf(run.runId, 1)], timeoutMs: null },
      line: 1,
      column: expect.any(Number),
    },
  ]);
  expect(first.snapshot).not.toBeNull();
  expect(resultOf(await run.answer(ok(2, "text")))).toBe("text!");
});

test("G-001 with a schema the value is what the host answered", async () => {
  const { result, calls } = await runScript(
    host,
    'const v = await agents.run("q", { schema: { type: "object", properties: { n: { type: "number" } } } }); return v.n + 1;',
    answerAll({ n: 41 }),
  );
  expect(result).toBe(42);
  expect(callOf(calls, "agentSpawn").args.options.schema).toEqual({
    type: "object",
    properties: { n: { type: "number" } },
  });
});

test("G-004 a failed child rejects with a SwarmAgentError that carries its data and points at the line that asked", async () => {
  const data = {
    runId: "agt_x",
    status: "failed",
    label: "L",
    attempts: 2,
    usage: { inputTokens: 1, outputTokens: 2 },
    schemaError: "no",
    text: "raw",
    code: "child_failed",
  };
  const { result } = await runScript(
    host,
    `try {
  await agents.run("q");
} catch (e) {
  return { isError: e instanceof Error, name: e.name, message: e.message, own: { ...e }, stack: e.stack, keys: Object.keys(e) };
}`,
    (call) => (call.method === "agentWait" ? childError(call.callId, data, "it broke") : undefined),
  );
  expect(result).toMatchObject({
    isError: true,
    name: "SwarmAgentError",
    message: "it broke",
    own: data,
    keys: Object.keys(data),
    stack: expect.stringMatching(/:2:\d+\)/),
  });
});

test("G-004 a child's error cannot replace what makes an error an error", async () => {
  const data = { name: "Forged", stack: "forged", message: "forged", __proto__: null, constructor: 1 };
  const { result } = await runScript(
    host,
    'try { await agents.run("q") } catch (e) { return [e.name, e.message, e.stack.includes("forged"), e instanceof Error] }',
    (call) => (call.method === "agentWait" ? childError(call.callId, data, "true one") : undefined),
  );
  expect(result).toEqual(["SwarmAgentError", "true one", false, true]);
});

test("G-007 agents.spawn gives its handle at once, and its result later", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    'const h = agents.spawn("q", { label: "L" }); log(h.runId, h.label, Object.isFrozen(h)); return await h.result;',
  );
  expect(first.notes[0]?.text).toBe(`${childIdOf(run.runId, 1)} L true`);
  expect(resultOf(await run.answer(ok(2, "v")))).toBe("v");
});

test("G-007 a handle whose result nobody looks at may fail without failing the run", async () => {
  const { result } = await runScript(
    host,
    'agents.spawn("a"); await sleep(5); await sleep(6); return "fine";',
    (call) => (call.method === "agentWait" ? childError(call.callId, { status: "failed" }) : answerAll("")(call)),
  );
  expect(result).toBe("fine");
});

test("G-007 agents.wait asks for the first completion, for ever or for its time-out", async () => {
  const { calls, result } = await runScript(
    host,
    `const h = agents.spawn("a");
     const a = await agents.wait([h.runId]);
     const b = await agents.wait([h.runId, "agt_other"], { timeoutSeconds: 1.5 });
     return [a, b];`,
    (call) =>
      call.method === "agentWait" && call.args.mode === "any"
        ? ok(call.callId, { completed: [], pending: call.args.ids, errors: [] })
        : undefined,
  );
  const waits = calls.flatMap((call) => (call.method === "agentWait" && call.args.mode === "any" ? [call.args] : []));
  expect(waits.map((args) => args.timeoutMs)).toEqual([null, 1500]);
  expect(result).toMatchObject([{ completed: [] }, { pending: [expect.any(String), "agt_other"] }]);
});

test("G-007 a loser of a race is cancelled by its handle, by its id, or by its signal", async () => {
  const run = new TestRun(host);
  const report = await run.start(
    `const c = new AbortController();
     const one = agents.spawn("a"), two = agents.spawn("b");
     const three = agents.run("c", { signal: c.signal }).catch((e) => e);
     one.cancel("lost"); agents.cancel(two.runId); c.abort("enough");
     return [await three, c.signal.aborted, c.signal.reason];`,
  );
  const cancels = report.calls.flatMap((call) => (call.method === "agentCancel" ? [call.args] : []));
  expect(cancels).toEqual([
    { id: childIdOf(run.runId, 1), reason: "lost" },
    { id: childIdOf(run.runId, 3) },
    { id: childIdOf(run.runId, 5), reason: "enough" },
  ]);
  expect(resultOf(report)).toEqual(["enough", true, "enough"]);
});

test("G-007 an answer that comes after its call was aborted changes nothing but what was used", async () => {
  const run = new TestRun(host);
  await run.start(
    `const c = new AbortController();
     const p = agents.run("a", { signal: c.signal });
     sleep(1).then(() => c.abort(new Error("stop")));
     try { await p } catch (e) { await sleep(2); return [e.message, budget.spent()] }`,
  );
  const aborted = await run.answer(ok(3, null));
  expect(callOf(aborted.calls, "agentCancel").args).toEqual({ id: childIdOf(run.runId, 1), reason: "Error: stop" });
  const late = ok(2, "late", { inputTokens: 1, outputTokens: 1, costUsd: 0 });
  expect(resultOf(await run.answer(late, ok(callOf(aborted.calls, "sleep").callId, null)))).toEqual(["stop", 2]);
});

test("G-005 a session is a queue: a send begins when the one before it ended, and keeps its place in the script", async () => {
  const run = new TestRun(host);
  const first = await run.start(
    `const s = agents.session("be terse", { model: "m", label: "all" });
const a = s.send("one");
const b = s.send("two", { label: "own" });
s.close();
const c = s.send("three").catch((e) => e.message);
return [await a, await b, await c, s.id];`,
  );
  const id = `ses_${run.runId.slice(4)}_1`;
  expect(first.calls.map((call) => [call.method, call.line])).toEqual([
    ["agentSpawn", 2],
    ["agentWait", 2],
  ]);
  expect(callOf(first.calls, "agentSpawn").args).toEqual({
    prompt: "one",
    options: { model: "m", label: "all", session: { id, system: "be terse" } },
  });
  const second = await run.answer(ok(2, "1"));
  expect(callOf(second.calls, "agentSpawn")).toMatchObject({
    line: 3,
    args: { prompt: "two", options: { model: "m", label: "own", session: { id } } },
  });
  const result = resultOf(await run.answer(ok(callOf(second.calls, "agentWait").callId, "2")));
  expect(result).toEqual(["1", "2", expect.stringMatching(/closed/), id]);
});

test("G-005 a send that fails does not stop the session, and one aborted in the queue is left out", async () => {
  const { calls, result } = await runScript(
    host,
    `const c = new AbortController();
     const s = agents.session("s");
     const all = [s.send("a"), s.send("b", { signal: c.signal }), s.send("c")];
     c.abort("no");
     return (await Promise.allSettled(all)).map((each) => each.value ?? each.reason.message ?? each.reason);`,
    (call) => {
      if (call.method !== "agentWait") return undefined;
      return call.callId === 2 ? childError(2, { status: "failed" }, "broke") : ok(call.callId, "v");
    },
  );
  expect(result).toEqual(["broke", "no", "v"]);
  expect(calls.flatMap((call) => (call.method === "agentSpawn" ? [call.args.prompt] : []))).toEqual(["a", "c"]);
});

test("G-005 the late answer of an aborted send does not let two sends run at once", async () => {
  const run = new TestRun(host);
  await run.start(
    `const c = new AbortController(), s = agents.session("s");
     const all = [s.send("a", { signal: c.signal }), s.send("b"), s.send("c")];
     sleep(1).then(() => c.abort("no"));
     return (await Promise.allSettled(all)).map((each) => each.value ?? each.reason);`,
  );
  const prompts = () => run.report.calls.flatMap((call) => (call.method === "agentSpawn" ? [call.args.prompt] : []));
  await run.answer(ok(3, null));
  expect(prompts()).toEqual(["b"]);
  const second = callOf(run.report.calls, "agentWait").callId;
  await run.answer(ok(2, "late"));
  expect(prompts()).toEqual([]);
  await run.answer(ok(second, "B"));
  expect(prompts()).toEqual(["c"]);
  expect(resultOf(await run.answer(ok(callOf(run.report.calls, "agentWait").callId, "C")))).toEqual(["no", "B", "C"]);
});

test("G-010 budget counts what the answers of this run's children used, once each", async () => {
  const meta = { inputTokens: 10, outputTokens: 5, costUsd: 0.25 };
  const { result } = await runScript(
    host,
    `const h = agents.spawn("a");
     await Promise.all([agents.run("b"), h.result, agents.wait([h.runId])]);
     return [budget.total, budget.spent(), budget.remaining() === Infinity, budget.usd.total, budget.usd.spent(), budget.usd.remaining() === Infinity];`,
    (call) => (call.method === "agentWait" ? ok(call.callId, "v", meta) : undefined),
  );
  expect(result).toEqual([null, 30, true, null, 0.5, true]);
});

test("G-010 budget shows the limits from the start, and what the host says was spent with each answer", async () => {
  const run = new TestRun(host);
  const budget = { tokens: 0, usd: 0, tokensLeft: 100, usdLeft: null, tokensTotal: 100, usdTotal: null };
  await run.start(
    `const seen = () => [budget.total, budget.spent(), budget.remaining(), budget.usd.total, budget.usd.spent(), budget.usd.remaining() === Infinity];
     const start = seen();
     await sleep(1);
     const slept = seen();
     await agents.run("a").catch(() => {});
     return [start, slept, seen()];`,
    { budget },
  );
  const spending = (tokens: number, usd: number) => ({ tokens, usd, tokensLeft: 100 - tokens, usdLeft: null });
  const meta = { inputTokens: 7, outputTokens: 7, costUsd: 7 };
  await run.answer(ok(1, null, { ...meta, run: spending(40, 0.5) }));
  const failure = { ...childError(3, {}), meta: { ...meta, run: spending(90, 0.75) } };
  expect(resultOf(await run.answer(failure))).toEqual([
    [100, 0, 100, null, 0, true],
    [100, 40, 60, null, 0.5, true],
    [100, 90, 10, null, 0.75, true],
  ]);
});

test("an answer to an id that does not wait is ignored, and so is a second answer", async () => {
  const run = new TestRun(host);
  await run.start('return [await agents.run("a"), await sleep(1), budget.spent()];');
  const meta = { inputTokens: 1, outputTokens: 0, costUsd: 0 };
  const report = await run.answer(ok(99, "x", meta), ok(1, "x", meta), ok(2, "first", meta), ok(2, "second", meta));
  expect(report.outcome).toBeNull();
  expect(resultOf(await run.answer(ok(3, null)))).toEqual(["first", null, 1]);
});
