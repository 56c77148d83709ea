// The declaration file: it compiles by itself, gives the types it promises, and fits every example.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quickswarm-types-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles scripts, each as the body of an async function, and returns what the compiler says. */
function compile(scripts: { [fileName: string]: string }, checkJs = false): string {
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `(async () => {\n${text}\n});\nexport {};\n`);
  }
  const config = {
    compilerOptions: {
      target: "ES2023",
      lib: ["ES2023"],
      module: "ESNext",
      moduleDetection: "force",
      types: [],
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs,
      skipLibCheck: false,
    },
    files: [...readdirSync("guest-types").map((name) => resolve("guest-types", name)), ...Object.keys(scripts)],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const done = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], { encoding: "utf8" });
  return done.stdout + done.stderr;
}

test("G-011 the declarations compile by themselves, without DOM or Node types", () => {
  expect(compile({})).toBe("");
});

test("G-011 the types say what a script gets: text, the type of a literal schema, or the named type", () => {
  const good = `
    const text: string = await agents.run("q");
    const withOptions: string = await agents.run("q", { label: "l", signal: new AbortController().signal });
    const verdict = await agents.run("q", {
      schema: { type: "object", properties: { ok: { type: "boolean" }, notes: { type: "array", items: { type: "string" } }, kind: { enum: ["a", "b"] } }, required: ["ok", "kind"] },
    });
    const isOk: boolean = verdict.ok;
    const kind: "a" | "b" = verdict.kind;
    const notes: string[] | undefined = verdict.notes;
    const schema = { type: "object" };
    const named: { n: number } = await agents.run<{ n: number }>("q", { schema });
    const child = agents.spawn("q", { schema: { type: "number" } });
    const value: number = await child.result;
    const { completed, pending } = await agents.wait([child.runId], { timeoutSeconds: 5 });
    const first: string | undefined = completed[0]?.result ?? pending[0];
    await child.cancel("enough"); await agents.cancel(child.runId);
    const session = agents.session("sys", { model: "m" });
    const answer: string = await session.send("hi", { phase: "x" });
    session.close();
    phase("one"); log("two", 2); console.warn({ a: 1 }); await sleep("1h30m"); await sleep(5);
    const { topic } = args as { topic: string };
    const left: number = budget.remaining() + budget.usd.spent() + (budget.total ?? 0) + now();
    try { await agents.run("q") } catch (error) { const e = error as SwarmAgentError; log(e.runId, e.status, e.attempts, e.schemaError, e.text); }
    return { text, withOptions, isOk, kind, notes, named, value, first, answer, topic, left, files: API.list(), source: API.read("agents.d.ts") };`;
  expect(compile({ "good.ts": good })).toBe("");
});

test.each([
  ["an unknown option", 'agents.run("q", { lable: "x" });'],
  ["a wrong type", 'agents.run("q", { retries: "2" });'],
  [
    "text where a schema gives a value",
    'const t: string = await agents.run("q", { schema: { type: "number" } }); log(t);',
  ],
  ["what is not there", "setTimeout(() => {}, 1);"],
  ["a module", 'await agents.approve("x");'],
])("G-011 the types refuse %s", (_what, script) => {
  expect(compile({ "bad.ts": script })).toMatch(/bad\.ts\(\d+,\d+\): error TS/);
});

test("G-011 D-002 the types say what a workflow gets: null where an agent died, the type of a schema, the values of stages", () => {
  const good = `
    const meta: WorkflowMeta = { name: "n", description: "d", phases: ["a", { title: "b", detail: "c" }] };
    const text: string | null = await agent("q", { label: "l", effort: "max", agentType: "Plan", isolation: "worktree", model: null });
    const value = await agent("q", { schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } });
    const isOk: boolean | undefined = value?.ok;
    const all: (string | null)[] = await parallel([() => agent("a"), async () => "b"]);
    const lengths: (number | null)[] = await pipeline(["a"], (one) => agent(one), (two, item, index) => (two ?? item).length + index);
    const other: unknown = await workflow("other", { a: 1 });
    await workflow({ scriptPath: "x.js" });
    return { meta, text, isOk, all, lengths, other, files: API.read("workflow.d.ts") };`;
  expect(compile({ "good.ts": good })).toBe("");
  expect(compile({ "bad.ts": 'const t: string = await agent("q"); return t;' })).toContain(
    "is not assignable to type 'string'",
  );
});

test("G-011 every example fits the declarations", () => {
  const names = readdirSync("examples").filter((name) => /\.(js|ts)$/.test(name));
  const scripts = Object.fromEntries(names.map((name) => [name, readFileSync(join("examples", name), "utf8")]));
  expect(compile(scripts)).toBe("");
});
