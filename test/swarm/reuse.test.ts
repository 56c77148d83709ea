// Resubmitting an edited script over a real runtime: what is unchanged is taken from the run before, and the
// runner's ledger shows that it was not asked again.

import { expect, test } from "vitest";
import { submitRequestSchema } from "../../src/contract/api.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

const THREE = `
  const texts = await Promise.all(["a", "b", "c"].map((name) => agents.run(name, { label: name })));
  return texts.join();`;

/** Answers every call that comes with its prompt in capitals, but for those that `fails` names. */
async function serve(world: World, count: number, fails: string[] = []): Promise<void> {
  for (const { work, end } of await world.hand.untilOpen(count)) {
    if (fails.includes(work.prompt)) end({ status: "failed", error: "no", retryable: false });
    else end({ status: "done", text: work.prompt.toUpperCase(), usage: { inputTokens: 7, outputTokens: 3 } });
  }
}

async function firstRun(world: World, script = THREE, fails: string[] = [], count = 3): Promise<string> {
  const { runId } = await world.submit(script);
  await serve(world, count, fails);
  await world.ended(runId);
  return runId;
}

test("D-009 a resubmitted script asks only for what was changed, whatever the order, and says of each call whether it was reused", async () => {
  const world = await openWorld();
  const first = await firstRun(world);
  const edited = `
    phase("again");
    const texts = await Promise.all(["c", "new", "a"].map((name) => agents.run(name)));
    return { texts, spent: budget.spent() };`;
  const { runId } = await world.submit(edited, { reuse: first });
  await serve(world, 1);
  const run = await world.ended(runId);
  expect(run).toMatchObject({ state: "done", reuse: first, result: { texts: ["C", "NEW", "A"], spent: 10 } });
  expect(world.hand.ledger.map(({ prompt }) => prompt)).toEqual(["a", "b", "c", "new"]);
  const { children, census } = await world.runtime.runDetail(OPERATOR, runId);
  expect(children.map(({ prompt, reusedFrom }) => [prompt, reusedFrom?.slice(-2)])).toEqual([
    ["c", "_5"],
    ["new", undefined],
    ["a", "_1"],
  ]);
  expect(census).toMatchObject({ done: 3, reused: 2 });
});

test("D-009 a call that failed is made again; the ones that were done are not", async () => {
  const world = await openWorld();
  const script = `
    const settled = await Promise.allSettled(["a", "b", "c"].map((name) => agents.run(name)));
    return settled.map(({ status, value }) => value ?? status);`;
  const first = await firstRun(world, script, ["b"]);
  const { runId } = await world.submit(script, { reuse: first });
  await serve(world, 1);
  expect((await world.ended(runId)).result).toEqual(["A", "B", "C"]);
  expect(world.hand.ledger.map(({ prompt }) => prompt)).toEqual(["a", "b", "c", "b"]);
});

test("D-009 R-004 reuse goes on after a restart in the middle of the run", async () => {
  const world = await openWorld();
  const script = `const out = []; for (const name of ["a", "b", "c"]) out.push(await agents.run(name)); return out;`;
  const { runId: first } = await world.submit(script);
  for (const name of ["a", "b", "c"]) (await world.hand.started(name)).done(name.toUpperCase());
  await world.ended(first);
  const { runId } = await world.submit(script.replace('"a"', '"x"'), { reuse: first });
  await world.hand.untilOpen(1);
  await world.restart();
  (await world.hand.started("x")).done("X");
  expect((await world.ended(runId)).result).toEqual(["X", "B", "C"]);
  expect(world.hand.ledger.map(({ prompt }) => prompt)).toEqual(["a", "b", "c", "x", "x"]);
});

test("D-009 many reused calls take no place in the lanes of the others", async () => {
  const world = await openWorld({ swarm: { maxConcurrent: 2 } });
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const script = (list: string[]): string =>
    `return (await Promise.all(${JSON.stringify(list)}.map((name) => agents.run(name)))).length;`;
  const { runId: first } = await world.submit(script(names));
  for (const name of names) (await world.hand.started(name)).done("ok");
  await world.ended(first);
  const { runId } = await world.submit(script([...names, "late", "later"]), { reuse: first });
  await serve(world, 2);
  expect((await world.ended(runId)).result).toBe(22);
  expect(world.hand.ledger).toHaveLength(22);
});

test("D-009 S-014 a run to reuse that is unknown, foreign or archived is not_found, and no run is made", async () => {
  const world = await openWorld();
  const first = await firstRun(world);
  const request = submitRequestSchema.parse({ script: THREE, reuse: first });
  const stranger = { sessionKey: "stranger", operator: false };
  await expect(world.runtime.submit(stranger, request)).rejects.toMatchObject({ code: "not_found" });
  await expect(world.submit(THREE, { reuse: "run_0" })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("run_0"),
  });
  const isArchived = async (): Promise<boolean> => {
    world.clock.advance(60 * 60_000);
    return (await world.runtime.run(OPERATOR, first)).archivedAt !== undefined;
  };
  await expect.poll(isArchived, { timeout: 30_000 }).toBe(true);
  await expect(world.submit(THREE, { reuse: first })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("archived"),
  });
  expect((await world.runtime.runs(OPERATOR, {})).rows).toHaveLength(1);
});
