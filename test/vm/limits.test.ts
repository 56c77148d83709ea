// Scripts that try to take more than they may: each ends as one typed fault, and the next run is well.

import { afterAll, beforeAll, expect, test } from "vitest";
import { isFault } from "../../src/contract/fault.ts";
import type { SliceLimits, VmPool } from "../../src/vm/port.ts";
import { LIMITS, LITTLE_FUEL, openTestPool, TestRun } from "./support/guest.ts";

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool.close());

/** How a script ends: the code of its fault, its result, or "parked". */
async function endOf(script: string, limits: Partial<SliceLimits> = {}): Promise<string> {
  const run = new TestRun(pool);
  run.limits = { ...LIMITS, ...limits };
  try {
    await run.start(script);
  } catch (error) {
    if (isFault(error)) return error.code;
    throw error;
  }
  return run.result ?? run.failure?.text ?? "parked";
}

async function expectNeighbourWell(): Promise<void> {
  expect(await endOf("return await Promise.all([1, (async () => 2)()])")).toBe("[1,2]");
}

const FUEL = { maxFuel: LITTLE_FUEL };

const LOOPS: [string, string][] = [
  ["a loop", "for (;;);"],
  ["a loop that catches everything", "for (;;) { try { for (;;); } catch {} }"],
  ["a loop in a finally", "try { return 1 } finally { for (;;); }"],
  [
    "an async loop that catches everything",
    "const f = async () => { for (;;) { try { for (;;); } catch {} } }; await f();",
  ],
  ["promise jobs without end", "const f = () => Promise.resolve().then(f); await f();"],
  ["microtasks without end", "const f = () => queueMicrotask(f); f(); await host.park();"],
  ["awaits without end", "for (;;) await null;"],
  ["a generator that never ends", "function* g() { for (;;) yield 1; } for (const x of g());"],
  ["a getter that loops", "({ get x() { for (;;); } }).x;"],
  ["a regular expression that backtracks", 'return /^(a+)+$/.test("a".repeat(40) + "b");'],
  ["a sort with a comparator that loops", "[3, 2, 1].sort(() => { for (;;); });"],
  ["a toJSON that loops", "return { toJSON() { for (;;); } };"],
];

for (const [what, script] of LOOPS) {
  test(`C-007 ended by fuel: ${what}`, async () => {
    expect(await endOf(script, FUEL)).toBe("turn_timeout");
    await expectNeighbourWell();
  });
}

test("C-007 the deadline ends a loop by time", async () => {
  expect(await endOf("for (;;);", { timeoutMs: 100 })).toBe("turn_timeout");
});

const MEMORY: [string, string][] = [
  ["strings in a list", 'const all = []; for (;;) all.push("x".repeat(1e6) + all.length);'],
  ["one string that doubles", 'let s = "x"; for (;;) s = (s + s).toUpperCase();'],
  ["an array that grows", "const all = []; for (;;) all.push([all.length]);"],
  ["a buffer", "return new ArrayBuffer(1 << 30).byteLength;"],
  ["typed arrays", "const all = []; for (;;) all.push(new Float64Array(1 << 16));"],
  ["a map", "const map = new Map(); for (let i = 0; ; i++) map.set(i, { i });"],
  ["promises", "const all = []; for (;;) all.push(new Promise(() => {}));"],
  ["closures", "let f = () => 0; for (;;) { const g = f; f = () => g; }"],
  ["caught again and again", 'const all = []; for (;;) { try { all.push("x".repeat(1e7) + all.length); } catch {} }'],
  ["a join", 'return Array(1e7).fill("xxxxxxxxxx").join("").length;'],
  ["rejections", "const all = []; for (;;) all.push(Promise.reject(all.length));"],
];

for (const [what, script] of MEMORY) {
  test(`C-007 ended by the memory limit: ${what}`, async () => {
    expect(["memory_limit", "turn_timeout"]).toContain(await endOf(script, { memoryLimitBytes: 16 * 1024 * 1024 }));
    await expectNeighbourWell();
  });
}

test("C-007 what the language itself bounds is the script's own error", async () => {
  expect(await endOf("let n = 3n; for (;;) n *= n;")).toMatch(/^RangeError: BigInt is too large/);
  expect(await endOf('let s = "x"; for (;;) s += s;')).toMatch(/^InternalError: string too long/);
});

