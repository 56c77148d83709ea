// Structured output over the wire: valid at once, nudged, failed twice, never called.

import { describe, expect, test } from "vitest";
import type { SeenRequest } from "../support/model-server/server.ts";
import type { Reply } from "../support/model-server/wire.ts";
import { rig } from "./support.ts";

const schema = {
  type: "object",
  properties: { verdict: { enum: ["good", "bad"] }, score: { type: "integer", minimum: 0 } },
  required: ["verdict", "score"],
  additionalProperties: false,
};
const GOOD = { verdict: "good", score: 3 };
const BAD = { verdict: "fine", score: -1 };

function call(input: unknown): Reply {
  return { calls: [{ name: "structured_output", input }] };
}

const ENV = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k", GROQ_API_KEY: "k" };
const MODELS = ["openai:m", "anthropic:m", "gemini:m", "groq:m", "ollama:m"];

function textOf(request: SeenRequest | undefined): string {
  return JSON.stringify(request?.body);
}

describe.each(MODELS)("%s", (model) => {
  test("S-002 a valid payload is the value, asked for with one tool and one instruction", async () => {
    const { server, runner, work } = await rig({ env: ENV });
    server.script(call(GOOD));
    const outcome = await runner.run(work({ model, schema }));
    expect(outcome).toMatchObject({ status: "done", structured: GOOD, text: JSON.stringify(GOOD) });
    const sent = textOf(server.requests[0]);
    expect(sent.split('"structured_output"').length).toBe(2);
    expect(sent).toContain("call the tool structured_output exactly once");
  });

  test("S-002 an invalid payload gets one nudge with what is wrong, and may then be right", async () => {
    const { server, runner, work, recorded } = await rig({ env: ENV });
    server.script(call(BAD), call(GOOD));
    const outcome = await runner.run(work({ model, schema }));
    expect(outcome).toMatchObject({ status: "done", structured: GOOD });
    expect(outcome.usage).toMatchObject({ inputTokens: 22, outputTokens: 14 });
    expect(server.requests).toHaveLength(2);
    expect(textOf(server.requests[1])).toContain("/verdict must be equal to one of the allowed values");
    expect(textOf(server.requests[1])).toContain("/score must be >= 0");
    expect(recorded).toHaveLength(2);
  });

  test("S-003 a second invalid payload fails the child with its raw text and schemaError", async () => {
    const { server, runner, work } = await rig({ env: ENV });
    server.script(call(BAD), { text: "This is all I have.", ...call(BAD) });
    const outcome = await runner.run(work({ model, schema }));
    expect(outcome).toMatchObject({ status: "failed", errorCode: "schema_invalid", text: "This is all I have." });
    expect(outcome).toMatchObject({ schemaError: expect.stringContaining("/score must be >= 0") });
    expect(outcome).not.toHaveProperty("structured");
    expect(server.requests).toHaveLength(2);
  });

  test("S-002 S-003 a payload that never came gets the same single nudge, then fails", async () => {
    const { server, runner, work } = await rig({ env: ENV });
    server.script({ text: "It is good, 3." }, { text: "As I said: good." });
    const outcome = await runner.run(work({ model, schema }));
    expect(outcome).toMatchObject({ status: "failed", text: "As I said: good." });
    expect(outcome).toMatchObject({ schemaError: expect.stringContaining("did not call structured_output") });
    expect(textOf(server.requests[1])).toContain("You did not call structured_output. Call it now");
    expect(server.requests).toHaveLength(2);
  });
});

test("S-003 without a text the payload itself is the raw text", async () => {
  const { server, runner, work } = await rig();
  server.script(call(BAD), call(BAD));
  expect(await runner.run(work({ schema }))).toMatchObject({ status: "failed", text: JSON.stringify(BAD) });
});

test("S-002 a payload that is no JSON, and one given twice, are nudged", async () => {
  const { server, runner, work } = await rig();
  server.script(call('{"verdict": "go'), call(GOOD));
  expect(await runner.run(work({ schema }))).toMatchObject({ status: "done", structured: GOOD });
  const twice = { calls: [...(call(GOOD).calls ?? []), ...(call(GOOD).calls ?? [])] };
  server.script(twice, call(GOOD));
  expect(await runner.run(work({ schema }))).toMatchObject({ status: "done", structured: GOOD });
  expect(textOf(server.requests[3])).toContain("called 2 times instead of once");
});

test("a call of a tool that does not exist is answered, and the nudge comes with it", async () => {
  const { server, runner, work } = await rig();
  server.script({ calls: [{ name: "search", input: { q: "x" } }] }, call(GOOD));
  expect(await runner.run(work({ schema }))).toMatchObject({ status: "done", structured: GOOD });
  expect(textOf(server.requests[1])).toContain("There is no such tool. You did not call structured_output");
});

test.each<[string, { [key: string]: never } | object, unknown, unknown]>([
  ["a list", { type: "array", items: { $ref: "#/$defs/n" }, $defs: { n: { type: "integer" } } }, [1, 2], ["1"]],
  ["a string", { enum: ["yes", "no"] }, "yes", "maybe"],
  ["null or a number", { anyOf: [{ type: "null" }, { type: "number" }] }, null, "x"],
])("S-002 %s is taken as the tool's one field, references included", async (_what, given, value, wrong) => {
  const { server, runner, work } = await rig();
  server.script(call({ value: wrong }), call({ value }));
  const outcome = await runner.run(work({ schema: given as typeof schema }));
  expect(outcome).toMatchObject({ status: "done", structured: value });
  const tools = server.requests[0]?.body.tools as { parameters: object }[] | undefined;
  expect(tools?.[0]?.parameters).toMatchObject({ type: "object", required: ["value"] });
  expect(JSON.stringify(tools)).not.toContain('"#/$defs/n"');
});

test("S-002 L12 an attempt goes on from its stored steps and asks nothing twice", async () => {
  const first = await rig();
  first.server.script(call(BAD), call(GOOD));
  const whole = await first.runner.run(first.work({ schema }));
  const steps = first.recorded;
  const second = await rig();
  second.server.script(call(GOOD));
  const resumed = await second.runner.run(second.work({ schema, steps: steps.slice(0, 1) }));
  expect(resumed).toEqual(whole);
  expect(second.server.requests.map(({ body }) => body)).toEqual([first.server.requests[1]?.body]);
  expect(await second.runner.run(second.work({ schema, steps }))).toEqual(whole);
  expect(second.server.requests).toHaveLength(1);
});

test("L12 a step is stored before the next request is sent, and what cannot be stored ends the attempt", async () => {
  const { server, runner, work } = await rig();
  server.script(call(BAD), call(GOOD));
  let stored: () => void = () => {};
  const durable = new Promise<void>((resolve) => {
    stored = resolve;
  });
  const running = runner.run(work({ schema, recordStep: () => durable }));
  await server.received(1);
  // Long enough for a second request, if one were sent without waiting.
  await runner.run(work({ model: "anthropic:m", schema: undefined }));
  expect(server.requests.filter(({ path }) => path.endsWith("/responses"))).toHaveLength(1);
  server.script(call(GOOD));
  stored();
  expect(await running).toMatchObject({ status: "done", structured: GOOD });
  server.script(call(GOOD));
  const broken = runner.run(work({ schema, recordStep: () => Promise.reject(new Error("disk full")) }));
  await expect(broken).rejects.toThrow("disk full");
});
