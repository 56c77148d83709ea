// History, forks and reuse on the command line: with no gateway running, the command works by itself.

import { expect, test } from "vitest";
import { pointDetailSchema, runHistorySchema } from "../../src/contract/history.ts";
import { quickswarm } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

const TWO = `
phase("ask");
const first = await agents.run("one", { label: "one" });
phase("end");
const second = await agents.run("two after " + first, { label: "two" });
return [first, second];
`;

function place() {
  const cwd = folderWith({ "two.js": TWO });
  return { cwd, dataDir: `${cwd}/data` };
}

function jsonOf(text: string): { run: { runId: string; forkedFrom?: object; reuse?: string } } {
  return JSON.parse(text) as ReturnType<typeof jsonOf>;
}

test("R-008 D-009 I-003 a run is looked at turn by turn, forked with another answer, and reused", async () => {
  const at = place();
  const first = await quickswarm(at, ["run", "two.js", "--keep-history", "10", "--json"]);
  const { runId } = jsonOf(first.out).run;

  const list = await quickswarm(at, ["show", runId, "--history", "--json"]);
  expect(runHistorySchema.parse(JSON.parse(list.out)).points.map(({ turn, phase }) => [turn, phase])).toEqual([
    [1, "ask"],
    [2, "end"],
  ]);
  expect((await quickswarm(at, ["show", runId, "--history"])).out).toMatch(/TURN.*\n.*1 .*ask.*1 call/);
  const shown = await quickswarm(at, ["show", runId, "--at", "1", "--json"]);
  const { pending } = pointDetailSchema.parse(JSON.parse(shown.out));
  const call = pending[0]?.callId ?? 0;
  const text = (await quickswarm(at, ["show", runId, "--at", "1"])).out;
  expect(text).toContain("as it was after turn 1");
  expect(text).toContain(`call ${call}: line 3`);
  expect(text).toContain("(consumed by turn 2)");

  const fork = await quickswarm(at, ["fork", runId, "--at", "1", "--set-answer", `${call}="other"`, "--json"]);
  expect(fork.code).toBe(0);
  expect(jsonOf(fork.out).run).toMatchObject({ forkedFrom: { runId, turn: 1 }, result: ["other", expect.any(String)] });
  expect(fork.err).toContain(`forked ${runId} after turn 1`);

  const again = await quickswarm(at, ["run", "two.js", "--reuse", runId]);
  expect(again.err).toContain("2 done, 2 of them reused");
  const bad = await quickswarm(at, ["run", "two.js", "--reuse", "run_unknown"]);
  expect([bad.code, bad.err]).toEqual([3, expect.stringContaining("error[not_found]")]);
});

test("I-005 R-008 a fork that cannot be made says why and what to do", async () => {
  const at = place();
  const first = await quickswarm(at, ["run", "two.js", "--keep-history", "1", "--json"]);
  const { runId } = jsonOf(first.out).run;
  const refusals: [args: string[], code: number, said: string][] = [
    [["--at", "1"], 3, "kept are the turns 2 to 2"],
    [["--set-answer", "99=1"], 2, "Call 99 was not pending"],
    [["--set-answer", "nonsense"], 2, "expected CALL=JSON"],
    [["--set-answer", "4={broken"], 2, "--set-answer 4 is not JSON"],
    [["--at", "0"], 2, "positive integer"],
    [["--detach"], 6, "error[gateway_unreachable]"],
  ];
  for (const [args, code, said] of refusals) {
    const answer = await quickswarm(at, ["fork", runId, ...args]);
    expect([args, answer.code, answer.err]).toEqual([args, code, expect.stringContaining(said)]);
  }
});
