// G-015: a rejection that nobody listens to is seen at the end of the slice, and one that is heard is not.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { SliceReport, VmPool } from "../../src/vm/port.ts";
import { openTestPool, TestRun } from "./support/guest.ts";

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool.close());

async function unhandledOf(script: string): Promise<SliceReport["unhandled"]> {
  return (await new TestRun(pool).start(`${script}\nawait host.park();`)).unhandled;
}

const UNHEARD: [string, string, { name: string; message: string }][] = [
  ["a promise rejected at once", 'Promise.reject(new TypeError("gone"));', { name: "TypeError", message: "gone" }],
  [
    "an async function nobody awaits",
    '(async () => { throw new RangeError("own"); })();',
    { name: "RangeError", message: "own" },
  ],
  [
    "one that fails after an await",
    "(async () => { await null; null.x; })();",
    { name: "TypeError", message: "cannot read property 'x' of null" },
  ],
  ["a promise derived by then", "Promise.reject(7).then(() => 1);", { name: "Thrown", message: "7" }],
  ["a promise kept in a variable", 'globalThis.kept = Promise.reject("text");', { name: "Thrown", message: "text" }],
  ["finally without a catch", 'Promise.reject(new Error("f")).finally(() => {});', { name: "Error", message: "f" }],
  [
    "a handler that throws",
    'Promise.reject(1).catch(() => { throw new Error("second"); });',
    { name: "Error", message: "second" },
  ],
  ["a group nobody awaits", 'Promise.all([Promise.reject(new Error("all"))]);', { name: "Error", message: "all" }],
  ["a resolver of its own", 'Promise.withResolvers().reject(new Error("late"));', { name: "Error", message: "late" }],
  ["an import that is not awaited", 'import("fs");', { name: "ReferenceError", message: "could not load module 'fs'" }],
  [
    "a microtask that throws",
    'queueMicrotask(() => { throw new Error("stray"); });',
    { name: "Error", message: "stray" },
  ],
  [
    "a class of the script's own",
    'class Mine extends Error { name = "Mine"; } Promise.reject(new Mine("m"));',
    { name: "Mine", message: "m" },
  ],
  ["null", "Promise.reject(null);", { name: "Thrown", message: "null" }],
  ["a symbol", "Promise.reject(Symbol());", { name: "Thrown", message: "a symbol" }],
  ["a bigint", "Promise.reject(2n ** 80n);", { name: "Thrown", message: "1208925819614629174706176" }],
  [
    "a plain object with a message",
    'Promise.reject({ name: "Odd", message: "plain" });',
    { name: "Odd", message: "plain" },
  ],
];

for (const [what, script, expected] of UNHEARD) {
  test(`G-015 reported: ${what}`, async () => {
    expect(await unhandledOf(script)).toMatchObject(expected);
  });
}

const HEARD: [string, string][] = [
  ["a catch", "Promise.reject(1).catch(() => {});"],
  ["a catch that comes a few jobs later", "const p = Promise.reject(1); await null; await null; p.catch(() => {});"],
  ["try and await", "try { await Promise.reject(1); } catch {}"],
  ["try and a later await", "const p = (async () => { throw 1; })(); await null; try { await p; } catch {}"],
  ["all with a catch", "await Promise.all([Promise.reject(1), Promise.reject(2)]).catch(() => {});"],
  ["allSettled", "await Promise.allSettled([Promise.reject(1), (async () => { await null; throw 2; })()]);"],
  ["any", "await Promise.any([Promise.reject(1), Promise.resolve(2)]);"],
  ["the losers of a race", "await Promise.race([Promise.resolve(1), Promise.reject(2)]);"],
  ["for await over rejections", "try { for await (const x of [Promise.reject(1)]); } catch {}"],
  ["an async generator that throws", "async function* g() { throw 1; } try { for await (const x of g()); } catch {}"],
  ["an import that is caught", 'try { await import("fs"); } catch {}'],
  ["a thenable that rejects", "await Promise.resolve({ then(_, no) { no(1); } }).catch(() => {});"],
  ["a promise that stays pending", "globalThis.p = new Promise(() => {}); p.then(() => {});"],
];

for (const [what, script] of HEARD) {
  test(`G-015 not reported: ${what}`, async () => {
    expect(await unhandledOf(script)).toBe(null);
  });
}

test("G-015 the report has the stack with the script's own lines", async () => {
  const unhandled = await unhandledOf('function deep() {\n  throw new Error("here");\n}\n(async () => deep())();');
  expect(unhandled?.stack).toContain("deep (<input>:2:");
  expect(unhandled?.stack).toContain("<input>:4:");
});

test("G-015 a promise that was parked with its handler is heard when it is rejected later", async () => {
  const run = new TestRun(pool);
  await run.start("const p = host.a(); p.catch(() => {}); await host.b();");
  run.forget();
  expect((await run.reject(run.calls[0], "no")).unhandled).toBe(null);
});

test("G-015 a rejection that comes with an answer turns later is reported in that turn", async () => {
  const run = new TestRun(pool);
  await run.start("(async () => { await host.a(); })(); await host.b();");
  run.forget();
  expect((await run.reject(run.calls[0], "no")).unhandled).toMatchObject({ name: "Error", message: "no" });
});

test("G-015 reading the reason runs no code of the script", async () => {
  const report = await new TestRun(pool).start(`
    const touched = (what) => { host.touched(what); };
    const error = new Error("honest");
    Object.defineProperty(error, "name", { get() { touched("getter"); return "x"; } });
    Promise.reject(error);
    await host.park();
  `);
  expect(report.unhandled).toMatchObject({ name: "Thrown", message: "honest" });
  const proxied = await new TestRun(pool).start(`
    const touched = (what) => { host.touched(what); };
    Promise.reject(new Proxy({}, { get: () => touched("get"), getOwnPropertyDescriptor: () => touched("own"), getPrototypeOf: () => touched("proto") }));
    Promise.reject(Object.create(new Proxy({}, { get: () => touched("get"), has: () => touched("has") })));
    Promise.reject({ toString() { touched("toString"); }, toJSON() { touched("toJSON"); }, message: { toString() { touched("nested"); } } });
    await host.park();
  `);
  expect(proxied.unhandled).toMatchObject({ name: "Thrown", message: "an object without a message" });
  expect([...report.messages, ...proxied.messages].map(({ method }) => method)).toEqual(["park", "park"]);
});

test("G-015 the first of several is reported, and 10,000 promises cost no search", async () => {
  const run = new TestRun(pool);
  await run.start("globalThis.many = Array.from({ length: 10_000 }, () => host.a()); await host.b();");
  const last = run.calls.at(-1);
  const report = await run.fulfil(last, 1);
  expect(report.unhandled).toBe(null);
  expect(report.snapshot).toBe(null);
  const two = await unhandledOf("Promise.reject(new Error('first')); Promise.reject(new Error('second'));");
  expect(two?.message).toBe("first");
});
