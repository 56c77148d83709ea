// Scripts that redefine what the controller stands on, plant getters, or look for the way in. In each
// case the calls, the answers and the result must be the true ones.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { childIdOf } from "../../src/contract/ids.ts";
import { answerAll, callOf, childError, ok, openTestHost, resultOf, runScript, TestRun } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

const REDEFINED = {
  JSON: "JSON.stringify = () => '\"forged\"'; JSON.parse = () => 'forged'; globalThis.JSON = { stringify: () => '1', parse: () => 2 };",
  Promise:
    "Promise.prototype.then = () => { throw 1 }; Promise.resolve = () => 'forged'; globalThis.Promise = class { constructor() { throw 2 } };",
  Map: "Map.prototype.get = () => ({ resolve() {} }); Map.prototype.set = () => {}; Map.prototype.delete = () => true; globalThis.Map = 1;",
  Set: "Set.prototype.add = () => {}; Set.prototype.forEach = () => {}; Set.prototype.has = () => true; globalThis.Set = 1;",
  Object:
    "Object.defineProperty = () => {}; Object.keys = () => ['forged']; Object.hasOwn = () => true; Object.freeze = (x) => x; Object.getOwnPropertyDescriptor = () => ({ value: 'forged' }); Object.getPrototypeOf = () => null; globalThis.Object = 1;",
  Array:
    "Array.isArray = () => false; Array.prototype.push = () => { throw 1 }; Array.prototype[Symbol.iterator] = function* () { yield 'forged' }; Array.prototype.map = () => ['forged']; Array.prototype.join = () => 'forged';",
  String:
    "for (const k of ['slice', 'indexOf', 'lastIndexOf', 'charCodeAt', 'toLowerCase', 'trim']) String.prototype[k] = () => 'forged'; globalThis.String = () => 'forged';",
  Function:
    "Function.prototype.call = () => 'forged'; Function.prototype.apply = () => 'forged'; Function.prototype.bind = () => 'forged'; Function.prototype[Symbol.hasInstance];",
  numbers: "Number.isInteger = () => true; Math.floor = () => 7; Math.imul = () => 7; globalThis.Number = () => 7;",
  errors:
    "globalThis.Error = class { get stack() { return 'forged' } }; globalThis.TypeError = 1; Error.stackTraceLimit = 0;",
  jobs: "globalThis.queueMicrotask = () => {}; globalThis.eval = () => 'forged';",
  RegExp: "RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; globalThis.RegExp = 1;",
};

test.each([...Object.entries(REDEFINED), ["all of it", Object.values(REDEFINED).join("\n")]])(
  "HARDENING 5: a script that redefines %s forges no call, no answer and no result",
  async (_what, prologue) => {
    const run = new TestRun(host);
    const first = await run.start(
      `${prologue}
       phase("p"); log("l", { a: [1] });
       const text = await agents.run("true prompt", { label: "lab", retries: 2, tools: ["t"], schema: { type: "string" } });
       const child = agents.spawn("two");
       const any = await agents.wait([child.runId], { timeoutSeconds: 2 });
       const slept = await sleep("1m30s");
       return { text, any, child: await child.result, slept: slept === undefined };`,
    );
    expect(first.notes.map((note) => note.text)).toEqual(["p", "l { a: [1] }"]);
    expect(first.calls.map((call) => call.args)).toEqual([
      {
        prompt: "true prompt",
        options: { label: "lab", retries: 2, tools: ["t"], schema: { type: "string" }, phase: "p" },
      },
      { mode: "one", ids: [childIdOf(run.runId, 1)], timeoutMs: null },
    ]);
    const second = await run.answer(ok(2, "true text"));
    expect(callOf(second.calls, "agentWait", 1).args).toEqual({
      mode: "any",
      ids: [childIdOf(run.runId, 3)],
      timeoutMs: 2000,
    });
    const third = await run.answer(ok(4, { true: "value" }), ok(5, { completed: [1] }));
    expect(callOf(third.calls, "sleep").args).toEqual({ milliseconds: 90_000 });
    expect(resultOf(await run.answer(ok(6, null)))).toEqual({
      text: "true text",
      any: { completed: [1] },
      child: { true: "value" },
      slept: true,
    });
  },
);

test("HARDENING 5: toJSON on the prototypes changes no envelope", async () => {
  const { calls, notes, result } = await runScript(
    host,
    `for (const C of [Object, Array, String, Number, Boolean]) C.prototype.toJSON = () => "forged";
     log("note");
     await agents.run("p", { label: "L", tools: ["a", "b"], timeoutMs: 5, fastMode: true });
     await agents.wait(["agt_1"], { timeoutSeconds: 1 });
     return "plain";`,
    answerAll("v"),
  );
  expect(calls.map((call) => call.args)).toEqual([
    { prompt: "p", options: { label: "L", tools: ["a", "b"], timeoutMs: 5, fastMode: true } },
    expect.objectContaining({ mode: "one" }),
    { mode: "any", ids: ["agt_1"], timeoutMs: 1000 },
  ]);
  expect(notes).toEqual(["note"]);
  expect(result).toBe("plain");
});

