// What a turn sent, read on the host: bounds that hold whatever the guest's own controller did before.

import fc from "fast-check";
import { expect, test } from "vitest";
import { GUEST_OP } from "../../src/bridge/ops.ts";
import { readOutbox } from "../../src/bridge/outbox.ts";
import { isFault } from "../../src/contract/fault.ts";
import { childIdOf } from "../../src/contract/ids.ts";
import { CALLS_PER_TURN_MAX, NOTE_CHARS_MAX, NOTES_PER_TURN_MAX, RESULT_BYTES_MAX } from "../../src/contract/limits.ts";
import type { GuestMessage } from "../../src/vm/port.ts";

const RUN = `run_${"0".repeat(31)}1`;
const LIMITS = { maxOutputBytes: 64 * 1024, maxPendingToolCalls: 10 };

const spawn = (id: number, args: unknown = { prompt: "p", options: {} }): GuestMessage => ({
  op: GUEST_OP.call,
  id,
  method: "agentSpawn",
  json: JSON.stringify({ at: [1, id], args }),
});
const waitFor = (id: number, spawnId: number): GuestMessage => ({
  op: GUEST_OP.call,
  id,
  method: "agentWait",
  json: JSON.stringify({ at: [1, id], args: { mode: "one", ids: [childIdOf(RUN, spawnId)], timeoutMs: null } }),
});
const note = (text: string, method = "log:info"): GuestMessage => ({
  op: GUEST_OP.note,
  id: 0,
  method,
  json: JSON.stringify(text),
});
const closed = (pending: number, notesDropped = 0): GuestMessage => ({
  op: GUEST_OP.closed,
  id: 0,
  method: "script.js",
  json: JSON.stringify({ pending, notesDropped }),
});
const read = (...messages: GuestMessage[]) => readOutbox(RUN, messages, LIMITS);
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return isFault(error) ? error.code : `untyped ${String(error)}`;
  }
  return "nothing thrown";
};

test("a refused spawn is answered by the wait that was issued with it", () => {
  const outbox = read(spawn(1, { prompt: "p", options: { nope: 1 } }), waitFor(2, 1), spawn(3), waitFor(4, 3));
  expect(outbox.calls.map((call) => call.callId)).toEqual([3, 4]);
  expect(outbox.refused).toMatchObject([{ callId: 2, method: "agentWait", error: { name: "TypeError" }, line: 1 }]);
});

test("L2 call ids that do not rise are no message of the controller: the guest has crashed", () => {
  expect(codeOf(() => read(spawn(2), spawn(2)))).toBe("guest_crashed");
  expect(codeOf(() => read(spawn(0)))).toBe("guest_crashed");
  expect(codeOf(() => read(spawn(1.5)))).toBe("guest_crashed");
  expect(codeOf(() => read({ op: 9, id: 1, method: "", json: "" }))).toBe("guest_crashed");
});

test("L10 more calls in a turn than its bound are the fault too_many_calls", () => {
  const many = Array.from({ length: CALLS_PER_TURN_MAX + 1 }, (_, index) => spawn(index + 1));
  expect(codeOf(() => read(...many))).toBe("too_many_calls");
  expect(readOutbox(RUN, many.slice(1), LIMITS).calls).toHaveLength(CALLS_PER_TURN_MAX);
});

test("L10 more waiting calls than maxPendingToolCalls are the fault too_many_calls", () => {
  expect(codeOf(() => read(closed(11)))).toBe("too_many_calls");
  expect(read(closed(10)).file).toBe("script.js");
});

test("G-006 notes over count, length and bytes are cut and counted", () => {
  const flood = Array.from({ length: NOTES_PER_TURN_MAX + 5 }, (_, index) => note(`n${index}`));
  expect(read(...flood, closed(0, 7))).toMatchObject({ notesDropped: 12 });
  expect(read(note("x".repeat(NOTE_CHARS_MAX * 2))).notes[0]?.text).toMatch(/x… \(4000 more characters\)$/);
  const heavy = Array.from({ length: 20 }, () => note("é".repeat(NOTE_CHARS_MAX)));
  const outbox = read(...heavy);
  expect(outbox.notes.length + outbox.notesDropped).toBe(20);
  expect(outbox.notes).toHaveLength(8);
});

test("L6 a result is checked once more on the host: valid JSON, its bytes, its depth", () => {
  const result = (json: string) => read({ op: GUEST_OP.result, id: 0, method: "s.js", json }).outcome;
  expect(result('{"a":1}')).toEqual({ state: "done", result: '{"a":1}' });
  expect(result("{a:1}")).toMatchObject({ state: "failed", error: { code: "result_not_json" } });
  expect(result(`"${"x".repeat(RESULT_BYTES_MAX)}"`)).toMatchObject({ error: { code: "result_too_large" } });
  expect(result("[".repeat(100_000))).toMatchObject({ error: { code: "result_not_json" } });
});

test("scoreboard 6: random outboxes end in a report or a Fault, never in anything else", () => {
  const message = fc.record({
    op: fc.constantFrom(0, 1, 2, 3, 4, 5, Number.NaN),
    id: fc.oneof(fc.nat(9), fc.double()),
    method: fc.oneof(fc.constantFrom("agentSpawn", "agentWait", "log:info", "__proto__", "s.js"), fc.string()),
    json: fc.oneof(fc.json(), fc.string(), fc.constant('{"code":"script_error","stack":5}'), fc.constant("null")),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
      try {
        readOutbox(RUN, messages, LIMITS);
        return true;
      } catch (error) {
        return isFault(error);
      }
    }),
    { numRuns: 20_000, seed: 20261130 },
  );
}, 60_000);
