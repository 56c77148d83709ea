import { describe, expect, test } from "vitest";
import { createAgency } from "../../src/agency/agency.ts";
import type { AgencyConfig } from "../../src/agency/config.ts";
import type { StreamPart } from "../../src/agency/parts.ts";
import { numbered, ScriptedHost } from "./support.ts";

const MODEL = { model: "openai:gpt-4.1" };

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

function shape(part: StreamPart): string {
  if (part.type === "text") return `${part.agent}: ${part.text}`;
  return part.type === "final-output" ? `final: ${part.text}` : `${part.type} ${part.agent}`;
}

function rewriting(output: string): AgencyConfig["hitl"] {
  return { approvals: { beforeReturn: true }, handler: () => ({ approved: true, modifications: { output } }) };
}

test("A-136 fullStream tells who begins and who ends, with labelled text between, and the final output at last", async () => {
  const stream = createAgency({ agents: { a: {}, b: {} } }, new ScriptedHost(numbered())).stream("Go.");
  expect((await all(stream.fullStream)).map(shape)).toEqual([
    "agent-start a",
    "a: a says 1",
    "agent-end a",
    "agent-start b",
    "b: b says 1",
    "agent-end b",
    "final: b says 1",
  ]);
  expect(await all(stream.textStream)).toEqual(["a says 1", "b says 1"]);
});

describe("B-011 parts of members and the chair's text are there under every strategy", () => {
  test.each([
    ["parallel", { strategy: "parallel", agents: { a: {}, b: {} } }, ["__agency__ says 1"], 2],
    [
      "debate",
      { strategy: "debate", maxRounds: 1, agents: { a: {}, b: {} } },
      ["a says 1", "b says 1", "__agency__ says 1"],
      2,
    ],
    ["review-loop", { strategy: "review-loop", maxRounds: 1, agents: { a: {}, b: {} } }, ["a says 1", "b says 1"], 2],
    ["graph", { agents: { a: {}, b: { dependsOn: ["a"] } } }, ["a says 1", "b says 1"], 2],
    ["hierarchical", { strategy: "hierarchical", agents: { a: {} } }, ["__agency__ says 1"], 0],
  ] as const)("B-011 A-136 %s", async (_name, config, texts, members) => {
    const stream = createAgency({ ...MODEL, ...config }, new ScriptedHost(numbered())).stream("Go.");
    const parts = await all(stream.fullStream);
    expect(parts.filter((part) => part.type === "agent-start")).toHaveLength(members);
    expect(parts.filter((part) => part.type === "agent-end")).toHaveLength(members);
    expect(parts.at(-1)?.type).toBe("final-output");
    expect(await all(stream.textStream)).toEqual([...texts]);
  });

  test("B-011 text that the host hands on comes in its pieces, and nothing of it twice", async () => {
    const host = new ScriptedHost(({ onText }) => {
      for (const piece of ["One ", "two "]) onText(piece);
      return "One two three";
    });
    const stream = createAgency({ agents: { a: {} } }, host).stream("Go.");
    expect(await all(stream.textStream)).toEqual(["One ", "two ", "three"]);
  });

  test("B-011 a nested agency speaks as its seat", async () => {
    const host = new ScriptedHost(numbered());
    const inner = createAgency({ ...MODEL, strategy: "parallel", agents: { x: {}, y: {} } }, host);
    const stream = createAgency({ agents: { inner } }, host).stream("Go.");
    expect((await all(stream.fullStream)).map(shape)).toEqual([
      "agent-start inner",
      "inner: __agency__ says 1",
      "agent-end inner",
      "final: __agency__ says 1",
    ]);
  });
});

test("A-133 A-134 A-135 a rewritten answer is in text, finalTextStream, final-output and result; textStream stays as it was", async () => {
  const team = createAgency({ agents: { a: {} }, hitl: rewriting("approved") }, new ScriptedHost(numbered()));
  const stream = team.stream("Go.");
  expect(await all(stream.textStream)).toEqual(["a says 1"]);
  expect(await stream.text).toBe("approved");
  expect(await all(stream.finalTextStream)).toEqual(["approved"]);
  expect((await all(stream.fullStream)).at(-1)).toEqual({ type: "final-output", text: "approved" });
  expect(await stream.result).toMatchObject({ text: "approved", agentCalls: [{ output: "a says 1" }] });
});

test("A-023 A-135 a stream's result is what generate() gives, without provider and model", async () => {
  const build = () => createAgency({ agents: { a: {}, b: {} } }, new ScriptedHost(numbered()));
  const { provider, model, ...rest } = await build().generate("Go.");
  expect({ provider, model }).toEqual({ provider: "openai", model: "gpt-4.1" });
  expect(await build().stream("Go.").result).toEqual(rest);
});

test("A-138 A-151 a stream never repeats its run: a text that does not fit leaves parsed undefined", async () => {
  const host = new ScriptedHost(numbered());
  const output = { safeParse: () => ({ success: false as const, error: "no" }) };
  const result = await createAgency({ agents: { a: {} }, output }, host).stream("Go.").result;
  expect(result).not.toHaveProperty("parsed");
  expect(host.sent).toHaveLength(1);
});

test("A-137 a run that fails rejects the promises, and its streams end by throwing the same error", async () => {
  const failing = () => {
    throw new RangeError("broken");
  };
  const stream = createAgency({ agents: { a: {} } }, new ScriptedHost(failing)).stream("Go.");
  await expect(all(stream.textStream)).rejects.toThrow("broken");
  await expect(all(stream.fullStream)).rejects.toThrow("broken");
  await expect(stream.text).rejects.toThrow("broken");
  await expect(stream.result).rejects.toThrow("broken");
});

test("B-007 leaving a stream early stops the team: nobody after it is asked", async () => {
  const host = new ScriptedHost(numbered());
  const stream = createAgency({ agents: { a: {}, b: {} } }, host).stream("Go.");
  for await (const part of stream.fullStream) if (part.type === "agent-start") break;
  await expect(stream.result).rejects.toMatchObject({ code: "agency_stopped" });
  expect(host.sent.map((request) => request.agent)).toEqual(["a"]);
});

test("B-007 a reader that leaves stops nothing while another one reads", async () => {
  const stream = createAgency({ agents: { a: {}, b: {} } }, new ScriptedHost(numbered())).stream("Go.");
  const whole = all(stream.fullStream);
  for await (const _ of stream.textStream) break;
  expect((await whole).at(-1)?.type).toBe("final-output");
});