test("HARDENING 5: setters and getters on Object.prototype see and change nothing of a call", async () => {
  const { calls, result } = await runScript(
    host,
    `const seen = [];
     for (const k of ["0", "length", "kind", "resolve", "reject", "line", "column", "promise", "texts", "text", "key", "signal", "value", "runId", "label", "schema", "model", "done", "next", "waiter", "writable", "enumerable", "get", "set"])
       Object.defineProperty(Object.prototype, k, { __proto__: null, configurable: true, set(v) { seen.push(k) }, get() { return undefined } });
     const v = await agents.run("p", { retries: 1 });
     const s = agents.session("sys", { model: "m" }); const w = await s.send("x", { label: "l" });
     let said = ""; try { agents.run("q", { lable: 1 }) } catch (e) { said = e.message.slice(-5) }
     return [v, w, seen.length, said];`,
    answerAll("v"),
  );
  expect(result).toEqual(["v", "v", 0, 'bel"?']);
  expect(callOf(calls, "agentSpawn").args).toEqual({ prompt: "p", options: { retries: 1 } });
});

test("HARDENING 5: a then planted on Object.prototype runs with dispatch off the stack", async () => {
  const { result } = await runScript(
    host,
    `const stacks = [];
     Object.defineProperty(Object.prototype, "then", { configurable: true, get() { stacks.push(new Error().stack); return undefined } });
     const v = await agents.run("p");
     return [v.a, stacks.length > 0, stacks.some((s) => s.includes("dispatch"))];`,
    answerAll({ a: 1 }),
  );
  expect(result).toEqual([1, true, false]);
});

test("HARDENING 5: a planted constructor or species takes no part in how the run ends", async () => {
  const { result } = await runScript(
    host,
    `Object.defineProperty(Promise.prototype, "constructor", { get() { return class Forged { static get [Symbol.species]() { return Forged } constructor(e) { e(() => {}, () => {}) } } } });
     Object.defineProperty(Promise, Symbol.species, { get() { return function (e) { e(() => {}, () => {}) } } });
     Promise.prototype.then = function () { return "forged" };
     return "true result";`,
  );
  expect(result).toBe("true result");
});

test("dispatch cannot be reached: no global, no stack inspection, no caller, no arguments", async () => {
  const { result } = await runScript(
    host,
    `const found = [];
     const look = (v) => { if (typeof v === "function" && /dispatch|settle|deliver|bridge/.test(v.name)) found.push(v.name) };
     for (const k of Reflect.ownKeys(globalThis)) look(globalThis[k]);
     let formatted = 0;
     Error.prepareStackTrace = (e, sites) => { formatted++; for (const s of sites) look(s.getFunction?.()); return "x" };
     try { Object.defineProperty(Error, "prepareStackTrace", { value: (e, sites) => { formatted++; return sites } }) } catch {}
     new Error("x").stack;
     const bag = {}; Error.captureStackTrace(bag); bag.stack;
     try { delete Error.prepareStackTrace; Error.prepareStackTrace = () => { formatted++ } } catch {}
     new Error("y").stack;
     function inner() { look(inner.caller); try { look(arguments.callee.caller) } catch {} }
     inner();
     agents.run("x", { get label() { try { look(agents.run.caller) } catch {} inner(); return "L" } });
     for (const f of [agents.run, sleep, log, console.log]) for (const k of ["caller", "arguments"]) try { look(f[k]) } catch {}
     return { found, formatted };`,
  );
  expect(result).toEqual({ found: [], formatted: 0 });
});

test("prototype pollution adds no option, and __proto__ in options is no prototype", async () => {
  const { calls, notes } = await runScript(
    host,
    `Object.prototype.model = "planted"; Object.prototype.retries = 3; Object.prototype.timeoutSeconds = 9;
     agents.run("a", {}); agents.wait(["agt_1"]); agents.wait(["agt_1"], {});
     try { agents.run("b", JSON.parse('{"__proto__":{"model":"x"}}')) } catch (e) { log(e.message) }
     try { agents.run("c", { constructor: 1 }) } catch (e) { log(e.message) }
     return 1;`,
  );
  expect(callOf(calls, "agentSpawn").args.options).toEqual({});
  expect(callOf(calls, "agentWait", 1).args.timeoutMs).toBeNull();
  expect(callOf(calls, "agentWait", 2).args.timeoutMs).toBeNull();
  expect(notes).toEqual([
    'agents.run: unknown option "__proto__"',
    expect.stringMatching(/^agents\.run: unknown option "constructor"/),
  ]);
});

