// Notes, time, the surface as a file, and the globals themselves.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import { NOTES_PER_TURN_MAX } from "../../src/contract/limits.ts";
import { answerAll, callOf, ok, openTestHost, resultOf, runScript, TestRun } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

test("G-006 notes come in order, with their kind and level, and are not awaited", async () => {
  const { report } = await runScript(
    host,
    'const r = [phase("one"), log("two", 2), console.info("i"), console.warn("w"), console.error("e"), console.debug("d"), console.log("l")]; return r.every((x) => x === undefined);',
  );
  expect(resultOf(report)).toBe(true);
  expect(report.notes).toEqual([
    { kind: "phase", level: "info", text: "one" },
    { kind: "log", level: "info", text: "two 2" },
    { kind: "console", level: "info", text: "i" },
    { kind: "console", level: "warn", text: "w" },
    { kind: "console", level: "error", text: "e" },
    { kind: "console", level: "debug", text: "d" },
    { kind: "console", level: "info", text: "l" },
  ]);
});

test("G-006 a flood of notes is cut at its bound, counted, and does not fail the run", async () => {
  const { report } = await runScript(host, "for (let i = 0; i < 100000; i++) log(i); return 1;");
  expect(resultOf(report)).toBe(1);
  expect(report.notes).toHaveLength(NOTES_PER_TURN_MAX);
  expect(report.notesDropped).toBe(100_000 - NOTES_PER_TURN_MAX);
});

test("G-006 the bound of notes is one of a turn: the next turn has its own", async () => {
  const run = new TestRun(host);
  const first = await run.start("for (let i = 0; i < 1500; i++) log(i); await sleep(1); log('after'); return 1;");
  expect([first.notes.length, first.notesDropped]).toEqual([1000, 500]);
  const second = await run.answer(ok(1, null));
  expect([second.notes.map((note) => note.text), second.notesDropped]).toEqual([["after"], 0]);
});

test("G-006 a long note is cut with a visible mark", async () => {
  const { notes } = await runScript(host, 'log("x".repeat(10000)); phase("p".repeat(300)); return 1;');
  expect(notes[0]).toMatch(/^x{4000}… \(\d+ more characters\)$/);
  expect(notes[1]).toMatch(/^p{200}… \(100 more characters\)$/);
});

test("G-010 values are shown as text without running their getters, whatever they are", async () => {
  const { notes } = await runScript(
    host,
    `log({ a: [1, { b: "x" }], get c() { throw 1 }, "a b": null }, new Map([[1, new Set([2])]]), 3n, Symbol("s"), undefined);
     log([, 1], new Date(0), /x/g, function named() {}, Promise.resolve(1));
     const o = {}; o.o = o; log(o);
     log(new Proxy({}, { ownKeys() { throw new Error("trap") } }));
     log(new TypeError("bad"));
     let d = {}; for (let i = 0; i < 50; i++) d = { d }; log(d);
     return 1;`,
  );
  expect(notes[0]).toBe(
    '{ a: [1, { b: "x" }], c: [getter], "a b": null } Map { 1 => Set { 2 } } 3n Symbol(s) undefined',
  );
  expect(notes[1]).toBe("[<empty>, 1] 1970-01-01T00:00:00.000Z /x/g [function named] Promise");
  expect(notes[2]).toBe("{ o: [circular] }");
  expect(notes[3]).toBe("[unreadable value]");
  expect(notes[4]).toMatch(/^TypeError: bad\n {4}at .*script\.js:5:\d+\)$/);
  expect(notes[5]).toBe("{ d: { d: { d: { d: { d: {…} } } } } }");
});

test("G-008 sleep takes milliseconds and durations, and says what it takes", async () => {
  const { calls, result } = await runScript(
    host,
    `for (const t of [7, "2h", "1h30m", "500ms", "1.5s", "1d 2m"]) sleep(t);
     const bad = [];
     for (const t of ["", "2", "h", "2x", "1h 2", -1, NaN, null, {}, undefined, Infinity, 1e15]) try { sleep(t) } catch (e) { bad.push(e.name) }
     return bad;`,
  );
  expect(calls.map((call) => (call.method === "sleep" ? call.args.milliseconds : call.method))).toEqual([
    7, 7_200_000, 5_400_000, 500, 1_500, 86_520_000,
  ]);
  expect(result).toEqual(new Array(12).fill("TypeError"));
});

test("G-008 a sleep resolves to undefined, and now() is the time that the host gives", async () => {
  const run = new TestRun(host);
  await run.start(
    'const v = await sleep("1s"); return [v === undefined, typeof now(), Math.abs(now() - Date.now()) < 1000];',
  );
  expect(resultOf(await run.answer(ok(1, { dueAt: 5 })))).toEqual([true, "number", true]);
});

