// A workflow calls a saved one: in the same run, with an args of its own, one level deep, out of what was
// saved when the run was submitted.

import { expect, test } from "vitest";
import type { SavedWorkflow } from "../../src/contract/api.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

const META = "export const meta = { name: 'outer', description: 'x' }\n";
const saved = (name: string, body: string, language: "js" | "ts" = "js"): SavedWorkflow => ({
  name,
  language,
  path: `.claude/workflows/${name}.${language}`,
  script: `// ${name}\nexport const meta = { name: '${name}', description: 'x' };\n${body}`,
});

const run = (world: World, body: string, workflows: SavedWorkflow[], args?: string) =>
  world.run(META + body, { workflows, ...(args === undefined ? {} : { args }) });

test("D-005 D-008 workflow(name, args) runs a saved one with its own args and gives its result; the caller's args stay", async () => {
  const world = await openWorld();
  const inner = saved("inner", "const own = args; return { own, name: meta.name, type: typeof args };");
  const script = "return [await workflow('inner', { a: [1] }), await workflow('inner'), args];";
  expect((await run(world, script, [inner], "outer's")).result).toEqual([
    { own: { a: [1] }, name: "inner", type: "object" },
    { name: "inner", type: "undefined" },
    "outer's",
  ]);
});

test("D-005 a called workflow cannot call a third, and may use the name itself", async () => {
  const world = await openWorld();
  const inner = saved("inner", "try { await workflow('inner') } catch (e) { return e.message }");
  const own = saved("own", "const workflow = (name) => 'own ' + name; return workflow('x');");
  const { result } = await run(world, "return [await workflow('inner'), await workflow('own')];", [inner, own]);
  expect(result).toEqual(["workflow: a workflow that was called by another one cannot call a third", "own x"]);
});

test("D-005 what a called workflow throws rejects the call, and its mistakes are told with their place", async () => {
  const world = await openWorld();
  const flows = [
    saved("throws", "throw new RangeError('inside')"),
    saved("broken", "const a = ;"),
    saved("typed", "const a: number = 1; return a", "ts"),
  ];
  const script = `const ends = [];
    for (const name of ['throws', 'broken', 'typed']) {
      try { ends.push(await workflow(name)) } catch (e) { ends.push(e.name + ': ' + e.message) }
    }
    return ends;`;
  expect((await run(world, script, flows)).result).toEqual([
    "RangeError: inside",
    expect.stringMatching(/^Error: workflow: \.claude\/workflows\/broken\.js:3:11: /),
    1,
  ]);
});

test("D-005 I-005 an error of a called workflow stands at the line that called it, and in its stack at its own line and column", async () => {
  const world = await openWorld();
  const deep = saved("deep", "function inner() { throw new Error('deep down') }\n  inner();");
  const failed = await run(world, "const first = 1;\n  return workflow('deep');", [deep]);
  expect(failed.error).toMatchObject({ message: "Error: deep down", place: { file: "script.js", line: 3 } });
  const frames = String(failed.error?.details?.stack).split("\n");
  expect(frames[0]).toContain("script.js:3:");
  expect(frames[1]).toMatch(/inner \(\.claude\/workflows\/deep\.js:3:\d+\)$/);
  expect(frames[2]).toMatch(/\.claude\/workflows\/deep\.js:4:\d+\)?$/);
});

test("D-005 an unknown name is an error that says what there is and what was most likely meant", async () => {
  const world = await openWorld();
  const failed = await run(world, "return workflow('reserch');", [saved("research", "return 1")]);
  expect(failed.error?.message).toContain('There is no saved workflow "reserch". Did you mean "research"?');
  const none = await run(world, "return workflow('x');", []);
  expect(none.error?.message).toContain("none is saved");
});

test("D-008 a saved workflow can be named by the file it stands in; any other file cannot be reached", async () => {
  const world = await openWorld();
  const script = `
    const ends = [];
    const paths = ['.claude/workflows/inner.js', './.claude/workflows/inner.js', '/anywhere/project/.claude/workflows/inner.js', '../inner.js', '/etc/passwd'];
    for (const scriptPath of paths) {
      try { ends.push(await workflow({ scriptPath })) } catch (e) { ends.push(e.message.slice(0, 34)) }
    }
    for (const wrong of [5, {}, null, { path: 'x' }, '']) {
      try { workflow(wrong) } catch (e) { ends.push(e.name) }
    }
    return ends;`;
  const { result } = await run(world, script, [saved("inner", "return 'in'")]);
  const unknown = "workflow: There is no saved workfl";
  expect(result).toEqual(["in", "in", "in", unknown, unknown, ...new Array(5).fill("TypeError")]);
});

test("D-005 a called workflow shares the count of agents, the phases and the notes of its run", async () => {
  const dialect = { models: {}, agentTypes: {}, agentsMax: 2, workflowFolders: [] };
  const world = await openWorld({ dialect });
  const inner = saved(
    "inner",
    "phase('inside'); await agent('b'); try { await agent('c') } catch (e) { return e.message }",
  );
  const begun = await world.submit(`${META}await agent('a'); return workflow('inner');`, { workflows: [inner] });
  (await world.hand.started("a")).done("ok");
  (await world.hand.started("b")).done("ok");
  expect((await world.ended(begun.runId)).result).toContain("has started 2 agents");
  const { children } = await world.runtime.runDetail(OPERATOR, begun.runId);
  expect(children.map(({ phase }) => phase)).toEqual([undefined, "inside"]);
});

test("D-005 R-004 a restart while a called workflow waits changes nothing, and it sees what was saved at the submit", async () => {
  const world = await openWorld();
  const inner = saved(
    "inner",
    "let sum = args.n; for (const p of ['a', 'b']) sum += (await agent(p)).length; return sum;",
  );
  const begun = await world.submit(
    `${META}const first = await workflow('inner', { n: 10 }); return [first, await workflow('inner', { n: 1 })];`,
    {
      workflows: [inner],
    },
  );
  (await world.hand.started("a")).done("one");
  await world.hand.started("b");
  await world.restart();
  (await world.hand.started("b")).done("two");
  await world.hand.started("a");
  await world.restart();
  (await world.hand.started("a")).done("1");
  (await world.hand.started("b")).done("2");
  expect((await world.ended(begun.runId)).result).toEqual([16, 3]);
  expect(world.hand.ledger.map(({ prompt }) => prompt)).toEqual(["a", "b", "b", "a", "a", "b"]);
});
