// The host's side of one guest call: what the schemas accept becomes a Call, all else an error for the guest.

import fc from "fast-check";
import { expect, test } from "vitest";
import { budgetLimits, fieldLimits } from "../../src/bridge/controller/option-limits.ts";
import { JSON_DEPTH_MAX } from "../../src/bridge/ops.ts";
import { isPlain, parseCall } from "../../src/bridge/parse-call.ts";
import { spawnArgsSchema, waitArgsSchema } from "../../src/contract/calls.ts";
import { CALL_BYTES_MAX, PROMPT_CHARS_MAX } from "../../src/contract/limits.ts";

const SEED = 20261130;
const call = (method: string, args: unknown, at: unknown = [3, 5]) =>
  parseCall(7, method, JSON.stringify({ at, args }));

test("G-001 a spawn becomes a typed call with the line and column that made it", () => {
  expect(call("agentSpawn", { prompt: "read", options: { label: "reader" } })).toEqual({
    ok: true,
    call: {
      callId: 7,
      method: "agentSpawn",
      args: { prompt: "read", options: { label: "reader" } },
      line: 3,
      column: 5,
    },
  });
});

test("a call whose place is not known carries none", () => {
  const parsed = call("sleep", { milliseconds: 5 }, [0, 0]);
  expect(parsed).toEqual({ ok: true, call: { callId: 7, method: "sleep", args: { milliseconds: 5 } } });
});

test.each([
  ["an unknown method", "agentExplode", {}, /there is no call "agentExplode"/],
  ["an unknown option", "agentSpawn", { prompt: "p", options: { lable: "x" } }, /options.*lable/],
  ["a wrong type", "agentSpawn", { prompt: 5, options: {} }, /prompt/],
  ["too many retries", "agentSpawn", { prompt: "p", options: { retries: 21 } }, /options\.retries/],
  ["no ids", "agentWait", { mode: "any", ids: [], timeoutMs: null }, /ids/],
  ["a negative sleep", "sleep", { milliseconds: -1 }, /milliseconds/],
  ["no arguments", "sleep", undefined, /sleep/],
])("L6 %s is refused with an error for the guest, not thrown", (_what, method, args, message) => {
  const parsed = call(method, args);
  expect(parsed.ok).toBe(false);
  if (!parsed.ok) expect(parsed.error).toMatchObject({ name: "TypeError", message: expect.stringMatching(message) });
});

test("L10 a call over its bytes is refused by its size before it is parsed", () => {
  const parsed = parseCall(1, "agentSpawn", `{"at":[1,1],"args":"${"é".repeat(CALL_BYTES_MAX / 2 + 100)}"}`);
  expect(parsed).toMatchObject({ ok: false, error: { message: expect.stringMatching(/at most 1048576 are allowed/) } });
});

test("L10 JSON nested deeper than the bound is refused, and brackets in strings do not count", () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const json = (schema: string) => `{"at":[1,1],"args":{"prompt":"p","options":{"schema":${schema}}}}`;
  expect(parseCall(1, "agentSpawn", json(nested(100_000)))).toMatchObject({ ok: false });
  expect(parseCall(1, "agentSpawn", json(nested(JSON_DEPTH_MAX)))).toMatchObject({ ok: true });
  const brackets = JSON.stringify({ description: '"[{'.repeat(1000) });
  expect(parseCall(1, "agentSpawn", json(brackets))).toMatchObject({ ok: true });
});

test("scoreboard 6: 100,000 random messages are parsed without one untyped throw", () => {
  const anyJson = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string({ unit: "binary" }),
    fc.jsonValue().map((args) => JSON.stringify({ at: [1, 2], args })),
    fc
      .record({
        prompt: fc.oneof(fc.string(), fc.jsonValue()),
        options: fc.dictionary(fc.constantFrom("label", "schema", "retries", "__proto__", "x"), fc.jsonValue()),
      })
      .map((args) => JSON.stringify({ at: [1, 2], args })),
  );
  const method = fc.oneof(fc.constantFrom("agentSpawn", "agentWait", "agentCancel", "sleep", "__proto__"), fc.string());
  fc.assert(
    fc.property(method, anyJson, fc.nat(), (name, json, callId) => {
      const parsed = parseCall(callId, name, json);
      return parsed.ok ? parsed.call.callId === callId : parsed.error.name === "TypeError";
    }),
    { numRuns: 100_000, seed: SEED },
  );
}, 120_000);

test("what the hand-written check accepts, the schema accepts and leaves as it is", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 210 }),
    fc.constantFrom("", "x".repeat(200), "x".repeat(201), "x".repeat(100), "x".repeat(101)),
  );
  const options = fc.dictionary(
    fc.constantFrom("label", "model", "agentId", "phase", "key", "schema", "thinking", "tools", "__proto__", "other"),
    fc.oneof(text, fc.dictionary(fc.constantFrom("a", "__proto__", "b"), fc.jsonValue()), fc.jsonValue()),
    { maxKeys: 4 },
  );
  const spawn = fc.record({ prompt: fc.oneof(text, fc.jsonValue()), options: fc.oneof(options, fc.jsonValue()) });
  const ids = fc.array(fc.oneof(text, fc.jsonValue()), { maxLength: 3 });
  const wait = fc.record({
    mode: fc.constantFrom("one", "any", "all"),
    ids: fc.oneof(ids, fc.jsonValue()),
    timeoutMs: fc.constantFrom(null, 0, 5, -1, "1"),
  });
  let accepted = 0;
  const agree = (method: "agentSpawn" | "agentWait", value: unknown) => {
    const args: unknown = JSON.parse(JSON.stringify(value));
    if (!isPlain(method, args)) return;
    accepted += 1;
    const schema = method === "agentSpawn" ? spawnArgsSchema : waitArgsSchema;
    expect(schema.safeParse(args)).toEqual({ success: true, data: args });
  };
  fc.assert(
    fc.property(spawn, wait, (spawnArgs, waitArgs) => {
      agree("agentSpawn", spawnArgs);
      agree("agentWait", waitArgs);
    }),
    { numRuns: 20_000, seed: SEED },
  );
  expect(accepted).toBeGreaterThan(1_000);
}, 60_000);

test("the bounds that the guest checks are those of the schema", () => {
  const accepts = (options: { [name: string]: unknown }, prompt = "p") =>
    spawnArgsSchema.safeParse({ prompt, options }).success;
  const { tools, tool, timeoutMs, retries, ...texts } = fieldLimits;
  for (const [name, chars] of Object.entries(texts)) {
    expect(accepts({ [name]: "x".repeat(chars) }), name).toBe(true);
    expect(accepts({ [name]: "x".repeat(chars + 1) }), name).toBe(false);
  }
  expect(accepts({ timeoutMs, retries, tools: new Array(tools).fill("x".repeat(tool)) })).toBe(true);
  expect(accepts({ timeoutMs: timeoutMs + 1 })).toBe(false);
  expect(accepts({ retries: retries + 1 })).toBe(false);
  expect(accepts({ tools: new Array(tools + 1).fill("x") })).toBe(false);
  expect(accepts({ tools: ["x".repeat(tool + 1)] })).toBe(false);
  expect(accepts({ budget: budgetLimits })).toBe(true);
  for (const [unit, max] of Object.entries(budgetLimits)) {
    for (const limit of [max + 1, 0, -1, null]) expect(accepts({ budget: { [unit]: limit } }), unit).toBe(false);
  }
  expect(accepts({}, "x".repeat(PROMPT_CHARS_MAX))).toBe(true);
  expect(accepts({}, "x".repeat(PROMPT_CHARS_MAX + 1))).toBe(false);
});
