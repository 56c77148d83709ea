// Forks over a real runtime: every kept turn of a run is the beginning of another one, and neither run can
// hurt the other. The runner's ledger shows what was paid.

import { expect, test } from "vitest";
import type { ForkInput } from "../../src/contract/api.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";
import { eventually, fork, prompts, untilTurn } from "./fork-support.ts";

/** Closures, a Map, a timer, a race and a loop: what a script is made of. */
const RICH = `
  const seen = new Map();
  const note = ((log) => (name, text) => { seen.set(name, text); log.push(name); return log.length; })([]);
  phase("first");
  const both = ["a", "b"].map((name) => agents.run(name, { label: name }).then((text) => note(name, text)));
  const winner = await Promise.race(both);
  await Promise.all(both);
  phase("second");
  await sleep(1000);
  const last = await agents.run("c after " + [...seen.values()].join("+"));
  return { winner, seen: [...seen], last };`;

/** Runs RICH to its end; "b" comes before "a". */
async function original(world: World): Promise<RunRecord> {
  const { runId } = await world.submit(RICH, { keepHistory: 20 });
  await world.hand.untilOpen(2);
  (await world.hand.started("b")).done("B");
  await untilTurn(world, runId, 2);
  (await world.hand.started("a")).done("A");
  await untilTurn(world, runId, 3);
  world.clock.advance(1_000);
  (await world.hand.started("c after B+A")).done("C");
  return world.ended(runId);
}

/** Lets the sleep of RICH pass and answers what it asks then. */
async function answerLast(world: World, prompt: string, text: string): Promise<void> {
  const isAsked = (): boolean => {
    world.clock.advance(1_000);
    return [...world.hand.open.values()].some(({ work }) => work.prompt === prompt);
  };
  await eventually(isAsked).toBe(true);
  (await world.hand.started(prompt)).done(text);
}

test("R-008 a fork of each kept turn, with nothing changed, gives the original's result and asks only for what came later", async () => {
  const world = await openWorld();
  const first = await original(world);
  const { points } = await world.runtime.history(OPERATOR, first.runId);
  expect(points.map(({ turn }) => turn)).toEqual([1, 2, 3, 4]);
  for (const { turn, phase } of points) {
    const before = world.hand.ledger.length;
    const forked = await fork(world, first.runId, { at: turn });
    expect(forked).toMatchObject({ turn, phase, forkedFrom: { runId: first.runId, turn } });
    if (turn < 4) await answerLast(world, "c after B+A", "C");
    const ended = await world.ended(forked.runId);
    expect(ended).toMatchObject({ state: "done", result: first.result });
    expect(prompts(world).slice(before)).toEqual(turn < 4 ? ["c after B+A"] : []);
  }
});

test("R-008 with a changed answer a fork goes another way, and the original and its other forks do not", async () => {
  const world = await openWorld();
  const first = await original(world);
  const { pending } = await world.runtime.pointDetail(OPERATOR, first.runId, 1);
  const callOfA = pending.find((call) => call.answer?.value === "A")?.callId ?? 0;
  const forked = await fork(world, first.runId, { at: 1, answers: [{ callId: callOfA, value: "changed" }] });
  await answerLast(world, "c after B+changed", "other");
  const ended = await world.ended(forked.runId);
  expect(ended.result).toEqual({
    winner: 1,
    seen: [
      ["b", "B"],
      ["a", "changed"],
    ],
    last: "other",
  });
  const { children } = await world.runtime.runDetail(OPERATOR, forked.runId);
  expect(children.map(({ result, answerSet, reusedFrom }) => [result, answerSet, reusedFrom !== undefined])).toEqual([
    ["changed", true, false],
    ["B", undefined, true],
    ["other", undefined, false],
  ]);
  expect((await world.runtime.run(OPERATOR, first.runId)).result).toEqual(first.result);
});

test("R-008 a fork of a fork", async () => {
  const world = await openWorld();
  const first = await original(world);
  const second = await fork(world, first.runId, { at: 1 });
  await answerLast(world, "c after B+A", "C2");
  await world.ended(second.runId);
  const { points, run } = await world.runtime.history(OPERATOR, second.runId);
  expect(points[0]?.turn).toBe(1);
  const { pending } = await world.runtime.pointDetail(OPERATOR, second.runId, 1);
  expect(pending).toHaveLength(2);
  const third = await fork(world, second.runId, {
    at: 1,
    answers: [{ callId: pending[1]?.callId ?? 0, value: "bee" }],
  });
  await answerLast(world, "c after bee+A", "C3");
  expect(await world.ended(third.runId)).toMatchObject({
    result: {
      seen: [
        ["b", "bee"],
        ["a", "A"],
      ],
      last: "C3",
    },
    forkedFrom: { runId: run.runId, turn: 1 },
  });
});

