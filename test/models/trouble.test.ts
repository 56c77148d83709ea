// What goes wrong between us and a provider, over real HTTP: tried again, failed over, or failed with a name.

import { describe, expect, test } from "vitest";
import { TRIES_MAX } from "../../src/models/ask/ask.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { Reply } from "../support/model-server/wire.ts";
import { rig } from "./support.ts";

const WELL: Reply = { text: "All is well." };
const TWO_KEYS = { OPENAI_API_KEY: "first,second", ANTHROPIC_API_KEY: "other" };

test("D-011 a 429 with retry-after is waited for and tried again", async () => {
  const { server, runner, work, clock, recorded } = await rig();
  server.script({ status: 429, headers: { "retry-after": "3" } }, WELL);
  expect(await runner.run(work())).toMatchObject({ status: "done", text: "All is well." });
  expect(clock.pausesMs).toEqual([3_000]);
  expect(recorded).toEqual([expect.objectContaining({ troubles: [{ provider: "openai", what: "http 429" }] })]);
});

test("a retry-after as a date or in milliseconds is understood", async () => {
  const { server, runner, work, clock } = await rig();
  const date = new Date(clock.now() + 4_000).toUTCString();
  server.script({ status: 429, headers: { "retry-after": date } }, WELL);
  await runner.run(work());
  server.script({ status: 503, headers: { "retry-after-ms": "1500" } }, WELL);
  await runner.run(work());
  expect(clock.pausesMs[0]).toBe(4_000);
  expect(clock.pausesMs.slice(1).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(1_500);
});

test("D-011 one child's 429 holds back the others of that key", async () => {
  const clock = new ManualClock();
  const { server, runner, work } = await rig({ clock });
  server.script({ status: 429, headers: { "retry-after": "10" } }, WELL, WELL);
  const first = runner.run(work());
  while (clock.timerCount !== 1 || server.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
  const second = runner.run(work());
  while (clock.timerCount < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(server.requests).toHaveLength(1);
  clock.advance(10_000);
  expect([(await first).status, (await second).status]).toEqual(["done", "done"]);
});

test("a retry-after that is too long fails the child, which may be tried again later", async () => {
  const { server, runner, work } = await rig();
  server.script({ status: 429, error: "come back tomorrow", headers: { "retry-after": "86400" } });
  const outcome = await runner.run(work());
  expect(outcome).toMatchObject({ status: "failed", errorCode: "provider_unavailable", retryable: true });
  expect(outcome.status === "failed" && outcome.error).toContain("openai: answered 429: come back tomorrow");
  expect(await runner.run(work())).toMatchObject({ error: "openai may be asked again in 86400 s" });
  expect(server.requests).toHaveLength(1);
});

test.each<[string, string, Reply]>([
  ["http 500", "a 500", { status: 500 }],
  ["http 529", "an overload", { status: 529 }],
  ["network", "a dropped connection in mid-stream", { text: "A long answer that breaks off.", ends: "drop" }],
  // Some packages know which status such an error stands for.
  ["network|http 503", "an error told in mid-stream", { text: "A long answer that breaks off.", ends: "error" }],
  ["network", "a stream without its end", { text: "A long answer that breaks off.", ends: "cut" }],
])("D-011 %s: %s is tried again inside the child", async (what, _name, reply) => {
  const models = ["openai:m", "anthropic:m", "gemini:m", "groq:m", "ollama:m"];
  for (const model of models) {
    const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k", GROQ_API_KEY: "k" };
    const { server, runner, work, recorded } = await rig({ env });
    server.script(reply, WELL);
    expect(await runner.run(work({ model })), model).toMatchObject({ status: "done", text: "All is well." });
    const provider = model.split(":")[0];
    const trouble = { provider, what: expect.stringMatching(new RegExp(`^(${what})$`)) };
    expect(recorded, model).toEqual([expect.objectContaining({ troubles: [trouble] })]);
  }
});

test("D-011 tries are bounded, and the pauses between them grow", async () => {
  const clock = new ManualClock();
  const { server, runner, work } = await rig({ clock });
  server.script(...Array.from({ length: TRIES_MAX + 3 }, () => ({ status: 502, error: "bad gateway" })));
  const running = runner.run(work());
  const sentAtMs: number[] = [];
  for (let count = 1; count <= TRIES_MAX; count++) {
    while (server.requests.length < count) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    sentAtMs.push(clock.monotonic());
  }
  const outcome = await running;
  expect(outcome).toMatchObject({ status: "failed", errorCode: "provider_unavailable", retryable: true });
  expect(server.requests).toHaveLength(TRIES_MAX);
  const pausesMs = sentAtMs.slice(1).map((at, index) => at - (sentAtMs[index] ?? 0));
  for (const [index, pauseMs] of pausesMs.entries()) expect(pauseMs).toBeGreaterThanOrEqual(500 * 2 ** index);
});

test("an error that trying again cannot help is not tried again", async () => {
  const { server, runner, work } = await rig();
  server.script({ status: 404, error: "no such model" });
  const outcome = await runner.run(work());
  expect(outcome).toMatchObject({ status: "failed", errorCode: "provider_failed", retryable: false });
  expect(outcome.status === "failed" && outcome.error).toBe("openai: answered 404: no such model");
  expect(server.requests).toHaveLength(1);
});

describe("time", () => {
  test.each(["before", "middle"] as const)(
    "B-032 a request that brings nothing more is ended and tried again: %s",
    async (hangs) => {
      const clock = new ManualClock();
      const { server, runner, work, recorded } = await rig({ clock, models: { progressTimeoutMs: 5_000 } });
      server.script({ text: "Never the whole of this.", hangs }, WELL);
      const running = runner.run(work());
      await server.received(1);
      while (recorded.length === 0) {
        clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await running).toMatchObject({ status: "done", text: "All is well." });
      await server.requests[0]?.broken;
      expect(recorded).toEqual([expect.objectContaining({ troubles: [{ provider: "openai", what: "timeout" }] })]);
      expect(clock.timerCount).toBe(0);
    },
  );

  test.each(["before", "middle"] as const)("L7 a stop ends the request at once, on the wire too: %s", async (hangs) => {
    const { server, runner, work } = await rig();
    server.script({ text: "Never the whole of this.", hangs });
    const controller = new AbortController();
    const running = runner.run(work({ signal: controller.signal }));
    await server.received(1);
    controller.abort();
    expect(await running).toMatchObject({ status: "failed", errorCode: "child_killed", retryable: false });
    await server.requests[0]?.broken;
    expect(server.requests).toHaveLength(1);
  });

  test("L7 a stop ends a wait for retry-after and leaves no timer", async () => {
    const clock = new ManualClock();
    const { server, runner, work } = await rig({ clock });
    server.script({ status: 429, headers: { "retry-after": "60" } });
    const controller = new AbortController();
    const running = runner.run(work({ signal: controller.signal }));
    await server.received(1);
    while (clock.timerCount !== 1 || server.requests.length < 1) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await running).toMatchObject({ status: "failed", errorCode: "child_killed" });
    expect(clock.timerCount).toBe(0);
  });
});

describe("keys and failover", () => {
  test("A-050 the keys of a pool are used in turn", async () => {
    const { server, runner, work } = await rig({ env: TWO_KEYS });
    server.script(WELL, WELL, WELL);
    for (let count = 0; count < 3; count++) await runner.run(work());
    const used = server.requests.map(({ headers }) => headers.authorization);
    expect(used).toEqual(["Bearer first", "Bearer second", "Bearer first"]);
  });

  test("A-050 a 429 on one key goes on with the next, without waiting", async () => {
    const { server, runner, work, clock } = await rig({ env: TWO_KEYS });
    server.script({ status: 429, headers: { "retry-after": "60" } }, WELL);
    expect(await runner.run(work())).toMatchObject({ status: "done" });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
    expect(clock.pausesMs).toEqual([]);
  });

  test("a wrong key is passed over for the next of its pool", async () => {
    const { server, runner, work } = await rig({ env: TWO_KEYS });
    server.script({ status: 401, error: "wrong key" }, WELL);
    expect(await runner.run(work())).toMatchObject({ status: "done" });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
  });

  test("A-055 a wrong key fails a pinned child, and the message names provider and status", async () => {
    const { server, runner, work } = await rig();
    server.script({ status: 401, error: "wrong key" });
    const outcome = await runner.run(work());
    expect(outcome).toMatchObject({ status: "failed", errorCode: "provider_failed", retryable: false });
    expect(outcome.status === "failed" && outcome.error).toBe("openai: answered 401: wrong key");
    expect(server.requests).toHaveLength(1);
  });

  test("A-053 A-054 with failover a wrong key goes on at the next provider, and the step names it", async () => {
    const { server, runner, work, recorded } = await rig({ models: { fallbackProviders: "default" } });
    server.script({ status: 401, error: "wrong key" }, WELL);
    expect(await runner.run(work())).toMatchObject({ status: "done", text: "All is well." });
    expect(server.requests.map(({ wire, body }) => [wire, body.model])).toEqual([
      ["openai-responses", "gpt-4.1"],
      ["anthropic", "claude-sonnet-5-5"],
    ]);
    expect(server.requests[1]?.headers["x-api-key"]).toBe("key-anthropic");
    const troubles = [{ provider: "openai", what: "http 401" }];
    expect(recorded[0]).toMatchObject({ provider: "anthropic", model: "claude-sonnet-5-5", troubles });
  });

  test("A-053 a 404 is not tried at another provider", async () => {
    const { server, runner, work } = await rig({ models: { fallbackProviders: "default" } });
    server.script({ status: 404, error: "no such model" }, WELL);
    expect(await runner.run(work())).toMatchObject({ status: "failed", errorCode: "provider_failed" });
    expect(server.requests).toHaveLength(1);
  });

  test("A-053 a provider that keeps failing is left for the next after its tries", async () => {
    const { server, runner, work } = await rig({ models: { fallbackProviders: ["anthropic:claude-x"] } });
    server.script(...Array.from({ length: TRIES_MAX }, () => ({ status: 503 })), WELL);
    expect(await runner.run(work())).toMatchObject({ status: "done" });
    expect(server.requests.at(-1)).toMatchObject({ wire: "anthropic", body: { model: "claude-x" } });
  });
});

test("a breaker opens after failures in a row, lets one request through after its time, and closes", async () => {
  const clock = new ManualClock();
  const { server, runner, work } = await rig({ clock, models: { fallbackProviders: ["anthropic:m"] } });
  const settled = async (running: Promise<unknown>): Promise<void> => {
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    while (!isOver) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  server.script(...Array.from({ length: TRIES_MAX }, () => ({ status: 500 })), WELL, WELL);
  await settled(runner.run(work()));
  const before = server.requests.length;
  await settled(runner.run(work()));
  expect(server.requests.slice(before).map(({ wire }) => wire)).toEqual(["anthropic"]);
  clock.advance(30_000);
  server.script(WELL, WELL);
  await settled(Promise.all([runner.run(work()), runner.run(work())]));
  expect(
    server.requests
      .slice(before + 1)
      .map(({ wire }) => wire)
      .sort(),
  ).toEqual(["anthropic", "openai-responses"]);
  server.script(WELL);
  await settled(runner.run(work()));
  expect(server.requests.at(-1)?.wire).toBe("openai-responses");
});

test("L10 a provider gets no more requests at once than configured", async () => {
  const { server, runner, work } = await rig({ models: { providers: { openai: { maxConcurrent: 2 } } } });
  server.script({ text: "x", hangs: "middle" }, { text: "x", hangs: "middle" });
  const controller = new AbortController();
  const stuck = [runner.run(work({ signal: controller.signal })), runner.run(work({ signal: controller.signal }))];
  await server.received(2);
  server.script(WELL);
  const third = runner.run(work());
  server.script(WELL);
  await runner.run(work({ model: "anthropic:m" }));
  expect(server.requests.map(({ wire }) => wire)).toEqual(["openai-responses", "openai-responses", "anthropic"]);
  controller.abort();
  expect(await third).toMatchObject({ status: "done" });
  await Promise.all(stuck);
});

describe("answers that are none", () => {
  test.each(["openai:m", "anthropic:m", "gemini:m", "groq:m"])(
    "a refusal of %s is a failure with its text",
    async (model) => {
      const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k", GROQ_API_KEY: "k" };
      const { server, runner, work } = await rig({ env });
      server.script({ text: "I cannot help with that.", finish: "refusal" });
      const outcome = await runner.run(work({ model }));
      expect(outcome).toMatchObject({ status: "failed", errorCode: "model_refused", retryable: false });
      expect(outcome).toMatchObject({ text: "I cannot help with that." });
    },
  );

  test.each(["", " \n"])("B-038 an empty final text is a failure: %j", async (text) => {
    const { server, runner, work } = await rig();
    server.script({ text });
    const outcome = await runner.run(work());
    expect(outcome).toMatchObject({ status: "failed", errorCode: "empty", retryable: true });
    expect(outcome.usage).toMatchObject({ inputTokens: 11 });
  });

  test("an answer that was cut at the model's limit is a failure with its text", async () => {
    const { server, runner, work } = await rig();
    server.script({ text: "The first half of", finish: "length" });
    const outcome = await runner.run(work({ model: "anthropic:m" }));
    expect(outcome).toMatchObject({ status: "failed", errorCode: "model_truncated", text: "The first half of" });
  });
});
