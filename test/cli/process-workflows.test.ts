// Saved workflows from the command line: listed, run by their names, and called by each other.

import { expect, test } from "vitest";
import { quickswarm, startGateway } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

const meta = (name: string, more = "") =>
  `export const meta = { name: '${name}', description: 'does ${name}'${more} }\n`;
const PERSONAL = "home/.quickswarm/workflows";

function place(files: { [path: string]: string } = {}) {
  const cwd = folderWith(files);
  return { cwd, dataDir: `${cwd}/data`, env: { HOME: `${cwd}/home` } };
}

test("D-008 workflows lists what can be run by name, from the project and the person, and what cannot with the reason", async () => {
  const at = place({
    ".quickswarm/workflows/audit.js": `${meta("audit", ", whenToUse: 'before a release'")}return 1`,
    ".claude/workflows/research.js": `${meta("research")}return 1`,
    ".claude/workflows/broken.js": "export const meta = { name: x }",
    [`${PERSONAL}/mine.js`]: `${meta("mine")}return 1`,
  });
  const { code, out, err } = await quickswarm(at, ["workflows"]);
  expect(code).toBe(0);
  for (const text of ["audit", "does research", "~/.quickswarm/workflows/mine.js", "audit: use it before a release"]) {
    expect(out).toContain(text);
  }
  expect(err).toContain(".claude/workflows/broken.js cannot run: .claude/workflows/broken.js:1:29: meta must be");
  const { rows } = JSON.parse((await quickswarm(at, ["workflows", "--json"])).out);
  expect(rows.map(({ name, from }: { name: string; from: string }) => [name, from])).toEqual([
    ["audit", "project"],
    ["broken", "project"],
    ["research", "project"],
    ["mine", "personal"],
  ]);
});

test("D-008 run NAME runs a saved workflow where no such file exists; a file goes before; an unknown name is told what is near", async () => {
  const at = place({
    ".claude/workflows/audit.js": `${meta("audit")}return ['saved', args]`,
    "file.js": "return 'file'",
    [`${PERSONAL}/file.js`]: `${meta("file.js")}return 'saved'`,
  });
  const { code, out } = await quickswarm(at, ["run", "audit", "--args-text", "x"]);
  expect([code, JSON.parse(out)]).toEqual([0, ["saved", "x"]]);
  expect(JSON.parse((await quickswarm(at, ["run", "file.js"])).out)).toBe("file");
  const unknown = await quickswarm(at, ["run", "audti"]);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('did you mean the workflow "audit"?')]);
});

test("D-008 D-005 a workflow calls the saved ones of the folder that the person stands in, though the gateway stands elsewhere", async () => {
  const elsewhere = place();
  const gateway = await startGateway(elsewhere);
  const cwd = folderWith({
    "outer.js": `${meta("outer")}return [await workflow('inner', 2), await workflow('mine')]`,
    ".claude/workflows/inner.js": `${meta("inner")}return args + 1`,
    [`${PERSONAL}/mine.js`]: `${meta("mine")}return 'mine'`,
  });
  const at = { cwd, dataDir: elsewhere.dataDir, env: { HOME: `${cwd}/home` } };
  const { code, out } = await quickswarm(at, ["run", "outer.js", "--url", gateway.url]);
  expect([code, JSON.parse(out)]).toEqual([0, [3, "mine"]]);
});

test("D-013 a script's own refusal is its result and is shown as such; a thrown message is the run's error", async () => {
  const at = place({
    "refuses.js": `${meta("refuses")}return { error: 'args.files is missing' }`,
    "throws.js": `${meta("throws")}throw new Error('no files')`,
  });
  const refused = await quickswarm(at, ["run", "refuses.js"]);
  expect(JSON.parse(refused.out)).toEqual({ error: "args.files is missing" });
  expect(refused.err).toContain("done, the script returned an error");
  expect(refused.err).toContain("the script says: args.files is missing");
  const thrown = await quickswarm(at, ["run", "throws.js"]);
  expect([thrown.code, thrown.err]).toEqual([1, expect.stringContaining("Error: no files")]);
});

test("D-012 D-010 warnings stand below the closing words and in the census of --json; --strict makes them errors", async () => {
  const at = place({ "typed.js": `${meta("typed")}return agent('x', { agentType: 'Plan' })` });
  const loose = await quickswarm(at, ["run", "typed.js"]);
  expect(loose.err).toContain('warning: agent: agentType "Plan" is mapped to nothing in dialect.agentTypes');
  const { census } = JSON.parse((await quickswarm(at, ["run", "typed.js", "--json"])).out);
  expect(census.warnings).toHaveLength(1);
  const strict = await quickswarm(at, ["run", "typed.js", "--strict"]);
  expect([strict.code, strict.err]).toEqual([1, expect.stringContaining("the run is strict")]);
});

test("D-001 phases that a workflow declares stand in show before they begin", async () => {
  const more = ", phases: [{ title: 'Read', detail: 'all files' }, 'Judge']";
  const at = place({ "slow.js": `${meta("phased", more)}phase('Read'); await agent('x'); return 1` });
  const { runId } = JSON.parse((await quickswarm(at, ["run", "slow.js", "--json"])).out).run;
  const { out } = await quickswarm(at, ["show", runId]);
  expect(out).toMatch(/phases\n {2}Read: 1 done {2}all files\n {2}Judge: not begun\n/);
  expect(out).toContain("does phased");
});

test("D-010 B-031 wait tells of a run whose agents died that not every child succeeded, each with its reason", async () => {
  const at = place({ "dies.js": `${meta("dies")}return agent('x', { label: 'reader', model: 'offline:fail' })` });
  const { runId } = JSON.parse((await quickswarm(at, ["run", "dies.js", "--json"])).out).run;
  const { out, err } = await quickswarm(at, ["wait", runId]);
  expect(out).toContain("null");
  expect(err).toContain("not every child succeeded; 1 child: 0 done, 1 failed");
  expect(err).toMatch(/✗ reader failed: /);
});
