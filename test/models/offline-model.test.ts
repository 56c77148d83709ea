// The offline models: what each name does, on a clock that the test moves.

import { describe, expect, test } from "vitest";
import { isFault } from "../../src/contract/fault.ts";
import { createOfflineModel, type OfflineOutcome, type OfflineWork } from "../../src/models/offline/model.ts";
import { parseOfflineName } from "../../src/models/offline/names.ts";
import type { ChildRunner } from "../../src/swarm/runner.ts";
import { ManualClock } from "../support/manual-clock.ts";

const DELAY_MS = 100;
const SLOW_MS = 4_000;
const PROMPT = "# Plan\n\nThe scheduler keeps every finished child.\nIt never forgets what was paid for.";

function setUp() {
  const clock = new ManualClock();
  return { clock, offline: createOfflineModel({ clock, delayMs: DELAY_MS, slowMs: SLOW_MS }) };
}

function work(changes: Partial<OfflineWork> = {}): OfflineWork {
  return {
    prompt: PROMPT,
    model: "offline",
    attempt: 1,
    schema: undefined,
    session: undefined,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Runs one attempt; the time it needs passes at once. */
async function outcomeOf(changes: Partial<OfflineWork> = {}): Promise<OfflineOutcome> {
  const { clock, offline } = setUp();
  const running = offline.run(work(changes));
  clock.advance(SLOW_MS * 2);
  const outcome = await running;
  expect(clock.timerCount).toBe(0);
  return outcome;
}

/** Milliseconds until an answer, found by moving the clock one by one. */
async function delayOf(model: string, prompt: string): Promise<number> {
  const { clock, offline } = setUp();
  const start = clock.now();
  let answeredAt: number | undefined;
  const running = offline.run(work({ model, prompt })).then(() => {
    answeredAt ??= clock.now();
  });
  while (clock.timerCount > 0) clock.advance(1);
  await running;
  return (answeredAt ?? start) - start;
}

describe("texts", () => {
  test("an answer begins with its mark and says what the prompt holds", async () => {
    const outcome = await outcomeOf();
    expect(outcome).toEqual({
      status: "done",
      text: expect.stringMatching(
        /^\[offline\] About “Plan”: 14 words, 4 lines\.\nWords picked from it: .*\nNo model was asked; this text follows from the prompt by rule\.$/,
      ),
      usage: { inputTokens: Math.ceil(PROMPT.length / 4), outputTokens: expect.any(Number) },
    });
  });

  test("the same prompt gives the same answer on every attempt, another prompt another", async () => {
    const first = await outcomeOf();
    expect(await outcomeOf({ attempt: 4 })).toEqual(first);
    expect(await outcomeOf({ prompt: `${PROMPT} And more of it.` })).not.toEqual(first);
  });

  test("G-005 an answer within a session follows from the messages before it", async () => {
    const session = { id: "s", system: "You are brief.", history: [] };
    const history = [
      { role: "user" as const, text: "Name a colour." },
      { role: "assistant" as const, text: "Green." },
    ];
    const opening = await outcomeOf({ session });
    const later = await outcomeOf({ session: { ...session, history } as OfflineWork["session"] });
    expect(opening.status === "done" && opening.text).toContain("Message 1 of a session under “You are brief.”.");
    expect(later.status === "done" && later.text).toContain("Message 2 of a session");
    expect(later.status === "done" && later.text).toContain("“Name a colour.”");
    expect(later.usage.inputTokens).toBeGreaterThan(opening.usage.inputTokens);
  });

  test("an empty prompt and half a character are answered without breaking", async () => {
    const long = `${"😀".repeat(400)}`;
    for (const prompt of ["", "\n\n", long, `x${long}`]) {
      const outcome = await outcomeOf({ prompt });
      const text = outcome.status === "done" ? outcome.text : "";
      expect(text.startsWith("[offline] ")).toBe(true);
      expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
    }
  });
});

describe("values", () => {
  const schema = {
    type: "object",
    properties: { verdict: { enum: ["good", "bad"] }, reason: { type: "string" } },
    required: ["verdict", "reason"],
    additionalProperties: false,
  };

  test("G-001 with a schema the answer is a value that fits it, and the text shows it with its mark", async () => {
    const outcome = await outcomeOf({ schema });
    const structured = outcome.status === "done" ? outcome.structured : undefined;
    expect(structured).toEqual({
      verdict: expect.stringMatching(/^(good|bad)$/),
      reason: expect.stringMatching(/^\[offline\] /),
    });
    expect(outcome.status === "done" && outcome.text).toBe(`[offline] ${JSON.stringify(structured)}`);
  });

  test("S-003 a schema that nothing fits fails the child with its reason, and no retry is offered", async () => {
    const outcome = await outcomeOf({ schema: { type: "string", const: 3 } });
    expect(outcome).toMatchObject({ status: "failed", errorCode: "schema_invalid", retryable: false });
    expect(outcome.status === "failed" && outcome.schemaError).toContain("no value that fits the schema");
  });

  test("S-003 a keyword that is not understood fails the child with the keyword's name", async () => {
    const outcome = await outcomeOf({ schema: { type: "object", dependentRequired: {} } });
    expect(outcome).toMatchObject({ status: "failed", errorCode: "schema_unsupported", retryable: false });
    expect(outcome.status === "failed" && outcome.schemaError).toContain('"dependentRequired"');
  });
});

describe("names", () => {
  test("offline and offline:echo are the same model", async () => {
    expect(await outcomeOf({ model: "offline:echo" })).toEqual(await outcomeOf({ model: "offline" }));
  });

  test("offline:fail fails, and says that a retry is no use", async () => {
    const outcome = await outcomeOf({ model: "offline:fail" });
    expect(outcome).toMatchObject({ status: "failed", errorCode: "child_failed", retryable: false });
  });

  test("offline:flaky-2 fails twice in a way that can be retried, then answers", async () => {
    const statuses: string[] = [];
    for (const attempt of [1, 2, 3, 4]) {
      const outcome = await outcomeOf({ model: "offline:flaky-2", attempt });
      statuses.push(outcome.status === "failed" ? `${outcome.errorCode} ${outcome.retryable}` : outcome.status);
    }
    expect(statuses).toEqual(["child_failed true", "child_failed true", "done", "done"]);
  });

  test("offline:empty answers with no text, and fails when a value is asked of it", async () => {
    expect(await outcomeOf({ model: "offline:empty" })).toMatchObject({ status: "done", text: "" });
    const asked = await outcomeOf({ model: "offline:empty", schema: { type: "string" } });
    expect(asked).toMatchObject({ status: "failed", errorCode: "schema_invalid", text: "" });
  });

  test("offline:slow takes half to one and a half times its delay, always the same for one prompt", async () => {
    const delays: number[] = [];
    for (let index = 0; index < 20; index++) delays.push(await delayOf("offline:slow", `prompt ${index}`));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(SLOW_MS / 2);
    expect(Math.max(...delays)).toBeLessThanOrEqual(SLOW_MS * 1.5);
    expect(new Set(delays).size).toBeGreaterThan(10);
    expect(await delayOf("offline:slow", "prompt 0")).toBe(delays[0]);
  });

  test("a delay in the name replaces the configured one", async () => {
    expect(await delayOf("offline:echo", PROMPT)).toBe(DELAY_MS);
    expect(await delayOf("offline:echo@250ms", PROMPT)).toBe(250);
    expect(await delayOf("offline@0ms", PROMPT)).toBe(0);
    expect(await delayOf("offline:slow@10ms", PROMPT)).toBeLessThanOrEqual(15);
  });

  test.each([
    "offline:ech",
    "offline:flaky-0",
    "offline:flaky-10",
    "offline:",
    "offline:echo@5s",
    "offline:echo@999999999999ms",
  ])("an unknown offline name fails with the names that exist: %s", async (model) => {
    const outcome = await outcomeOf({ model });
    expect(outcome).toMatchObject({ status: "failed", errorCode: "model_unknown", retryable: false });
    expect(outcome.status === "failed" && outcome.error).toMatch(/offline:echo, .*offline:flaky-1 to offline:flaky-9/);
    expect(() => parseOfflineName(model)).toThrow(expect.toSatisfy(isFault));
  });

  test("it answers for every offline name and for no other model", () => {
    const { offline } = setUp();
    const models = ["offline", "offline:echo", "offline@1ms", "offline:typo", "offlineish", "openai:gpt", ""];
    expect(models.filter((model) => offline.handles(model))).toEqual(models.slice(0, 4));
  });
});

describe("stopping", () => {
  test.each(["offline", "offline:slow", "offline:hang", "offline:fail"])(
    "L7 an abort ends %s at once and leaves no timer behind",
    async (model) => {
      const { clock, offline } = setUp();
      const stop = new AbortController();
      const running = offline.run(work({ model, signal: stop.signal }));
      clock.advance(1);
      stop.abort();
      expect(await running).toMatchObject({ status: "failed", errorCode: "child_killed" });
      expect(clock.timerCount).toBe(0);
    },
  );

  test("L7 a child that is stopped before it starts sets no timer", async () => {
    const { clock, offline } = setUp();
    expect(await offline.run(work({ signal: AbortSignal.abort() }))).toMatchObject({ errorCode: "child_killed" });
    expect(clock.timerCount).toBe(0);
  });

  test("offline:hang does not answer, however long one waits", async () => {
    const { clock, offline } = setUp();
    const stop = new AbortController();
    let ended = false;
    const running = offline.run(work({ model: "offline:hang", signal: stop.signal })).then(() => {
      ended = true;
    });
    clock.advance(365 * 24 * 3_600_000);
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    stop.abort();
    await running;
  });
});

test("the offline model is a child runner of the swarm as it is", () => {
  // The compiler is the check: the types are declared apart, and have to fit.
  const runner: ChildRunner = setUp().offline;
  expect(runner.handles("offline")).toBe(true);
});
