// What the scripts that people already have rely on: agent, parallel, pipeline and workflow, with the
// values, the nulls and the errors that they expect, over restarts.

import { expect, test } from "vitest";
import type { SubmitInput } from "../../src/contract/api.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

const META = "export const meta = { name: 'audit', description: 'Audits' }\n";
const DIALECT = {
  models: { haiku: "test:small" },
  agentTypes: { Explore: "reader" },
  agentsMax: 1000,
  workflowFolders: [],
};
const READER = { id: "reader", model: "test:reader", instructions: undefined, allowedAgents: undefined };

const submit = (world: World, body: string, more?: Partial<SubmitInput>): Promise<RunRecord> =>
  world.submit(META + body, more);
const run = (world: World, body: string, more?: Partial<SubmitInput>): Promise<RunRecord> =>
  world.run(META + body, more);
const censusOf = async (world: World, { runId }: RunRecord) => (await world.runtime.runDetail(OPERATOR, runId)).census;

test("D-001 a workflow runs as the body of an async function, named by its meta, which it can read", async () => {
  const world = await openWorld();
  const done = await run(world, "const { name } = meta; return [name, await 2, typeof agent, typeof agents.run];");
  expect(done).toMatchObject({ state: "done", name: "audit", result: ["audit", 2, "function", "function"] });
});

test("D-001 a plain script sees none of the dialect's names and may use them for itself", async () => {
  const world = await openWorld();
  const script = "return [typeof agent, typeof parallel, typeof pipeline, typeof workflow];";
  expect((await world.run(script)).result).toEqual(["undefined", "undefined", "undefined", "undefined"]);
  expect((await world.run("const agent = 1; function parallel() { return agent } return parallel();")).result).toBe(1);
});

test("D-001 an error in a workflow stands at its own line and column", async () => {
  const world = await openWorld();
  const failed = await run(world, "\n  throw new Error('no')");
  expect(failed).toMatchObject({ state: "failed", error: { place: { file: "script.js", line: 3, column: 13 } } });
  await expect(submit(world, "const a = ;")).rejects.toMatchObject({
    code: "script_syntax",
    place: { line: 2, column: 11 },
  });
  await expect(submit(world, "export const b = 1")).rejects.toMatchObject({
    code: "script_syntax",
    place: { line: 2, column: 1 },
  });
  await expect(world.submit(`return 1\n${META}`)).rejects.toMatchObject({
    message: expect.stringContaining("export const meta has to be the first statement"),
  });
  await expect(world.submit(`let a: number = 1\n${META}`, { language: "ts" })).rejects.toMatchObject({
    message: expect.stringContaining("export const meta has to be the first statement"),
  });
});

test("D-001 a workflow may be TypeScript", async () => {
  const world = await openWorld();
  expect((await run(world, "const a: number = 1; return a as number;", { language: "ts" })).result).toBe(1);
});

test("D-002 agent gives the text, or the value that fits its schema", async () => {
  const world = await openWorld();
  const begun = await submit(world, "return [await agent('one'), await agent('two', { schema: { type: 'object' } })];");
  (await world.hand.started("one")).done("text");
  const two = await world.hand.started("two");
  expect(two.work.schema).toEqual({ type: "object" });
  two.end({ status: "done", text: "{}", structured: { a: 1 } });
  expect((await world.ended(begun.runId)).result).toEqual(["text", { a: 1 }]);
});

test("D-002 agent gives null when its agent died, timed out or was stopped, and goes on", async () => {
  const world = await openWorld();
  const script =
    "return parallel([() => agent('dies'), () => agent('late', { timeoutMs: 50 }), () => agent('stopped')]);";
  const begun = await submit(world, script);
  (await world.hand.started("dies")).end({ status: "failed", error: "http 400", retryable: false });
  await world.hand.started("late");
  const { work } = await world.hand.started("stopped");
  await world.runtime.stop(OPERATOR, work.childId, "not needed");
  await world.clock.advance(60);
  expect(await world.ended(begun.runId)).toMatchObject({ state: "done", result: [null, null, null] });
});

test("D-002 agent throws when its answer did not fit the schema, with the last validation failure", async () => {
  const world = await openWorld();
  const script =
    "try { await agent('x', { schema: { type: 'object' } }) } catch (e) { return [e.name, e.status, e.schemaError] }";
  const begun = await submit(world, script);
  const schemaError = "/age must be number";
  (await world.hand.started("x")).end({ status: "failed", error: "did not fit", schemaError, retryable: false });
  expect((await world.ended(begun.runId)).result).toEqual(["SwarmAgentError", "failed", schemaError]);
});