test("G-010 args is the submitted JSON, fixed; without args it is undefined", async () => {
  const given = await runScript(
    host,
    "return [args, Object.getOwnPropertyDescriptor(globalThis, 'args').writable];",
    undefined,
    {
      args: { n: [1, "é\u0000\ud800"] },
    },
  );
  expect(given.result).toEqual([{ n: [1, "é\u0000\ud800"] }, false]);
  expect((await runScript(host, "return args === undefined && typeof args;")).result).toBe("undefined");
});

test("G-010 await and return stand at the top level", async () => {
  expect((await runScript(host, "const x = await Promise.resolve(4); if (x) return x; return 5;")).result).toBe(4);
});

test("G-011 API lists and reads the declaration file, and refuses everything else", async () => {
  const { result } = await runScript(
    host,
    `const refused = [];
     for (const p of ["../agents.d.ts", "x/../agents.d.ts", "nope", "", "/etc/passwd", 5]) try { API.read(p); refused.push("read") } catch (e) { refused.push(e.name) }
     return { all: API.list(), some: API.list("agents"), none: API.list("x"), text: API.read("agents.d.ts"), refused };`,
  );
  expect(result).toEqual({
    all: ["agents.d.ts", "people.d.ts", "tools.d.ts", "workflow.d.ts"],
    some: ["agents.d.ts"],
    none: [],
    text: readFileSync("guest-types/agents.d.ts", "utf8"),
    refused: new Array(6).fill("TypeError"),
  });
});

test("the globals are there for good, and what is not built is absent", async () => {
  const { result } = await runScript(
    host,
    `const names = ["agents", "phase", "log", "console", "sleep", "now", "budget", "API", "AbortController", "AbortSignal", "approve", "waitForEvent"];
     const fixed = names.filter((n) => {
       const d = Object.getOwnPropertyDescriptor(globalThis, n);
       const parts = Object.values(d.value).filter((v) => typeof v === "function" || typeof v === "object");
       return !d.writable && !d.configurable && Object.isFrozen(d.value) && parts.every((v) => v === null || Object.isFrozen(v));
     });
     const absent = ["require", "process", "setTimeout", "fetch", "module", "exports", "std", "os", "bridge", "dispatch", "host"]
       .filter((n) => n in globalThis);
     return { fixed: fixed.length === names.length, absent };`,
  );
  expect(result).toEqual({ fixed: true, absent: [] });
});

test("G-012 there is no import in a script: dynamic import rejects", async () => {
  const { result } = await runScript(
    host,
    'const out = []; for (const n of ["node:fs", "std", "os", "./x.js"]) out.push(await import(n).then(() => "imported", () => "rejected")); return out;',
  );
  expect(result).toEqual(["rejected", "rejected", "rejected", "rejected"]);
});

test("an abort tells its listeners once, with its reason; a listener that throws fails the run", async () => {
  const { result } = await runScript(
    host,
    `const c = new AbortController(), seen = [];
     const gone = () => seen.push("gone");
     c.signal.addEventListener("abort", (e) => seen.push(e.type, e.target === c.signal));
     c.signal.addEventListener("abort", gone); c.signal.removeEventListener("abort", gone);
     c.signal.onabort = () => seen.push("on");
     c.abort(); c.abort("again");
     try { c.signal.throwIfAborted() } catch (e) { seen.push(e.name, e === c.signal.reason) }
     try { new AbortSignal() } catch (e) { seen.push(e.name) }
     return seen;`,
  );
  expect(result).toEqual(["on", "abort", true, "AbortError", true, "TypeError"]);
  const { report } = await runScript(
    host,
    'const c = new AbortController(); c.signal.addEventListener("abort", () => { throw new Error("heard") }); c.abort(); await sleep(1);',
  );
  expect(report.outcome).toMatchObject({ state: "failed", error: { code: "unhandled_rejection" } });
});

test("children belong to the phase that was set when they were asked for, unless they name one", async () => {
  const { calls } = await runScript(
    host,
    'agents.run("a"); phase("one"); agents.run("b"); agents.run("c", { phase: "own" }); phase("two"); agents.spawn("d"); return 1;',
    answerAll("v"),
  );
  const phases = calls.flatMap((call) => (call.method === "agentSpawn" ? [call.args.options.phase] : []));
  expect(phases).toEqual([undefined, "one", "own", "two"]);
});

test("every call carries the line and column that made it, in TypeScript too", async () => {
  const { calls } = await runScript(
    host,
    `interface Unused { a: number }
const ask = async (what: string): Promise<string> =>
  agents.run(what);
void ask("x");
void sleep(1 as number);
return 1;`,
    undefined,
    { language: "ts", fileName: "script.ts" },
  );
  expect(callOf(calls, "agentSpawn")).toMatchObject({ line: 3, column: expect.any(Number) });
  expect(callOf(calls, "sleep").line).toBe(5);
});
