// Each checker of the hostile suite, shown to go red: a planted fault for everything that it claims to see.

import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { confront } from "./support/confront.ts";
import { BLOCKED_MS_MAX, loopProblems, watchLoop } from "./support/loop-watch.ts";
import { Neighbour, Witness } from "./support/neighbour.ts";
import { RSS_GROWTH_BYTES_MAX, residueOf, residueProblems } from "./support/residue.ts";
import { type HostileScript, parseScript, readCorpus } from "./support/script.ts";
import { type HostileWorld, OPERATOR, openHostileWorld, STRANGER } from "./support/world.ts";

const corpus = readCorpus();

async function testWorld(): Promise<HostileWorld> {
  const world = await openHostileWorld();
  onTestFinished(() => world.close());
  return world;
}

function scriptNamed(name: string, header: string): HostileScript {
  const real = corpus.find((script) => script.name === name);
  if (!real) throw new RangeError(`there is no script ${name}`);
  const code = real.text.replace(/^(\/\/.*\n)+/, "");
  return parseScript(`${name}.js`, `// Planted.\n${header}\n${code}`);
}

test("a wrong code for a real script is found", async () => {
  const world = await testWorld();
  const { end, problems } = await confront(world, scriptNamed("cpu/spin", "// ends: memory_limit | deadlock"), 1);
  expect(end.code).toBe("turn_timeout");
  expect(problems).toEqual([
    expect.stringMatching(/^cpu\/spin: ended as turn_timeout \(.*\), expected memory_limit or deadlock$/),
  ]);
});

test("a wrong value, a wrong message, too many notes and too many children are found", async () => {
  const world = await testWorld();
  const value = await confront(world, scriptNamed("bridge/foreign-key", '// returns: "yours"'), 1);
  expect(value.problems).toEqual(['bridge/foreign-key: ended as returns "mine", expected returns "yours"']);
  const says = await confront(world, scriptNamed("jobs/unhandled", "// ends: unhandled_rejection\n// says: found"), 2);
  expect(says.problems).toEqual([expect.stringMatching(/says .*lost, expected found$/)]);
  const notes = await confront(world, scriptNamed("bridge/huge-note", '// returns: "noted"\n// notes: 2'), 3);
  expect(notes.problems).toEqual(["bridge/huge-note: has 3 notes, at most 2"]);
  const children = await confront(world, scriptNamed("bridge/foreign-key", '// returns: "mine"\n// children: 0'), 4);
  expect(children.problems).toEqual(["bridge/foreign-key: made 1 children, expected 0"]);
});

test("a neighbour whose answer is wrong, and one that was ended, are found", async () => {
  const world = await testWorld();
  const deceived = await Neighbour.begin(world, "a", 1);
  await deceived.goOn();
  expect(await deceived.finish("not what it was told")).toEqual([
    expect.stringMatching(/^the neighbour answered .*, right/),
  ]);
  const ended = await Neighbour.begin(world, "b", 2);
  await world.runtime.stop(OPERATOR, ended.runId);
  expect(await ended.finish()).toEqual([expect.stringMatching(/^the neighbour ended as killed: run_stopped/)]);
});

test("a witness that heard one wrong number is found", async () => {
  const world = await testWorld();
  const witness = await Witness.begin(world, 2);
  await witness.step();
  (await world.runner.started("witness 1")).done("5");
  expect(await witness.finish()).toEqual([expect.stringMatching(/^the neighbour answered/)]);
});

test("a snapshot that still holds what a script let go of is found", async () => {
  const world = await testWorld();
  const kept = parseScript(
    "resume/kept.js",
    `// Keeps it.\n// restarts: 1\n// forgets: hold on to this\n// returns: 4
    const kept = ["hold", "on", "to", "this"];
    const text = kept.join("-");
    await agents.run("hold restart one");
    return text.split("-").length;`,
  );
  const { problems } = await confront(world, kept, 1);
  expect(problems).toEqual(["resume/kept: what it let go of is still in its snapshot"]);
});

test("a header that is not understood stops the suite", () => {
  const parse =
    (header: string): (() => HostileScript) =>
    () =>
      parseScript("cpu/x.js", `${header}\nreturn 1;`);
  expect(parse("// About.\n// ends: turn_timeout")().expectation.codes).toEqual(["turn_timeout"]);
  expect(parse("// About.\n// ends: turn_timout")).toThrow('there is no fault code "turn_timout"');
  expect(parse("// About.\n// end: turn_timeout")).toThrow('no key "end"');
  expect(parse("// About.\n// returns: {")).toThrow(SyntaxError);
  expect(parse("// About.\n// ends: turn_timeout\n// damages: burn")).toThrow('no damage "burn"');
  expect(parse("// About.")).toThrow("does not say its end");
  expect(parse("// ends: turn_timeout")).toThrow("does not say what it does");
  expect(() => parseScript("gpu/x.js", "// About.\n// ends: turn_timeout")).toThrow("no category");
});

test("a live VM, an unfinished run, a worker that is not back, a handle and memory are found as residue", async () => {
  const world = await testWorld();
  const before = await residueOf(world);
  expect(residueProblems(before, await residueOf(world))).toEqual([]);
  const parked = await world.submit(STRANGER, { script: 'await agents.run("hold");' });
  const child = await world.runner.started("hold");
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  const ballast = Buffer.alloc(2 * RSS_GROWTH_BYTES_MAX, 1);
  const found = residueProblems(before, await residueOf(world));
  expect(found).toEqual([
    "hotVms: 1, before 0",
    "running: 1, before 0",
    "unfinishedRuns: 1, before 0",
    expect.stringMatching(/^1 × TCP/),
    expect.stringMatching(/^memory: \d+ MiB more$/),
  ]);
  expect(ballast[0]).toBe(1);
  child.done("over");
  await world.runtime.runEnded(OPERATOR, parked.runId);
  const spinning = await world.submit(STRANGER, { script: "for (;;);" });
  await world.runtime.stop(OPERATOR, spinning.runId);
  expect(residueProblems(before, await residueOf(world))).toContain("workers: 0, before 1");
});

test("a thread that stands still is measured, and standing still for too long is a problem", async () => {
  const watch = await watchLoop();
  const until = performance.now() + 300;
  while (performance.now() < until);
  const blockedMs = await watch.blockedMs();
  watch.end();
  expect(blockedMs).toBeGreaterThanOrEqual(200);
  expect(loopProblems(BLOCKED_MS_MAX)).toEqual([]);
  expect(loopProblems(BLOCKED_MS_MAX + 1)).toHaveLength(1);
});
