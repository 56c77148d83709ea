// Kept turns over a real runtime: what a person sees of a run's past.

import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";

const STEPS = `
  const out = [];
  for (const name of ["a", "b", "c"]) {
    phase(name);
    out.push(await agents.run(name, { label: name }));
  }
  return out.join("");`;

test("R-008 the last turns of a run can be looked at while it goes on, after its end and after a restart", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(STEPS, { keepHistory: 2 });
  for (const name of ["a", "b"]) (await world.hand.started(name)).done(name.toUpperCase());
  await world.hand.started("c");
  const look = () => world.runtime.history(OPERATOR, runId);
  expect((await look()).points.map(({ turn, phase, pendingCalls }) => [turn, phase, pendingCalls])).toEqual([
    [2, "b", 1],
    [3, "c", 1],
  ]);
  (await world.hand.started("c")).done("C");
  await world.ended(runId);
  await world.restart();
  expect((await look()).points.map(({ turn }) => turn)).toEqual([2, 3]);
  const { point, pending, children } = await world.runtime.pointDetail(OPERATOR, runId, 2);
  expect(point.phase).toBe("b");
  expect(pending).toMatchObject([{ line: 5, answer: { turn: 3, ok: true, value: "B" } }]);
  expect(children.map(({ label, status }) => [label, status])).toEqual([
    ["a", "done"],
    ["b", "running"],
  ]);
});

test("R-008 without keepHistory nothing is kept; the configuration can say otherwise for all runs", async () => {
  const world = await openWorld();
  const { runId } = await world.submit("return await agents.run('a');");
  await world.hand.started("a");
  expect((await world.runtime.history(OPERATOR, runId)).points).toEqual([]);
  await world.restart({ codeMode: { keepHistoryTurns: 5 } });
  const { runId: next } = await world.submit("return await agents.run('b');");
  await world.hand.started("b");
  expect((await world.runtime.history(OPERATOR, next)).points).toHaveLength(1);
});

test("R-008 S-014 a turn that is not kept and a run of somebody else are told apart from nothing", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(STEPS, { keepHistory: 2 });
  await world.hand.started("a");
  await expect(world.runtime.pointDetail(OPERATOR, runId, 7)).rejects.toMatchObject({ code: "turn_not_kept" });
  const stranger = { sessionKey: "stranger", operator: false };
  await expect(world.runtime.pointDetail(stranger, runId, 1)).rejects.toMatchObject({ code: "not_found" });
  await expect(world.runtime.history(stranger, runId)).rejects.toMatchObject({ code: "not_found" });
});
