// Children with tools: several steps, calls at once, every kind of failure, and going on from stored steps.

import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/contract/clock.ts";
import type { Json } from "../../src/contract/json.ts";
import type { OfferedTool, ToolAnswer, ToolCallRequest } from "../../src/contract/tools.ts";
import { TRIES_MAX } from "../../src/models/ask/ask.ts";
import { CALLS_AT_ONCE_MAX, type ChildTools, modelName } from "../../src/models/child/tool-use.ts";
import type { ModelOutcome } from "../../src/models/child/work.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { SeenRequest } from "../support/model-server/server.ts";
import type { Reply } from "../support/model-server/wire.ts";
import { type Rig, rig } from "./support.ts";

const OBJECT = { type: "object" };
const READ: OfferedTool = { server: "files", name: "read", description: "Reads.", inputSchema: OBJECT };
const WRITE: OfferedTool = { server: "files", name: "write", description: "Writes.", inputSchema: OBJECT };

/** Tools that answer by script, and keep what they were asked. */
class Shelf implements ChildTools {
  readonly requests: ToolCallRequest[] = [];
  answer: (request: ToolCallRequest) => ToolAnswer | Promise<ToolAnswer> = ({ name, args }) => ({
    ok: true,
    text: `${name} of ${JSON.stringify(args)}`,
  });

  offer(): Promise<OfferedTool[]> {
    return Promise.resolve([READ, WRITE]);
  }

  async call(request: ToolCallRequest): Promise<ToolAnswer> {
    this.requests.push(request);
    return this.answer(request);
  }
}

async function withTools(
  changes: { maxSteps?: number; clock?: Clock; models?: { [key: string]: unknown } } = {},
): Promise<Rig & { shelf: Shelf }> {
  const shelf = new Shelf();
  const agents = { clerk: { instructions: undefined, tools: ["files.*"], maxSteps: changes.maxSteps } };
  const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k", GROQ_API_KEY: "k" };
  const { maxSteps: _maxSteps, ...rest } = changes;
  return { ...(await rig({ env, tools: shelf, agents, ...rest })), shelf };
}

const call = (name: string, input: unknown = {}) => ({ name: `files__${name}`, input });
const calls = (...made: { name: string; input: unknown }[]): Reply => ({ calls: made });
const bodyOf = (request: SeenRequest | undefined): string => JSON.stringify(request?.body);
const tool = { tools: ["files.*"] };

describe.each(["openai:m", "anthropic:m", "gemini:m", "groq:m", "ollama:m"])("%s", (model) => {
  test("G-002 R-004 a child calls tools over several steps, and each answer and result is stored", async () => {
    const { server, runner, work, recorded, shelf } = await withTools();
    server.script(calls(call("read", { path: "a" })), calls(call("write", { path: "b" })), { text: "All done." });
    const outcome = await runner.run(work({ model, ...tool }));
    expect(outcome).toMatchObject({ status: "done", text: "All done.", usage: { inputTokens: 33, outputTokens: 21 } });
    expect(shelf.requests.map(({ server, name, args }) => ({ server, name, args }))).toEqual([
      { server: "files", name: "read", args: { path: "a" } },
      { server: "files", name: "write", args: { path: "b" } },
    ]);
    expect(recorded).toMatchObject([
      { kind: "model" },
      { kind: "tool", step: 0, call: 0, code: null, text: 'read of {"path":"a"}' },
      { kind: "model" },
      { kind: "tool", step: 1, call: 0, code: null },
      { kind: "model" },
    ]);
    expect(bodyOf(server.requests[0])).toContain("files__read");
    expect(bodyOf(server.requests[2])).toContain("write of ");
  });
});

test("calls of one answer run at once, up to a bound, and each result goes to its call", async () => {
  const { server, runner, work, shelf } = await withTools();
  let running = 0;
  let most = 0;
  let release: () => void = () => {};
  const full = new Promise<void>((resolve) => {
    release = resolve;
  });
  shelf.answer = async ({ args }) => {
    most = Math.max(most, ++running);
    if (running === CALLS_AT_ONCE_MAX) release();
    await full;
    running--;
    return { ok: true, text: `result ${JSON.stringify(args.n)}` };
  };
  const many = Array.from({ length: CALLS_AT_ONCE_MAX + 3 }, (_, n) => call("read", { n }));
  server.script(calls(...many), { text: "Done." });
  expect(await runner.run(work(tool))).toMatchObject({ status: "done" });
  expect(most).toBe(CALLS_AT_ONCE_MAX);
  const sent = bodyOf(server.requests[1]);
  for (const [n] of many.entries()) expect(sent).toContain(`result ${n}`);
});