test("R-008 the ids that a script holds mean the fork's own children: waits, cancellations, failures", async () => {
  const world = await openWorld();
  const script = `
    const [one, two, three] = ["a", "b", "c"].map((name) => agents.spawn(name, { label: name }));
    await agents.run("go");
    const { completed, pending } = await agents.wait([one.runId, two.runId, three.runId]);
    await two.cancel("enough");
    const cancelled = await two.result.catch((error) => error.status);
    const failure = await three.result.catch((error) => error.runId === three.runId && error.code);
    return [completed.map(({ runId }) => runId === one.runId), pending.includes(two.runId), cancelled, failure];`;
  const { runId } = await world.submit(script, { keepHistory: 5 });
  await world.hand.untilOpen(4);
  const runs = [runId, (await fork(world, runId)).runId];
  (await world.hand.started("a")).done("A");
  (await world.hand.started("c")).end({ status: "failed", error: "no", retryable: false });
  (await world.hand.started("go")).done("go");
  for (const id of runs) {
    expect((await world.ended(id)).result).toEqual([[true, false], true, "killed", "child_failed"]);
  }
});

test("R-008 B-002 an approval that waits is asked again for the fork, and each is decided by itself", async () => {
  const world = await openWorld();
  const script = `const { approved } = await approve("Go?"); return approved;`;
  const { runId } = await world.submit(script, { keepHistory: 5 });
  await untilTurn(world, runId, 1);
  const forked = await fork(world, runId);
  const { rows } = await world.runtime.approvals(OPERATOR, {}, {});
  expect(rows.map((row) => row.runId).sort()).toEqual([runId, forked.runId].sort());
  for (const { approvalId, runId: of } of rows) {
    await world.runtime.decide(OPERATOR, approvalId, { decision: of === runId ? "approve" : "reject" });
  }
  expect([(await world.ended(runId)).result, (await world.ended(forked.runId)).result]).toEqual([true, false]);
});

test("R-008 G-013 two forks of one turn do not share a random stream, and their new children have ids of their own", async () => {
  const world = await openWorld();
  const script = `
    await sleep(1000);
    const number = Math.random();
    const child = agents.spawn("x");
    await child.result;
    return { number, id: child.runId };`;
  const { runId } = await world.submit(script, { keepHistory: 5 });
  await untilTurn(world, runId, 1);
  const runs = [runId, (await fork(world, runId)).runId, (await fork(world, runId)).runId];
  world.clock.advance(1_000);
  for (const started of await world.hand.untilOpen(3)) started.done("X");
  const results = await Promise.all(
    runs.map(async (id) => (await world.ended(id)).result as { number: number; id: string }),
  );
  expect(new Set(results.map(({ number }) => number)).size).toBe(3);
  expect(results.map(({ id }) => id.slice(4, 36))).toEqual(runs.map((id) => id.slice(4)));
});

test("R-008 D-009 a fork may reuse what the original asked later", async () => {
  const world = await openWorld();
  const first = await original(world);
  const forked = await fork(world, first.runId, { at: 1, reuse: first.runId });
  await untilTurn(world, forked.runId, 2);
  const isOver = async (): Promise<string> => {
    world.clock.advance(1_000);
    return (await world.runtime.run(OPERATOR, forked.runId)).state;
  };
  await eventually(isOver).toBe("done");
  expect((await world.ended(forked.runId)).result).toEqual(first.result);
  expect(prompts(world)).toHaveLength(3);
});

test("R-008 bad input says what is wrong, and leaves no run behind", async () => {
  const world = await openWorld();
  const first = await original(world);
  const refused = (input: ForkInput) => expect(fork(world, first.runId, input)).rejects;
  await refused({ at: 9 }).toMatchObject({ code: "turn_not_kept", message: expect.stringContaining("1 to 4") });
  await refused({ at: 1, answers: [{ callId: 99, value: 1 }] }).toMatchObject({
    code: "call_not_pending",
    message: expect.stringMatching(/pending were 2, 4/),
  });
  await refused({ at: 1, answers: [{ callId: 2, value: 1 }] }).toMatchObject({ code: "answer_type" });
  const stranger = { sessionKey: "stranger", operator: false };
  await expect(world.runtime.fork(stranger, first.runId, { answers: [] })).rejects.toMatchObject({ code: "not_found" });
  const bare = await world.submit("await sleep(1000);");
  await untilTurn(world, bare.runId, 1);
  await expect(fork(world, bare.runId)).rejects.toMatchObject({ code: "turn_not_kept" });
  expect((await world.runtime.runs(OPERATOR, {})).rows).toHaveLength(2);
});