test("D-002 an agent that was never started throws: that is the script's mistake or a limit, not a death", async () => {
  const world = await openWorld();
  const failed = await run(world, "return agent('x', { model: 'nowhere:model' });");
  expect(failed.error?.message).toContain("nowhere:model");
});

test("D-003 options of an agent travel: label, phase, effort; null counts as not given, and one that is unknown is ignored and warned of", async () => {
  const world = await openWorld();
  const script = `phase('Scan'); return agent('x', { label: 'l', model: null, effort: 'xhigh', lable: 'y', phase: undefined });`;
  const begun = await submit(world, script);
  const { work, done } = await world.hand.started("x");
  expect(work.thinking).toBe("high");
  done("ok");
  await world.ended(begun.runId);
  const { children, census } = await world.runtime.runDetail(OPERATOR, begun.runId);
  expect(children[0]).toMatchObject({ label: "l", phase: "Scan" });
  expect(census.warnings).toEqual(['agent: the option "lable" is unknown and ignored; did you mean "label"?']);
});

test("D-003 isolation is accepted with a warning, once: agents have no files; wrong values are TypeErrors", async () => {
  const world = await openWorld();
  const script = `
    const wrong = [];
    for (const options of [{ effort: 'huge' }, { isolation: 'container' }, { schema: 1 }, { agentType: 5 }, 7]) {
      try { agent('x', options) } catch (e) { wrong.push(e.name + ': ' + e.message.slice(0, 30)) }
    }
    try { agent(5) } catch (e) { wrong.push(e.name) }
    await Promise.all([agent('a', { isolation: 'worktree' }), agent('b', { isolation: 'worktree' })]);
    return wrong;`;
  const begun = await submit(world, script);
  for (const prompt of ["a", "b"]) (await world.hand.started(prompt)).done("ok");
  const done = await world.ended(begun.runId);
  expect(done.result).toEqual([
    'TypeError: agent: option effort must be "',
    "TypeError: agent: option isolation must b",
    "TypeError: agent: option schema must be a",
    "TypeError: agent: option agentType must b",
    "TypeError: agent: options must be an obje",
    "TypeError",
  ]);
  expect((await censusOf(world, done)).warnings).toEqual([
    expect.stringContaining('isolation "worktree" makes no difference'),
  ]);
});

test("D-004 parallel is a barrier that never rejects: a thunk that throws gives null", async () => {
  const world = await openWorld();
  const script = `return parallel([() => agent('a'), () => { throw new Error('x') }, async () => { throw 1 }, () => 4, () => undefined]);`;
  const begun = await submit(world, script);
  (await world.hand.started("a")).done("A");
  expect((await world.ended(begun.runId)).result).toEqual(["A", null, null, 4, null]);
});

test("D-004 pipeline has no barrier: an item goes on while others wait; a throwing stage drops it; order stays", async () => {
  const world = await openWorld();
  const script = `
    return pipeline(['a', 'b', 'c'],
      (previous, item, index) => { if (index === 2) throw new Error('no c'); return agent('one ' + previous) },
      (previous, item, index) => agent('two ' + previous + item + index),
      (previous, item, index) => [previous, item, index]);`;
  const begun = await submit(world, script);
  (await world.hand.started("one b")).done("B");
  // The first item is still in its first stage.
  (await world.hand.started("two Bb1")).done("BB");
  (await world.hand.started("one a")).done("A");
  (await world.hand.started("two Aa0")).done("AA");
  expect((await world.ended(begun.runId)).result).toEqual([["AA", "a", 0], ["BB", "b", 1], null]);
});

