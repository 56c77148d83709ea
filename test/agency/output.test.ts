import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import { type Reply, ScriptedHost } from "./support.ts";

const schema = z.object({ title: z.string(), score: z.number() });
const GOOD = '{"title": "T", "score": 1}';
const VALUE = { title: "T", score: 1 };

function hostWith(...replies: Reply[]): ScriptedHost {
  return new ScriptedHost(() => replies.shift() ?? "nothing");
}

function team(host: ScriptedHost, more: Partial<AgencyConfig> = {}) {
  return createAgency({ agents: { a: {} }, output: schema, ...more } as AgencyConfig<z.infer<typeof schema>>, host);
}

/** Approves the final text with `outputs` in its place, one a time; undefined leaves it. */
function approver(...outputs: (string | undefined)[]) {
  let asked = 0;
  const hitl: AgencyConfig["hitl"] = {
    approvals: { beforeReturn: true },
    handler: () => ({ approved: true, modifications: { output: outputs[asked++] } }),
  };
  return { hitl, asked: () => asked };
}

test("A-145 A-146 the final text is parsed, and the prompt asks for JSON with the schema's top-level keys", async () => {
  const host = hostWith(GOOD);
  const { parsed } = await team(host).generate("Extract.");
  expect(parsed satisfies { title: string; score: number } | undefined).toEqual(VALUE);
  expect(host.asked[0]?.[1]).toBe(
    "Extract.\n\nRespond with one JSON object alone, with these top-level keys: title, score.",
  );
});

test("A-146 a schema that is no object asks for JSON without keys", async () => {
  const host = hostWith("[1, 2]");
  const list = createAgency({ agents: { a: {} }, output: z.array(z.number()) }, host);
  expect((await list.generate("List.")).parsed).toEqual([1, 2]);
  expect(host.asked[0]?.[1]).toBe("List.\n\nRespond with JSON alone.");
});

describe("A-147 the reply is read as JSON, then from a fence, then from the first object in it", () => {
  test.each([
    ["as it is", GOOD],
    ["in a fence", `Here it is:\n\`\`\`json\n${GOOD}\n\`\`\`\nThat was it.`],
    ["in a fence without a language", `\`\`\`\n${GOOD}\n\`\`\``],
    ["within a text", `My answer is ${GOOD} as you see. {"other": 1}`],
    ["with braces in its strings", '{"title": "T", "score": 1, "note": "a } and a \\" {"}'],
  ])("A-147 %s", async (_where, reply) => {
    expect((await team(hostWith(reply)).generate("Go.")).parsed).toMatchObject(VALUE);
  });

  test.each([
    ["as it is", '{"title": "A", "score": 1, "title": "B"}'],
    ["in a fence", '```json\n{"title": "A", "title": "B", "score": 1}\n```'],
    ["within a text", 'So: {"title": "A", "score": 1, "\\u0074itle": "B"} it is.'],
    ["in an object inside", '{"title": "T", "score": 1, "more": {"a": 1, "a": 2}}'],
  ])("A-148 A-150 JSON that repeats a key of one object does not parse, %s", async (_where, reply) => {
    expect((await team(hostWith(reply, reply)).generate("Go.")).parsed).toBeUndefined();
  });

  test("A-148 the same key in two objects is no repetition", async () => {
    const reply = '{"title": "T", "score": 1, "list": [{"a": 1}, {"a": 2}], "more": {"title": "x"}}';
    expect((await team(hostWith(reply)).generate("Go.")).parsed).toMatchObject(VALUE);
  });
});

test("A-149 a text that does not fit is asked for once more, with the reply quoted; both calls are recorded and paid", async () => {
  const host = hostWith("No idea.", GOOD);
  const result = await team(host).generate("Extract.");
  expect(result.parsed).toEqual(VALUE);
  expect(host.asked[1]?.[1]).toContain("The previous reply was not the JSON that is asked for:\nNo idea.\n\n");
  expect(result.agentCalls.map((call) => call.output)).toEqual(["No idea.", GOOD]);
  expect(result.usage.totalTokens).toBe(24);
});

test("A-149 A-150 maxValidationRetries says how often; then the last text comes without parsed and without an error", async () => {
  const host = hostWith("1", "2", "3", "4");
  const result = await team(host, { controls: { maxValidationRetries: 2 } }).generate("Go.");
  expect(result.text).toBe("3");
  expect(result).not.toHaveProperty("parsed");
  const none = hostWith("1");
  await team(none, { controls: { maxValidationRetries: 0 } }).generate("Go.");
  expect(none.sent).toHaveLength(1);
});

test("A-149 A-151 a session's send repeats like generate, its stream never", async () => {
  const host = hostWith("no", GOOD, "no");
  const session = team(host).session();
  expect((await session.send("Go.")).parsed).toEqual(VALUE);
  expect((await session.stream("Go.").result).parsed).toBeUndefined();
  expect(host.sent).toHaveLength(3);
});

test("A-032 a member's own output has no effect", async () => {
  const host = hostWith(GOOD);
  const result = await createAgency({ agents: { a: { output: schema } as never } }, host).generate("Go.");
  expect(result).not.toHaveProperty("parsed");
  expect(host.asked[0]?.[1]).toBe("Go.");
});

test("A-152 A-153 parsed is read from the text that an approver put in the place of the answer", async () => {
  const { hitl } = approver('{"title": "Other", "score": 2}');
  const result = await team(hostWith(GOOD), { hitl }).generate("Go.");
  expect(result).toMatchObject({ text: '{"title": "Other", "score": 2}', parsed: { title: "Other", score: 2 } });
});

test("A-154 a replacement that does not fit is returned as it is, without another run, and logged without its text", async () => {
  const { hitl, asked } = approver("Just this.");
  const host = hostWith(GOOD);
  const result = await team(host, { hitl }).generate("Go.");
  expect(result.text).toBe("Just this.");
  expect(result).not.toHaveProperty("parsed");
  expect([asked(), host.sent.length]).toEqual([1, 1]);
  const details = { agency: "__agency__", strategy: "sequential" };
  expect(host.logged).toEqual([{ level: "info", event: "agency_replacement_unparsed", details }]);
});

test("A-155 a replacement equal to the text is an approval: the run is repeated and approved again; a stream is not", async () => {
  const { hitl, asked } = approver("no", undefined);
  const host = hostWith("no", GOOD);
  expect((await team(host, { hitl }).generate("Go.")).parsed).toEqual(VALUE);
  expect(asked()).toBe(2);
  const streamed = approver("no");
  const other = hostWith("no");
  expect(await team(other, { hitl: streamed.hitl }).stream("Go.").result).not.toHaveProperty("parsed");
  expect(other.sent).toHaveLength(1);
});

test("A-156 without output a member's parsed is handed on, unless an approver changed the text", async () => {
  const agents = { a: { responseSchema: schema } };
  expect((await createAgency({ agents }, hostWith(GOOD)).generate("Go.")).parsed).toEqual(VALUE);
  const { hitl } = approver(`${GOOD} `);
  expect(await createAgency({ agents, hitl }, hostWith(GOOD)).generate("Go.")).not.toHaveProperty("parsed");
});

test("A-157 a run of which nobody answered is not repeated, and is logged", async () => {
  const host = hostWith();
  const hitl = { approvals: { beforeAgent: ["a"] }, handler: () => ({ approved: false }) };
  expect((await team(host, { hitl }).generate("Go.")).text).toBe("");
  const line = { level: "info", event: "agency_no_seat_answered", details: { agency: "__agency__" } };
  expect(host.logged).toEqual([line]);
});
