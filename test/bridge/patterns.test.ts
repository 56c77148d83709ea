// The patterns that the declaration file shows are run as they stand there.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import type { Call } from "../../src/contract/calls.ts";
import { childIdOf } from "../../src/contract/ids.ts";
import { type Answering, ok, openTestHost, runScript } from "./support.ts";

let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

/** The indented block that follows the comment line which begins with `title`. */
function pattern(title: string, file = "agents.d.ts"): string {
  const lines = readFileSync(`guest-types/${file}`, "utf8").split("\n");
  const from = lines.findIndex((line) => line.startsWith(`// ${title}`)) + 2;
  const length = lines.slice(from).findIndex((line) => !line.startsWith("//     "));
  return lines
    .slice(from, from + length)
    .map((line) => line.slice("//     ".length))
    .join("\n");
}

/** Answers each child by what its prompt begins with. */
function byPrompt(table: (prompt: string, nth: number) => unknown): Answering {
  const prompts: string[] = [];
  return (call: Call) => {
    if (call.method === "agentSpawn") prompts.push(call.args.prompt);
    if (call.method !== "agentWait") return undefined;
    return ok(call.callId, table(prompts[prompts.length - 1] ?? "", prompts.length));
  };
}

test("G-011 the fan-out pattern runs every file at once and merges the reports", async () => {
  const files = [1, 2, 3].map((n) => ({ path: `${n}.md`, text: `text ${n}` }));
  const { calls, result } = await runScript(
    host,
    pattern("Fan-out"),
    byPrompt((prompt) => (prompt.startsWith("Merge") ? prompt : "report")),
    { args: { files } },
  );
  expect(calls.filter((call) => call.method === "agentSpawn")).toHaveLength(4);
  expect(result).toBe("Merge these reviews:\nreport\n---\nreport\n---\nreport");
});

test("G-011 the gate pattern stops at a check that does not pass", async () => {
  const script = `const plan = "p";\n${pattern("Gate")}\nreturn "passed";`;
  const gate = (safe: boolean) =>
    runScript(
      host,
      script,
      byPrompt(() => ({ safe, why: "because" })),
    );
  expect((await gate(false)).result).toEqual({ refused: "because" });
  expect((await gate(true)).result).toBe("passed");
});

test("G-011 the loop pattern ends when the critique is OK, or at its bound", async () => {
  const drafts = async (okAfter: number) => {
    const { result, calls } = await runScript(
      host,
      pattern("Loop"),
      byPrompt((prompt, nth) => (prompt.startsWith("List") ? (nth > okAfter ? "OK" : "bad") : `draft ${nth}`)),
    );
    return [result, calls.filter((call) => call.method === "agentSpawn").length];
  };
  expect(await drafts(2)).toEqual(["draft 3", 4]);
  expect(await drafts(99)).toEqual(["draft 7", 7]);
});

test("G-011 the first-completion pattern takes a good answer and cancels the losers", async () => {
  const script = `const questions = ["a", "b", "c"];\nconst isGood = (text) => text === "good";\n${pattern("First completion")}`;
  const { run, calls, result } = await runScript(host, script, (call) => {
    if (call.method !== "agentWait" || call.args.mode !== "any") return undefined;
    const record = { runId: call.args.ids[0], status: "done", result: call.args.ids.length === 3 ? "poor" : "good" };
    return ok(call.callId, { completed: [record], pending: [], errors: [] });
  });
  expect(result).toBe("good");
  const cancelled = calls.flatMap((call) => (call.method === "agentCancel" ? [call.args] : []));
  expect(cancelled).toEqual([{ id: childIdOf(run.runId, 5), reason: "another answer was good" }]);
});

test("G-011 the session pattern sends one after the other", async () => {
  const { calls } = await runScript(
    host,
    `${pattern("Session")}\nreturn better;`,
    byPrompt((prompt) => prompt),
  );
  expect(calls.flatMap((call) => (call.method === "agentSpawn" ? [call.args.prompt] : []))).toEqual([
    "Here is the text: …",
    "Now shorten it to 100 words.",
  ]);
});

test("G-011 G-009 the person pattern goes on when it is approved, and says why not when it is not", async () => {
  const script = `const plan = "p";\n${pattern("Person", "people.d.ts")}\nreturn "deployed";`;
  const decided = (approval: object) => runScript(host, script, (call) => ok(call.callId, approval));
  expect((await decided({ approved: true, state: "approved" })).result).toBe("deployed");
  expect((await decided({ approved: false, state: "rejected", comment: "no" })).result).toEqual({ refused: "no" });
  expect((await decided({ approved: false, state: "expired" })).result).toEqual({ refused: "expired" });
});

test("G-011 G-009 the event pattern is TypeScript that acts on what the event says", async () => {
  const script = pattern("Event", "people.d.ts");
  const { calls } = await runScript(host, script, (call) => ok(call.callId, { ok: false }), { language: "ts" });
  expect(calls.map((call) => call.method)).toEqual(["waitForEvent", "agentSpawn", "agentWait"]);
});
