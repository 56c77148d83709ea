// The check of a script before it runs: what it says, where, and what it leaves alone.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Language } from "../../src/cli/check/findings.ts";
import { findingsFrom } from "../../src/cli/check/process.ts";
import { findingsOf } from "../../src/cli/check/typescript.ts";

async function said(script: string, language: Language = "js"): Promise<string[]> {
  const found = await findingsOf({ script, language });
  if (!found) throw new Error("TypeScript is not installed");
  return found.map(({ offset, message }) => `${script.slice(offset).split(/[\s,:;(.]/)[0]}: ${message}`);
}

test("G-011 G-003 a wrong option is found, with the name that was meant", async () => {
  expect(await said('return await agents.run("ü", { lable: "x" });')).toEqual([
    expect.stringMatching(/^lable: .*Did you mean to write 'label'\?$/),
  ]);
  expect(await said('return await agents.run("q", { retries: "2" });')).toEqual([
    "retries: Type 'string' is not assignable to type 'number'.",
  ]);
});

test("G-011 names and members that do not exist are found, with the nearest one", async () => {
  const script = 'agnets.spawn("q"); agents.rum("q"); budget.usd.spend(); return [1].includess(1);';
  expect(await said(script)).toEqual([
    "agnets: Cannot find name 'agnets'. Did you mean 'agents'?",
    "rum: Property 'rum' does not exist on type 'Agents'. Did you mean 'run'?",
    expect.stringMatching(/^spend: .*Did you mean 'spent'\?$/),
    "includess: Property 'includess' does not exist on type 'number[]'. Did you mean 'includes'?",
  ]);
});

test("G-011 what other surroundings have is found, with what a script has instead", async () => {
  const script = 'setTimeout(() => {}, 1); process.exit(1); await fetch("https://example.org"); require("node:fs");';
  const lines = await said(script);
  expect(lines.map((line) => line.split(":")[0])).toEqual(["setTimeout", "process", "fetch", '"node']);
  expect(lines[0]).toContain("sleep");
  expect(lines[3]).toContain("A script has no modules");
  expect(lines.join()).not.toContain("npm");
});

test("G-011 too few and too many arguments of the declarations are found", async () => {
  expect(await said("await agents.run(); await sleep(1, 2);")).toEqual([
    "run: Expected 1-2 arguments, but got 0.",
    "2): Expected 1 arguments, but got 2.",
  ]);
});

test("G-011 a promise that nobody waits for is found, and one that is left alone on purpose is not", async () => {
  expect(await said('agents.run("q");\nsleep("1s");')).toEqual([
    expect.stringMatching(/^agents: Nothing waits for this promise/),
    expect.stringMatching(/^sleep: Nothing waits for this promise/),
  ]);
  const fine =
    'void agents.run("q"); agents.run("q").catch(log); agents.spawn("q"); agents.cancel("agt_1"); const run = 1;';
  expect(await said(fine)).toEqual([]);
});

test("D-001 G-011 a workflow is checked with its own names, which a plain script does not have", async () => {
  const meta = 'export const meta = { name: "a", description: "b" };\n';
  const body =
    'const texts = await parallel(["x"].map((x) => () => agent(x, { lable: x })));\nreturn texts.filter(Boolean);';
  expect(await said(meta + body)).toEqual([expect.stringMatching(/^lable: .*Did you mean to write 'label'\?$/)]);
  expect(await said('parallel(["x"].map((x) => () => 1));')).toEqual([expect.stringContaining("Cannot find name")]);
});

test("G-012 JavaScript that runs is not told what types would want", async () => {
  const script = `
    const state = { a: 1 }; state.b = 2; let kind = 1; kind = "one"; const list = []; list.push({ kind });
    function both(first, second) { return first.name + second; }
    for (const file of args.files) log(both(file), performance.now());
    const schema = { type: "object" };
    const answer = await agents.run("q", { schema });
    const child = agents.spawn("q", { schema: { type: "object" } });
    try { log(answer.any.thing, (await child.result).anything); } catch (error) { log(error.status, error.text); }
    return Object.groupBy(list, (one) => one.kind).map;`;
  expect(await said(script)).toEqual([]);
});

test("G-012 TypeScript is told what its types want, and what cannot be stripped", async () => {
  expect(await said('const count: number = await agents.run("q"); return count;', "ts")).toEqual([
    "count: Type 'string' is not assignable to type 'number'.",
  ]);
  expect(await said("enum Kind { A }\nreturn Kind.A;", "ts")).toEqual([expect.stringContaining("Use a plain object")]);
  expect(await said("const { a } = args as { a: string };\nreturn a satisfies string;", "ts")).toEqual([]);
});

test("G-012 a text that does not parse is told with its place alone", async () => {
  const found = await said("const a = ;\nagnets.run();");
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^: Expression expected/);
});

test("G-011 a script cannot make the check read files of the machine", async () => {
  const path = join(process.cwd(), "package.json");
  const script = `type Read = typeof import(${JSON.stringify(path)}); const read: Read = 1 as never; return read.version;`;
  const text = JSON.stringify(await said(script, "ts"));
  expect(text).toContain("Cannot find module");
  expect(text).not.toContain("0.1.0");
});

test("G-011 no example is warned of", async () => {
  for (const name of readdirSync("examples").filter((one) => /\.(js|ts)$/.test(one))) {
    const script = readFileSync(join("examples", name), "utf8");
    expect({ name, said: await said(script, name.endsWith("ts") ? "ts" : "js") }).toEqual({ name, said: [] });
  }
});

test("G-011 a check that is given up ends at once and says nothing", async () => {
  const slow = 'log(await agents.run("q", { schema: { type: "object", properties: { a: { type: "array" } } } }));\n';
  const stop = new AbortController();
  const found = findingsFrom({ script: slow.repeat(2_000), language: "js" }, stop.signal);
  stop.abort();
  expect(await found).toBeUndefined();
});