test("D-004 parallel and pipeline take 4096 items and refuse one more, and say what is wrong with anything else", async () => {
  const world = await openWorld();
  const script = `
    const wrong = [];
    const attempt = (run) => { try { run() } catch (e) { wrong.push(e.name + ': ' + e.message) } };
    const many = new Array(4097).fill(() => 1);
    attempt(() => parallel(many)); attempt(() => pipeline(many, (x) => x));
    attempt(() => parallel(5)); attempt(() => parallel([agent])); attempt(() => parallel([() => 1, Promise.resolve(1)]));
    attempt(() => pipeline('ab', (x) => x)); attempt(() => pipeline([1])); attempt(() => pipeline([1], 5));
    many.pop();
    return [wrong, (await parallel(many)).length, (await pipeline(many, () => 2)).length, await parallel([]), await pipeline([], (x) => x)];`;
  const { result } = await run(world, script);
  expect(result).toEqual([
    [
      "TypeError: parallel: thunks must have at most 4096 entries, got 4097",
      "TypeError: pipeline: items must have at most 4096 entries, got 4097",
      "TypeError: parallel: thunks must be an array, got the number 5",
      "TypeError: parallel: thunks[1] must be a function such as () => agent(…), got an object",
      'TypeError: pipeline: items must be an array, got the text "ab"',
      "TypeError: pipeline: at least one stage must follow the items",
      "TypeError: pipeline: stage 1 must be a function, got the number 5",
    ],
    4096,
    4096,
    [],
    [],
  ]);
});

test("D-005 D-013 args is what was given, verbatim, and undefined when nothing was", async () => {
  const world = await openWorld();
  const script = "return { type: typeof args, args };";
  expect((await run(world, script)).result).toEqual({ type: "undefined" });
  expect((await run(world, script, { args: "just text" })).result).toEqual({ type: "string", args: "just text" });
  expect((await run(world, script, { args: { a: [1] } })).result).toEqual({ type: "object", args: { a: [1] } });
});

test("D-005 without a target, budget has no total and what remains is infinite", async () => {
  const world = await openWorld();
  expect((await run(world, "return [budget.total, budget.remaining() === Infinity];")).result).toEqual([null, true]);
});

test("D-006 the agents of a run are counted, and the one above the limit throws; a lower one can be configured", async () => {
  const world = await openWorld({ dialect: { ...DIALECT, agentsMax: 2 } });
  const script =
    "const all = [agent('a'), agent('b')]; try { agent('c') } catch (e) { return [e.message, await Promise.all(all)] }";
  const begun = await submit(world, script);
  for (const prompt of ["a", "b"]) (await world.hand.started(prompt)).done("ok");
  expect((await world.ended(begun.runId)).result).toEqual([
    "agent: this run has started 2 agents, and may start no more",
    ["ok", "ok"],
  ]);
});

test("D-007 Date and Math.random work, and a restart in between changes neither", async () => {
  const world = await openWorld();
  const begun = await submit(
    world,
    "const a = [Date.now(), new Date().getTime(), Math.random()]; await agent('x'); return Math.random() < 1 && a[0] > 0 && a[2] < 1;",
  );
  await world.hand.started("x");
  await world.restart();
  (await world.hand.started("x")).done("ok");
  expect((await world.ended(begun.runId)).result).toBe(true);
});

test("D-012 names of other products go where the configuration says; one that is mapped to nothing runs on the default with its name in the brief and a warning in the census", async () => {
  const world = await openWorld({ dialect: DIALECT, agents: { reader: READER } });
  const script = `await agent('a', { model: 'haiku', agentType: 'Explore' });
    await agent('b', { model: 'opus', agentType: 'Plan' });
    await agent('c', { model: 'test:own', agentType: 'reader' });
    await agent('d', { model: 'inherit' });
    await agent('e', { model: 'opus' });`;
  const begun = await submit(world, script);
  const expected = [
    ["a", { model: "test:small", agentId: "reader" }],
    ['You are asked as an agent of the type "Plan".\n\nb', { model: "test:hand", agentId: undefined }],
    ["c", { model: "test:own", agentId: "reader" }],
    ["d", { model: "test:hand" }],
    ["e", { model: "test:hand" }],
  ] as const;
  for (const [prompt, route] of expected) {
    const { work, done } = await world.hand.started(prompt);
    expect(work).toMatchObject(route);
    done("ok");
  }
  const { warnings } = await censusOf(world, await world.ended(begun.runId));
  expect(warnings).toEqual([
    'agent: model "opus" is mapped to nothing in dialect.models; the run\'s own model answers instead',
    'agent: agentType "Plan" is mapped to nothing in dialect.agentTypes; the default agent does its work',
  ]);
});

test("D-012 a strict run refuses a name that is mapped to nothing", async () => {
  const world = await openWorld({ dialect: DIALECT });
  const failed = await run(world, "await agent('a', { agentType: 'Plan' });", { strict: true });
  expect(failed.error?.message).toBe(
    'TypeError: agent: agentType "Plan" is mapped to nothing in dialect.agentTypes, and the run is strict',
  );
});
