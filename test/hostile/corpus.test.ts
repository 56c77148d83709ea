// Scoreboard row 7: every script of the corpus through the real runtime, with a benign neighbour in progress on
// the same worker, and a witness that lives from the first script to the last.

import { afterAll, beforeAll, expect, test } from "vitest";
import { integrityOf } from "../registry/files.ts";
import { confront } from "./support/confront.ts";
import { Neighbour, Witness } from "./support/neighbour.ts";
import { type Residue, residueOf, residueProblems } from "./support/residue.ts";
import { CATEGORIES, type Category, type HostileScript, readCorpus } from "./support/script.ts";
import { type HostileWorld, openHostileWorld } from "./support/world.ts";

const SCRIPTS_MIN = 60;
/** Takes its worker thread with it, so that memory is compared without what a long-lived thread keeps for itself. */
const LAST = "cpu/huge-array-reverse";
/** Makes the allocator take what it keeps for ever anyway, before memory is compared. */
const WARM_UP = ["memory/answer-that-does-not-fit", "memory/result-at-the-limit", "bridge/text-flood", LAST];

const corpus = readCorpus();
const scripts = (category: Category): [string, HostileScript][] =>
  corpus.filter((script) => script.category === category).map((script) => [script.about, script]);

let world: HostileWorld;
let witness: Witness;
let before: Residue;
let seed = 1;

beforeAll(async () => {
  world = await openHostileWorld();
  for (const name of WARM_UP) expect(await facing(name)).toEqual([]);
  expect(await lonelyNeighbour()).toEqual([]);
  before = await residueOf(world);
  witness = await Witness.begin(world, corpus.length);
});
afterAll(() => world.close());

/** What is wrong with the end of a script, with its neighbour, and with what the gateway did meanwhile. */
async function contained(script: HostileScript): Promise<string[]> {
  const { problems } = await confront(world, script, seed++);
  await witness.step();
  return problems;
}

async function facing(name: string): Promise<string[]> {
  const script = corpus.find((each) => each.name === name);
  return script ? (await confront(world, script, seed++)).problems : [`there is no script ${name}`];
}

async function lonelyNeighbour(): Promise<string[]> {
  const neighbour = await Neighbour.begin(world, "alone", seed++);
  await neighbour.goOn();
  return neighbour.finish();
}

test(`the corpus has at least ${SCRIPTS_MIN} scripts, some in every category, and none twice`, () => {
  const sizes = CATEGORIES.map((category) => scripts(category).length);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(corpus.length).toBeGreaterThanOrEqual(SCRIPTS_MIN);
  expect(new Set(corpus.map(({ text }) => text)).size).toBe(corpus.length);
});

test.each(scripts("cpu"))("C-007 cpu: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("memory"))("C-007 memory: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("stack"))("C-007 stack: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("jobs"))("C-007 G-015 jobs: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("bridge"))("S-008 S-014 bridge: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("tamper"))("tamper: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("escape"))("G-012 escape: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("text"))("text: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("schema"))("G-003 schema: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("result"))("G-010 result: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test.each(scripts("resume"))("R-003 R-004 resume: %s", async (_about, script) => {
  expect(await contained(script)).toEqual([]);
});

test("L7 after all of them nothing of them is left, the witness is right, and the runtime answers", async () => {
  expect(await witness.finish()).toEqual([]);
  expect(await facing(LAST)).toEqual([]);
  expect(await lonelyNeighbour()).toEqual([]);
  const after = await residueOf(world);
  console.log(`hostile: ${corpus.length} scripts contained; ${summary(before)} before, ${summary(after)} after`);
  expect(residueProblems(before, after)).toEqual([]);
  expect(world.runtime.health().storage).toEqual({ ok: true });
  await world.restart(() => expect(integrityOf(`${world.dataDir}/quickswarm.db`)).toBe("ok"));
  expect(await lonelyNeighbour()).toEqual([]);
});

function summary({ rssBytes, workers, hotVms }: Residue): string {
  return `${Math.round(rssBytes / 2 ** 20)} MiB, ${workers} workers, ${hotVms} live VMs`;
}