test("a call that is no JSON, an unknown tool and a failure are told to the model, which goes on", async () => {
  const { server, runner, work, shelf, recorded } = await withTools();
  shelf.answer = ({ name }) => ({
    ok: false,
    code: "tool_failed",
    message: `The tool files.${name} failed (tool_failed).`,
  });
  server.script(calls(call("read", '{"path": '), { name: "files__erase", input: {} }, call("write")), {
    text: "I see.",
  });
  expect(await runner.run(work(tool))).toMatchObject({ status: "done", text: "I see." });
  expect(recorded.flatMap((step) => (step as { code?: Json }).code ?? []).sort()).toEqual([
    "tool_arguments",
    "tool_failed",
    "tool_unknown",
  ]);
  const sent = bodyOf(server.requests[1]);
  expect(sent).toContain("Error tool_arguments: The arguments of files__read are no JSON object.");
  expect(sent).toContain("There is no tool files__erase; there are: files__read, files__write.");
  expect(sent).toContain("Error tool_failed: The tool files.write failed");
});

test("a child that is not done after its agent's maxSteps fails, and what it last called is not run", async () => {
  const { server, runner, work, shelf } = await withTools({ maxSteps: 2 });
  server.script(calls(call("read")), calls(call("read")), calls(call("read")));
  const outcome = await runner.run(work({ agentId: "clerk" }));
  expect(outcome).toMatchObject({ status: "failed", errorCode: "child_step_limit", retryable: false });
  expect(server.requests).toHaveLength(2);
  expect(shelf.requests).toHaveLength(1);
});

test("an agent with tools may use them without a call that names any; without either there are none", async () => {
  const { server, runner, work } = await withTools();
  server.script({ text: "a" }, { text: "b" });
  await runner.run(work({ agentId: "clerk" }));
  await runner.run(work());
  expect(bodyOf(server.requests[0])).toContain("files__read");
  expect(bodyOf(server.requests[1])).not.toContain("files__read");
});

describe("with a schema", () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const result = (input: unknown) => ({ name: "structured_output", input });

  test("S-002 tools come before the result, and do not use up its one nudge", async () => {
    const { server, runner, work } = await withTools();
    server.script(
      calls(call("read")),
      calls(call("write")),
      calls(result({ n: "x" })),
      calls(call("read")),
      calls(result({ n: 4 })),
    );
    expect(await runner.run(work({ schema, ...tool }))).toMatchObject({ status: "done", structured: { n: 4 } });
    expect(server.requests).toHaveLength(5);
  });

  test("S-002 a result that is right ends the child, whatever it called beside it", async () => {
    const { server, runner, work, shelf } = await withTools();
    server.script(calls(call("write"), result({ n: 1 })));
    expect(await runner.run(work({ schema, ...tool }))).toMatchObject({ status: "done", structured: { n: 1 } });
    expect(shelf.requests).toEqual([]);
  });

  test("S-002 a wrong result beside a call gets the nudge, and the call its answer", async () => {
    const { server, runner, work } = await withTools();
    server.script(calls(call("read"), result({})), calls(result({ n: 1 })));
    expect(await runner.run(work({ schema, ...tool }))).toMatchObject({ status: "done", structured: { n: 1 } });
    expect(bodyOf(server.requests[1])).toMatch(/read of .*Not accepted|Not accepted.*read of /);
  });
});

