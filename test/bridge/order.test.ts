// Random programs, answered in random order, with the VM forgotten at random moments: the result is
// always the one that the program means, and no child is asked for twice.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GuestHost } from "../../src/bridge/port.ts";
import type { Call } from "../../src/contract/calls.ts";
import { childError, ok, openTestHost, resultOf, TestRun } from "./support.ts";

const SEED = 20261130;
let host: GuestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host.close());

/** A program: one agent, one that fails and is caught, a sleep, or programs in sequence, at once, or in one session. */
type Program =
  | { do: "run" | "spawn" | "fail"; name: string }
  | { do: "sleep" }
  | { do: "seq" | "all"; parts: Program[] }
  | { do: "session"; names: string[] };

const { program } = fc.letrec<{ program: Program; leaf: Program }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ do: fc.constantFrom("run", "spawn", "fail"), name: fc.string({ maxLength: 4 }) }),
    fc.constant({ do: "sleep" as const }),
    fc.record({ do: fc.constant("session" as const), names: fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }) }),
  ),
  program: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie("leaf"),
    fc.record({ do: fc.constantFrom("seq", "all"), parts: fc.array(tie("program"), { maxLength: 4 }) }),
  ),
}));

const INTERPRETER = `
async function play(p) {
  switch (p.do) {
    case "run": return agents.run(p.name);
    case "spawn": return agents.spawn(p.name, { label: p.name }).result;
    case "fail": try { return await agents.run("fail " + p.name) } catch (e) { return e.name + ":" + e.message }
    case "sleep": await sleep(5); return "slept";
    case "all": return Promise.all(p.parts.map(play));
    case "seq": { const out = []; for (const part of p.parts) out.push(await play(part)); return out; }
    case "session": { const s = agents.session("s"); return Promise.all(p.names.map((n) => s.send(n))); }
  }
}
return { value: await play(args), spent: budget.spent() };`;

/** What the program means, whatever the order of the answers. */
function meaning(each: Program): unknown {
  switch (each.do) {
    case "sleep":
      return "slept";
    case "session":
      return each.names.map((name) => `answer to ${name}`);
    case "seq":
    case "all":
      return each.parts.map(meaning);
    case "fail":
      return `SwarmAgentError:no ${each.name}`;
    default:
      return `answer to ${each.name}`;
  }
}

test("L2 L3 L4 the result does not depend on the order of answers, nor on where the VM was forgotten", async () => {
  await fc.assert(
    fc.asyncProperty(program, fc.infiniteStream(fc.nat(1_000)), async (each, dice) => {
      const roll = (sides: number): number => (dice.next().value ?? 0) % sides;
      const run = new TestRun(host, { args: each });
      let report = await run.start(INTERPRETER, { args: each });
      const prompts = new Map<string, string>();
      const waiting: Call[] = [];
      for (;;) {
        for (const call of report.calls) {
          if (call.method !== "agentSpawn") waiting.push(call);
          else {
            const childId = `agt_${run.runId.slice(4)}_${call.callId}`;
            expect(prompts.has(childId)).toBe(false);
            prompts.set(childId, call.args.prompt);
          }
        }
        if (report.outcome) break;
        if (roll(3) === 0) run.evict();
        const taken = Array.from({ length: Math.min(waiting.length, 1 + roll(3)) }, () =>
          waiting.splice(roll(waiting.length), 1),
        ).flat();
        report = await run.answer(...taken.map((call) => answerTo(call, prompts)));
      }
      expect(resultOf(report)).toEqual({ value: meaning(each), spent: 3 * answered(each) });
    }),
    { numRuns: 60, seed: SEED },
  );
}, 120_000);

function answerTo(call: Call, prompts: Map<string, string>) {
  if (call.method !== "agentWait") return ok(call.callId, null);
  const prompt = prompts.get(call.args.ids[0] ?? "") ?? "";
  if (prompt.startsWith("fail ")) return childError(call.callId, { status: "failed" }, `no ${prompt.slice(5)}`);
  return ok(call.callId, `answer to ${prompt}`, { inputTokens: 1, outputTokens: 2, costUsd: 0 });
}

/** Children that answer with a value, and so with their usage. */
function answered(each: Program): number {
  if (each.do === "run" || each.do === "spawn") return 1;
  if (each.do === "session") return each.names.length;
  return each.do === "seq" || each.do === "all" ? each.parts.reduce((sum, part) => sum + answered(part), 0) : 0;
}