test("C-007 the memory limit is named with its number", async () => {
  const run = new TestRun(pool);
  run.limits = { ...LIMITS, memoryLimitBytes: 8 * 1024 * 1024 };
  await expect(run.start("const all = []; for (;;) all.push(new Uint8Array(1e5));")).rejects.toMatchObject({
    code: "memory_limit",
    message: "The script needs more than its 8388608 bytes of memory.",
  });
});

const DEEP: [string, string, RegExp][] = [
  ["a function", "const f = () => f() + 1; try { f(); } catch (error) { return error.name; }", /^"RangeError"$/],
  [
    "a constructor",
    "class A { constructor() { new A(); } } try { new A(); } catch (error) { return error.name; }",
    /^"RangeError"$/,
  ],
  [
    "a getter",
    "const o = { get x() { return this.x; } }; try { o.x; } catch (error) { return error.name; }",
    /^"RangeError"$/,
  ],
  [
    "a proxy chain",
    "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); try { return String(p.x); } catch (error) { return error.name; }",
    /RangeError|undefined|memory_limit/,
  ],
  [
    "nested JSON",
    'try { JSON.parse("[".repeat(1e6)); } catch (error) { return error.name; }',
    /RangeError|SyntaxError|memory_limit/,
  ],
  [
    "nested JSON out",
    "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; try { return JSON.stringify(o).length; } catch (error) { return error.name; }",
    /RangeError|\d+|memory_limit|InternalError|turn_timeout/,
  ],
  [
    "nested source",
    'try { eval("(".repeat(1e6)); } catch (error) { return error.name; }',
    /RangeError|SyntaxError|memory_limit|InternalError/,
  ],
  [
    "a nested list made flat",
    "let a = [1]; for (let i = 0; i < 1e5; i++) a = [a]; try { return a.flat(Infinity).length; } catch (error) { return error.name; }",
    /RangeError|1|memory_limit|InternalError/,
  ],
  [
    "a regular expression",
    'try { return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("x"); } catch (error) { return error.name; }',
    /SyntaxError|RangeError|InternalError|true|memory_limit/,
  ],
  [
    "toString of nested lists",
    "let a = [1]; for (let i = 0; i < 1e5; i++) a = [a]; try { return String(a); } catch (error) { return error.name; }",
    /RangeError|1|InternalError/,
  ],
];

for (const [what, script, expected] of DEEP) {
  test(`C-007 deep recursion stays in the guest: ${what}`, async () => {
    expect(await endOf(script, { timeoutMs: 1_000 })).toMatch(expected);
    await expectNeighbourWell();
  });
}

test("C-007 too many messages and too much text end the slice with their limits", async () => {
  expect(await endOf("for (;;) host.call();", { maxMessages: 10 })).toBe("too_many_calls");
  expect(await endOf('host.call("x".repeat(2000));', { maxOutputBytes: 1000 })).toBe("output_too_large");
  expect(await endOf('host.call("x".repeat(900)); await host.park();', { maxOutputBytes: 1000 })).toBe("parked");
});

test("C-007 a snapshot above its limit ends the slice", async () => {
  const noise =
    "const rows = []; let x = 1; for (let i = 0; i < 5000; i++) rows.push((x = (x * 48271) % 2147483647)); await host.park();";
  expect(await endOf(noise, { maxSnapshotBytes: 5_000 })).toBe("snapshot_too_large");
});

test("C-007 a run whose slice failed goes on from its last snapshot", async () => {
  const run = new TestRun(pool);
  await run.start("let n = 0; for (;;) { n++; if (await host.step(n)) for (;;); }");
  await run.fulfil(run.calls[0], false);
  const turn = run.turn;
  run.limits = { ...LIMITS, ...FUEL };
  await expect(run.fulfil(run.calls[0], true)).rejects.toMatchObject({ code: "turn_timeout" });
  expect(run.turn).toBe(turn);
  run.limits = LIMITS;
  const report = await run.fulfil(run.calls[0], false);
  expect(report.restored).toBe(true);
  expect(run.calls[0]?.json).toBe("[3]");
});

test("C-007 the guest finds no way to the host, to a clock beyond its own, or to the controller", async () => {
  const script = `
    const missing = ["require", "process", "module", "std", "os", "print", "setTimeout", "fetch", "WebAssembly", "Deno", "Atomics"];
    const there = missing.filter((name) => name in globalThis);
    let frames = "none";
    try { Error.prepareStackTrace = (_error, sites) => { frames = sites.length; return ""; }; new Error("x").stack; } catch {}
    return [there, frames, new Date().getTimezoneOffset(), typeof dispatch, typeof bridge];
  `;
  expect(await endOf(script)).toBe('[[],"none",0,"undefined","undefined"]');
});
