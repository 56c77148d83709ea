// Approvals and events from the command line, against a real gateway, and against none.

import { expect, test } from "vitest";
import { approvalRecordSchema, eventAnswerSchema } from "../../src/contract/approvals.ts";
import { quickswarm, start, startGateway } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

function place(files: { [path: string]: string } = {}) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

const ASK = `const a = await approve("Deploy?", { to: "prod" });
return [a.approved, a.comment, a.data, (await waitForEvent("built")).n];`;
const approvalIn = (text: string): string => /apr_[0-9a-f]{32}_\d+/.exec(text)?.[0] ?? "none";
const runIn = (text: string): string => /run_[0-9a-f]{32}/.exec(text)?.[0] ?? "none";

test("I-003 G-009 B-002 run says that an approval waits and how to answer; approve and event let it go on", async () => {
  const at = place({ "ask.js": ASK });
  await startGateway(at);
  const run = start(at, ["run", "ask.js"]);
  const said = await run.says(/asks {5}Deploy\?; answer with `quickswarm approve apr_/);
  const approvalId = approvalIn(said);
  const listed = await quickswarm(at, ["approvals"]);
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.out).toContain(approvalId);
  expect(listed.out).toContain("Deploy?");
  const one = await quickswarm(at, ["approvals", approvalId]);
  expect(one.out).toMatch(/^Deploy\? {2}apr_\S+\nstate {5}pending\nrun {7}ask\.js {2}run_/);
  expect(one.out).toContain('{\n  "to": "prod"\n}');
  const runs = await quickswarm(at, ["ls"]);
  expect(runs.out).toContain("waiting, 1 approval");
  const runId = runIn(runs.out);
  const shown = await quickswarm(at, ["show", runId]);
  expect(shown.out).toContain(`quickswarm approve ${approvalId} [--reject]  Deploy?`);
  expect(shown.out).toContain('line 1  const a = await approve("Deploy?", { to: "prod" });  (approve, since');
  const approved = await quickswarm(at, ["approve", approvalId, "--comment", "go", "--answer", '{"n":1}']);
  expect(approved).toMatchObject({ code: 0, out: `approved ${approvalId}: Deploy?\n`, err: "" });
  await run.says("approved Deploy? by operator: go");
  const sent = await quickswarm(at, ["event", runId, "built", "-"], '{"n":7}');
  expect(sent).toMatchObject({ code: 0, err: "" });
  const { code, out } = await run.ended;
  expect([code, JSON.parse(out)]).toEqual([0, [true, "go", { n: 1 }, 7]]);
});

test("I-003 approve, approvals and event give JSON, and run --json still says what it waits for", async () => {
  const at = place({ "ask.js": ASK });
  await startGateway(at);
  const run = start(at, ["run", "ask.js", "--json"]);
  const approvalId = approvalIn(await run.says("asks     Deploy?"));
  const { rows, next } = JSON.parse((await quickswarm(at, ["approvals", "--json"])).out);
  expect([rows.map((row: unknown) => approvalRecordSchema.parse(row).approvalId), next]).toEqual([[approvalId], null]);
  const event = await quickswarm(at, ["event", rows[0].runId, "built", '{"n":2}', "--json"]);
  expect(eventAnswerSchema.parse(JSON.parse(event.out))).toMatchObject({ delivered: false, kept: 1 });
  const decided = await quickswarm(at, ["approve", approvalId, "--reject", "--json"]);
  expect(approvalRecordSchema.parse(JSON.parse(decided.out))).toMatchObject({ state: "rejected", by: "operator" });
  expect(JSON.parse((await run.ended).out).run.result).toEqual([false, null, null, 2]);
  expect((await quickswarm(at, ["approvals"])).err).toContain("No approval waits.");
  expect((await quickswarm(at, ["approvals", "--all"])).out).toContain("rejected");
  expect((await quickswarm(at, ["approvals", approvalId])).out).toMatch(/\ndecided {3}20\S+ \S+ by operator\n/);
  expect(JSON.parse((await quickswarm(at, ["approvals", approvalId, "--json"])).out)).toMatchObject({ approvalId });
});

test("I-005 what cannot be answered is told with the reason and an exit code", async () => {
  const at = place({ "ask.js": ASK });
  await startGateway(at);
  await quickswarm(at, ["submit", "ask.js"]);
  let id = "none";
  while (id === "none") id = approvalIn((await quickswarm(at, ["approvals"])).out);
  const runId = runIn((await quickswarm(at, ["ls"])).out);
  const cases: [string[], number, string][] = [
    [["approvals", "apr_none"], 3, "error[not_found]"],
    [["approve", "apr_none"], 3, "error[not_found]: There is no approval"],
    [["approve", id, "--answer", "{n:1}"], 2, "error[args_not_json]: --answer is not JSON"],
    [["event", "run_none", "built"], 3, "error[not_found]: There is no run"],
    [["event", runId, "a b"], 2, "error[bad_request]"],
    [["event", runId, "built", "{"], 2, "error[args_not_json]: the event is not JSON"],
    [["event", runId, "built", JSON.stringify("x".repeat(70_000))], 2, "error[body_too_large]"],
  ];
  for (const [args, code, said] of cases) {
    const ended = await quickswarm(at, args);
    expect([ended.code, ended.err], args.join(" ")).toEqual([code, expect.stringContaining(said)]);
  }
  expect((await quickswarm(at, ["approve", id])).code).toBe(0);
  const again = await quickswarm(at, ["approve", id, "--reject"]);
  expect([again.code, again.err]).toEqual([4, expect.stringMatching(/was approved by operator at 20\S+Z/)]);
  await quickswarm(at, ["stop", runId]);
  expect((await quickswarm(at, ["event", runId, "built"])).code).toBe(4);
});

test("R-004 B-002 an approval can be answered while no gateway runs; the run goes on when it is resumed", async () => {
  const at = place({ "ask.js": 'return (await approve("Deploy?")).approved;' });
  const run = start(at, ["run", "ask.js"]);
  const approvalId = approvalIn(await run.says("asks     Deploy?"));
  run.process.kill("SIGKILL");
  await run.ended;
  const approved = await quickswarm(at, ["approve", approvalId]);
  expect(approved.code).toBe(0);
  expect(approved.err).toContain("no gateway runs, so the run is parked");
  const runId = runIn(approved.err);
  expect(JSON.parse((await quickswarm(at, ["show", runId, "--json"])).out).run.turn).toBe(1);
  expect(await quickswarm(at, ["resume", runId])).toMatchObject({ code: 0, out: "true\n" });
});
