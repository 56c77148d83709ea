// `run` and what looks at its work; where no gateway is started, each command opens one inside its process.

import { expect, test } from "vitest";
import { OFFLINE_NOTICE } from "../../src/cli/offline.ts";
import { censusSchema, groupRecordSchema, runDetailSchema, runRecordSchema } from "../../src/contract/records.ts";
import { quickswarm, quickswarmInto, start, startGateway } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

function place(files: { [path: string]: string } = {}) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data` };
}

async function onlyRunId(at: { cwd: string; dataDir: string }): Promise<string> {
  const { rows } = JSON.parse((await quickswarm(at, ["ls", "--json"])).out);
  expect(rows).toHaveLength(1);
  return rows[0].runId;
}

const TWO_CHILDREN = `
phase("Read");
log("reading");
const [a, b] = await Promise.all(["first", "second"].map((label) => agents.run("Read the " + label, { label, phase: "Read" })));
return { chars: a.length + b.length };`;

const MIXED = `
const options = [{ label: "fine" }, { label: "broken", model: "offline:fail" }];
const settled = await Promise.allSettled(options.map((one) => agents.run("Try it", one)));
return settled.map((one) => one.status);`;

test("I-003 run prints the script's result on stdout and progress, notice and closing words on stderr", async () => {
  const at = place({ "two.js": TWO_CHILDREN });
  const { code, out, err } = await quickswarm(at, ["run", "two.js"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ chars: expect.any(Number) });
  expect(err.split(OFFLINE_NOTICE)).toHaveLength(2);
  for (const line of ["phase    Read", "log      reading", "done     first [Read]"]) expect(err).toContain(line);
  expect(err).toMatch(/\ndone in \S+, 2 children: 2 done {2}run_[0-9a-f]{32}\n$/);
});

test("I-003 run --json prints one document with run and census", async () => {
  const at = place({ "two.js": TWO_CHILDREN });
  const { code, out } = await quickswarm(at, ["run", "two.js", "--json", "--name", "two of them"]);
  expect(code).toBe(0);
  const document = JSON.parse(out);
  expect(Object.keys(document)).toEqual(["run", "census"]);
  expect(runRecordSchema.parse(document.run)).toMatchObject({ name: "two of them", state: "done" });
  expect(censusSchema.parse(document.census)).toMatchObject({ done: 2, failed: 0 });
});

test("G-010 D-013 args reach the script: JSON, plain text, files and nothing", async () => {
  const at = place({ "args.js": "return args === undefined ? 'nothing' : args", "docs/a.md": "A" });
  const run = async (...args: string[]) => JSON.parse((await quickswarm(at, ["run", "args.js", ...args])).out);
  expect(await run()).toBe("nothing");
  expect(await run("--args", '{"dir":"docs"}')).toEqual({ dir: "docs" });
  expect(await run("--args-text", "plain text")).toBe("plain text");
  expect(await run("--files", "docs/*.md")).toEqual({ files: [{ path: "docs/a.md", text: "A" }] });
});

test("G-012 TypeScript runs from a .ts file and, with --ts, from standard input", async () => {
  const script = "const double = (value: number): number => value * 2;\nreturn double(21);";
  const at = place({ "typed.ts": script });
  expect(await quickswarm(at, ["run", "typed.ts"])).toMatchObject({ code: 0, out: "42\n" });
  expect(await quickswarm(at, ["run", "-", "--ts"], script)).toMatchObject({ code: 0, out: "42\n" });
});

test("G-012 I-005 a syntax error is told with place and caret, exits with 2 and leaves no run behind", async () => {
  const at = place({ "bad.js": "const a = 1;\nconst b = ;\n" });
  const { code, out, err } = await quickswarm(at, ["run", "bad.js"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^error\[script_syntax\]: .*\n {2}at bad\.js:2:11\n {2}\| const b = ;\n {2}\| {11}\^\nnext: /);
  expect(JSON.parse((await quickswarm(at, ["ls", "--json"])).out)).toEqual({ rows: [], next: null });
});

test("I-005 a script that throws exits with 1 and its error is shown with the line it came from", async () => {
  const at = place({ "throws.js": 'const a = 1;\n\nthrow new Error("boom " + a);\n' });
  const { code, out, err } = await quickswarm(at, ["run", "throws.js"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("error[script_error]: Error: boom 1\n  at throws.js:3:");
  expect(err).toContain('| throw new Error("boom " + a);');
  const document = JSON.parse((await quickswarm(at, ["run", "throws.js", "--json"])).out);
  expect(document).toMatchObject({ run: { state: "failed" }, error: { code: "script_error" } });
});

test("D-010 a run with a dead child exits with 0, is never called simply done, and names the child", async () => {
  const at = place({ "mixed.js": MIXED });
  const { code, out, err } = await quickswarm(at, ["run", "mixed.js"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual(["fulfilled", "rejected"]);
  expect(err).toContain("done, but not every child succeeded");
  expect(err).toContain("✗ broken failed: ");
  const { census } = JSON.parse((await quickswarm(at, ["run", "mixed.js", "--json"])).out);
  expect(census).toMatchObject({ done: 1, failed: 1, problems: [{ label: "broken", status: "failed" }] });
});

test("I-005 a result that stdout does not take is one error with the command that reads it, exit code 5", async () => {
  const at = place({ "one.js": "return 41 + 1" });
  const { code, err } = await quickswarmInto(at, "/dev/full", ["run", "one.js"]);
  expect(code).toBe(5);
  const told = /^error\[storage_full\]: stdout cannot be written \(ENOSPC\)\nnext: .*quickswarm show (run_\S+) --json/m;
  const runId = told.exec(err)?.[1] ?? "";
  expect(err).not.toMatch(/^\s+at /m);
  expect(JSON.parse((await quickswarm(at, ["show", runId, "--json"])).out)).toMatchObject({ run: { result: 42 } });
});

test("D-013 a script's own refusal is its result and is said in the closing words", async () => {
  const at = place({ "refuses.js": 'return { error: "no documents given" }' });
  const { code, out, err } = await quickswarm(at, ["run", "refuses.js"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ error: "no documents given" });
  expect(err).toContain("the script says: no documents given");
});

test("I-003 the same idempotency key gives the first run again and not a second one", async () => {
  const at = place({ "one.js": "return 1" });
  for (let time = 0; time < 2; time++) {
    expect(await quickswarm(at, ["run", "one.js", "--idempotency-key", "k"])).toMatchObject({ code: 0, out: "1\n" });
  }
  await onlyRunId(at);
});

test("I-005 local mistakes are told before a gateway is opened", async () => {
  const at = place({ "one.js": "return 1" });
  const cases = [
    [["run", "none.js"], "file_unreadable"],
    [["run", "one.js", "--args", "{a:1}"], "args_not_json"],
    [["run", "one.js", "--files", "*.none"], "file_unreadable"],
  ] as const;
  for (const [args, code] of cases) {
    const ended = await quickswarm(at, [...args]);
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(`error[${code}]`);
  }
  expect((await quickswarm(at, ["doctor", "--json"])).out).toContain("is made at the first start");
});

test("I-005 a model that does not exist is refused by name", async () => {
  const { code, err } = await quickswarm(place({ "one.js": "return 1" }), [
    "run",
    "one.js",
    "--model",
    "no-such-model",
  ]);
  expect(code).toBe(4);
  expect(err).toContain("error[model_unknown]");
  expect(err).toContain("no-such-model");
});

test("C-007 I-005 with code mode switched off a script is refused and the key is named", async () => {
  const at = place({ "one.js": "return 1", "data/config.json5": "{ tools: { codeMode: false } }" });
  const { code, err } = await quickswarm(at, ["run", "one.js"]);
  expect(code).toBe(4);
  expect(err).toContain("error[code_mode_disabled]");
  expect(err).toContain("tools.codeMode.enabled");
});

test("I-003 empty lists say what to do next, on stderr", async () => {
  const at = place();
  expect(await quickswarm(at, ["ls"])).toMatchObject({
    code: 0,
    out: "",
    err: expect.stringContaining("quickswarm run"),
  });
  expect(await quickswarm(at, ["groups"])).toMatchObject({
    code: 0,
    out: "",
    err: expect.stringContaining("quickswarm run"),
  });
  expect((await quickswarm(at, ["ls", "--state", "failed"])).err).toContain("no run in the state failed");
});

test("I-003 S-018 ls, show, groups, group and logs show a run, as tables and as documents", async () => {
  const at = place({ "two.js": TWO_CHILDREN });
  await startGateway(at);
  await quickswarm(at, ["run", "two.js"]);
  const runId = await onlyRunId(at);
  expect((await quickswarm(at, ["ls"])).out).toMatch(new RegExp(`^${runId} +two\\.js +done +Read +2 done`, "m"));
  const shown = (await quickswarm(at, ["show", runId])).out;
  expect(shown).toMatch(/^LABEL +STATUS +MODEL +PHASE +TOKENS +COST +ELAPSED +ID$/m);
  expect(shown).toMatch(/^first +done +offline:echo +Read +\d+\+\d+ +- +\S+ +agt_/m);
  expect(shown).toContain("log      reading");
  const detail = runDetailSchema.parse(JSON.parse((await quickswarm(at, ["show", runId, "--json"])).out));
  expect(detail.children).toHaveLength(2);
  const groups = JSON.parse((await quickswarm(at, ["groups", "--json"])).out);
  const group = groupRecordSchema.parse(groups.rows[0]);
  expect((await quickswarm(at, ["groups"])).out).toContain(group.groupId);
  const found = JSON.parse((await quickswarm(at, ["group", group.groupId, "--json"])).out);
  expect(found).toMatchObject({ group: { total: 2 }, children: [{ status: "done" }, { status: "done" }] });
  expect((await quickswarm(at, ["group", group.groupId])).out).toMatch(/^children +2 in all; 2 done$/m);
  expect((await quickswarm(at, ["logs", runId])).out).toMatch(/phase +Read\n.*log +reading\n$/);
});

test("I-003 ls goes through its pages", async () => {
  const at = place({ "one.js": "return 1" });
  await startGateway(at);
  for (let time = 0; time < 3; time++) await quickswarm(at, ["run", "one.js"]);
  const first = JSON.parse((await quickswarm(at, ["ls", "--json", "--limit", "2"])).out);
  const second = JSON.parse((await quickswarm(at, ["ls", "--json", "--limit", "2", "--after", first.next])).out);
  const ids = [...first.rows, ...second.rows].map((run: { runId: string }) => run.runId);
  expect(new Set(ids).size).toBe(3);
  expect(second.next).toBeNull();
  expect((await quickswarm(at, ["ls", "--limit", "2"])).err).toContain(`quickswarm ls --limit 2 --after ${first.next}`);
});

test("I-005 ids that do not exist exit with 3", async () => {
  const at = place();
  await startGateway(at);
  const id = `run_${"0".repeat(32)}`;
  for (const args of [
    ["show", id],
    ["stop", id],
    ["logs", id],
    ["logs", "-f", id],
    ["resume", id],
    ["group", "none"],
  ]) {
    const { code, err } = await quickswarm(at, args);
    expect({ args, code }).toEqual({ args, code: 3 });
    expect(err).toContain("error[not_found]");
  }
  expect(await quickswarm(at, ["wait", id])).toMatchObject({
    code: 3,
    err: expect.stringMatching(new RegExp(`^error\\[not_found\\]: there is no run or child ${id}\nnext: `)),
  });
});

test("I-003 a terminal that goes away (SIGHUP) detaches like Ctrl-C: the run is parked and the id is said", async () => {
  const at = place({ "hangs.js": 'log("begun");\nreturn agents.run("Wait", { model: "offline:hang" });' });
  const command = start(at, ["run", "hangs.js"]);
  await command.says("begun");
  command.process.kill("SIGHUP");
  const { code, err } = await command.ended;
  expect(code).toBe(130);
  expect(err).toMatch(/detached: (run_\S+) is parked; go on with `quickswarm resume \1`/);
});

test("I-003 Ctrl-C detaches: the run is parked, and resume goes on to its end", async () => {
  const at = place({
    "slow.js":
      'log("begun");\nconst text = await agents.run("Wait", { model: "offline:echo@3000ms" });\nreturn text.length > 0;',
  });
  const command = start(at, ["run", "slow.js"]);
  await command.says("begun");
  command.process.kill("SIGINT");
  const { code, out, err } = await command.ended;
  expect({ code, out }).toEqual({ code: 130, out: "" });
  const runId = /detached: (run_\S+) is parked; go on with `quickswarm resume \1`/.exec(err)?.[1] ?? "";
  const shown = (await quickswarm(at, ["show", runId])).out;
  expect(shown).toMatch(/^state +waiting/m);
  expect(shown).toMatch(/line 2 {2}const text = await agents\.run.*\(agentWait, for 1 child/);
  expect(await quickswarm(at, ["resume", runId])).toMatchObject({ code: 0, out: "true\n" });
  const again = await quickswarm(at, ["resume", runId]);
  expect(again).toMatchObject({ code: 0, out: "true\n", err: expect.stringContaining("has ended already") });
});

test("R-004 I-003 a run whose command was killed with kill -9 goes on with resume", async () => {
  const at = place({
    "slow.js": 'log("begun");\nawait agents.run("Wait", { model: "offline:echo@3000ms" });\nreturn "survived";',
  });
  const command = start(at, ["run", "slow.js"]);
  await command.says("begun");
  command.process.kill("SIGKILL");
  await command.ended;
  expect(await quickswarm(at, ["resume", await onlyRunId(at)])).toMatchObject({ code: 0, out: '"survived"\n' });
});

test("I-003 run says when other runs are left unfinished in its data directory", async () => {
  const at = place({
    "hangs.js": 'log("begun");\nreturn agents.run("Wait", { model: "offline:hang" });',
    "one.js": "return 1",
  });
  const command = start(at, ["run", "hangs.js"]);
  await command.says("begun");
  command.process.kill("SIGINT");
  await command.ended;
  const { err } = await quickswarm(at, ["run", "one.js"]);
  expect(err).toContain("1 other run is not finished; `quickswarm gateway` goes on with them");
});

test("I-003 backup writes a copy that opens like the original", async () => {
  const at = place({ "one.js": "return 1" });
  await quickswarm(at, ["run", "one.js"]);
  const { code, out } = await quickswarm(at, ["backup", "copy.db", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ path: `${at.cwd}/copy.db`, bytes: expect.any(Number) });
});