describe("going on from stored steps", () => {
  const script: Reply[] = [
    calls(call("read", { n: 1 }), call("read", { n: 2 })),
    calls(call("write", { n: 3 })),
    { text: "Done." },
  ];

  test("R-004 L12 from any stored step nothing that is stored is asked or run again", async () => {
    const first = await withTools();
    first.server.script(...script);
    await first.runner.run(first.work(tool));
    expect(first.recorded).toHaveLength(6);
    const models = (steps: Json[]): number =>
      steps.filter((step) => (step as { kind: string }).kind === "model").length;
    for (let stored = 0; stored <= first.recorded.length; stored++) {
      const steps = first.recorded.slice(0, stored);
      const again = await withTools();
      again.server.script(...script.slice(models(steps)));
      const outcome = await again.runner.run(again.work({ ...tool, steps, attempt: 2 }));
      expect(outcome, `after ${stored} steps`).toMatchObject({ status: "done", text: "Done." });
      expect(again.server.requests).toHaveLength(3 - models(steps));
      expect(again.shelf.requests).toHaveLength(3 - (stored - models(steps)));
      for (const request of again.shelf.requests) expect(request.attempt).toBe(2);
    }
  });

  test("L12 a call that is run again has the key that it had before", async () => {
    const first = await withTools();
    first.server.script(...script);
    await first.runner.run(first.work(tool));
    const again = await withTools();
    again.server.script(...script.slice(1));
    await again.runner.run(again.work({ ...tool, steps: first.recorded.slice(0, 1), attempt: 2 }));
    const keys = first.shelf.requests.map(({ idempotencyKey }) => idempotencyKey);
    expect(again.shelf.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys);
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toMatch(/^agt_0_1:0:/);
  });

  test("L12 a result that cannot be stored ends the attempt, and no further request is sent", async () => {
    const { server, runner, work } = await withTools();
    server.script(...script);
    let stored = 0;
    const recordStep = async (): Promise<void> => {
      if (++stored === 3) throw new Error("the disk is gone");
    };
    await expect(runner.run(work({ ...tool, recordStep }))).rejects.toThrow("the disk is gone");
    expect(server.requests).toHaveLength(1);
  });
});

test("an abort ends a child in the middle of a call", async () => {
  const { server, runner, work, shelf } = await withTools();
  const stop = new AbortController();
  shelf.answer = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      stop.abort(new DOMException("stopped", "AbortError"));
    });
  server.script(calls(call("read")));
  const outcome = await runner.run(work({ ...tool, signal: stop.signal }));
  expect(outcome).toMatchObject({ status: "failed", errorCode: "child_killed", retryable: false });
});

test("B-032 a step that stalls is cut by the progress deadline and asked again, and no tool runs twice for it", async () => {
  const clock = new ManualClock();
  const { server, runner, work, shelf, recorded } = await withTools({ clock, models: { progressTimeoutMs: 5_000 } });
  const hung = { text: "never", hangs: "middle" } as const;
  server.script(calls(call("read")), hung, { hangs: "before" }, { text: "Done." });
  const running = runner.run(work(tool));
  await server.received(2);
  while (recorded.length < 3) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await running).toMatchObject({ status: "done", text: "Done." });
  expect(shelf.requests).toHaveLength(1);
  expect(recorded.at(-1)).toMatchObject({ kind: "model", troubles: [{ what: "timeout" }, { what: "timeout" }] });
});

test("B-032 a step that always stalls fails its child after a bounded number of tries, with the reason", async () => {
  const clock = new ManualClock();
  const { server, runner, work, shelf } = await withTools({ clock, models: { progressTimeoutMs: 5_000 } });
  server.script(calls(call("read")), ...Array.from({ length: TRIES_MAX }, (): Reply => ({ hangs: "before" })));
  let outcome: ModelOutcome | undefined;
  void runner.run(work(tool)).then((end) => {
    outcome = end;
  });
  await server.received(2);
  while (!outcome) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(outcome).toMatchObject({ status: "failed", errorCode: "provider_unavailable", retryable: true });
  expect(outcome).toMatchObject({ error: expect.stringMatching(/openai: .*nothing/) });
  expect(server.requests).toHaveLength(1 + TRIES_MAX);
  expect(shelf.requests).toHaveLength(1);
});

test("names fit every provider, and two tools never share one", () => {
  expect(modelName({ server: "files", name: "read_all" })).toBe("files__read_all");
  const odd = [
    { server: "files", name: "read.all" },
    { server: "files", name: "read/all" },
    { server: "files", name: "read_all" },
    { server: "files", name: "x".repeat(120) },
    { server: "files", name: `${"x".repeat(119)}y` },
  ].map(modelName);
  expect(new Set(odd).size).toBe(odd.length);
  for (const name of odd) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});