test("options that are proxies or throw are the script's own affair: each is read once, and nothing is sent", async () => {
  const { calls, result } = await runScript(
    host,
    `const out = [];
     const attempt = (f) => { try { f(); out.push("ok") } catch (e) { out.push(e instanceof Error ? e.name + ": " + e.message : e) } };
     attempt(() => agents.run("x", { get label() { throw new RangeError("mine") } }));
     attempt(() => agents.run("x", new Proxy({}, { ownKeys() { throw "trap" } })));
     let reads = 0;
     attempt(() => agents.run("x", new Proxy({ label: 1 }, { get() { reads++; return reads === 1 ? 5 : "L" } })));
     attempt(() => agents.run("x", { tools: new Proxy(["a"], { get(t, k) { return k === "length" ? 1e9 : t[k] } }) }));
     attempt(() => agents.run({ toString() { throw 1 } }));
     attempt(() => agents.wait(new Proxy([], { get() { return 5 } })));
     return [out, reads];`,
  );
  expect(calls).toEqual([]);
  expect(result).toEqual([
    [
      "RangeError: mine",
      "trap",
      "TypeError: agents.run: option label must be a string, got the number 5",
      "TypeError: agents.run: option tools must have at most 200 entries, got 1000000000",
      "TypeError: agents.run: prompt must be a string, got an object",
      expect.stringMatching(/^TypeError: agents\.wait: ids\[0\]/),
    ],
    1,
  ]);
});

test("a schema that is huge or deep is refused at the call, and the script goes on", async () => {
  const { calls, result } = await runScript(
    host,
    `let deep = {}; for (let i = 0; i < 100000; i++) deep = { a: deep };
     const wide = {}; for (let i = 0; i < 100000; i++) wide["key" + i] = { type: "string" };
     const out = [];
     for (const schema of [deep, wide]) try { agents.run("x", { schema }) } catch (e) { out.push(e.name + ": " + e.message) }
     try { agents.run("x".repeat(1000001)) } catch (e) { out.push(e.message) }
     return out;`,
  );
  expect(calls).toEqual([]);
  expect(result).toEqual([
    expect.stringMatching(
      /^TypeError: agents\.run: option schema(\.a)+\.?… is nested deeper than 200 levels; it must be JSON$/,
    ),
    expect.stringMatching(
      /^TypeError: agents\.run: prompt and options must take at most 1048576 bytes as JSON, got at least \d+$/,
    ),
    "agents.run: prompt must be at most 1000000 characters long, got 1000001",
  ]);
});

test("forged ids reach only what the host says of them: the guest passes texts on", async () => {
  const { calls } = await runScript(
    host,
    'const id = "agt_" + "f".repeat(32) + "_1"; agents.wait([id, "x\\u0000y", "\\ud800"]); agents.cancel("run_" + "0".repeat(32), "\\u202e"); return 1;',
  );
  expect(callOf(calls, "agentWait").args.ids).toEqual([`agt_${"f".repeat(32)}_1`, "x\u0000y", "\ud800"]);
  expect(callOf(calls, "agentCancel").args).toEqual({ id: `run_${"0".repeat(32)}`, reason: "\u202e" });
});

test("a child's answer is data: __proto__, then and toJSON in it do nothing by themselves", async () => {
  const json = '{"__proto__":{"polluted":1},"then":"text","toJSON":5,"constructor":{"prototype":{"x":1}}}';
  const run = new TestRun(host);
  await run.start('const v = await agents.run("x"); return [({}).polluted, Object.keys(v), v.then];');
  const report = await run.answer({ callId: 2, ok: true, value: json });
  expect(resultOf(report)).toEqual([null, ["__proto__", "then", "toJSON", "constructor"], "text"]);
});

test("a child's error data is data too", async () => {
  const { result } = await runScript(
    host,
    'try { await agents.run("x") } catch (e) { return [({}).polluted, Object.getPrototypeOf(e) === Error.prototype, Object.keys(e)] }',
    (call) =>
      call.method === "agentWait"
        ? childError(call.callId, JSON.parse('{"__proto__":{"polluted":1},"status":"failed"}'))
        : undefined,
  );
  expect(result).toEqual([null, true, ["__proto__", "status"]]);
});

test("the surface cannot be replaced for other code of the script", async () => {
  const { calls, result } = await runScript(
    host,
    `"use strict";
     const out = [];
     for (const f of [() => { agents.run = () => "forged" }, () => { globalThis.agents = {} }, () => { delete globalThis.agents }, () => { globalThis.agents.run.x = 1 }, () => { budget.usd.spent = 0 }, () => { AbortController.prototype.abort = 0 }])
       try { f(); out.push("done") } catch (e) { out.push(e.name) }
     agents.run("true");
     return out;`,
  );
  expect(result).toEqual(new Array(6).fill("TypeError"));
  expect(callOf(calls, "agentSpawn").args.prompt).toBe("true");
});

test("a script that recurses to the end of its stack and then calls out gets an error, and the bridge stays whole", async () => {
  const { result } = await runScript(
    host,
    `let errors = 0;
     const deep = (n) => { try { return deep(n + 1) } catch (e) { if (errors < 50) { errors++; try { log("x") } catch {} } throw e } };
     try { deep(0) } catch (e) { errors = e.name }
     return [errors, await agents.run("still here")];`,
    answerAll("v"),
  );
  expect(result).toEqual([expect.stringMatching(/RangeError|InternalError/), "v"]);
});
