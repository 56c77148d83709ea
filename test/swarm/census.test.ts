// A run whose agents died is never simply "done" to whoever asks for it: every way to ask for a run that has
// ended tells how each of its children ended.

import { expect, test } from "vitest";
import type { RunRecord } from "../../src/contract/records.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

const META = "export const meta = { name: 'audit', description: 'Audits' }\n";
const BODY = `
  const settled = await Promise.allSettled(['fails', 'misfits', 'stopped', 'late', 'empty', 'done'].map((p) =>
    agents.run(p, { label: p, timeoutMs: p === 'late' ? 1000 : undefined })));
  return settled.length;`;

async function endedRun(world: World, script: string): Promise<RunRecord> {
  const begun = await world.submit(script);
  const end = async (prompt: string, error: string, schemaError?: string): Promise<void> =>
    (await world.hand.started(prompt)).end({ status: "failed", error, schemaError, retryable: false });
  await end("fails", "http 400");
  await end("misfits", "no", "/a is missing");
  (await world.hand.started("empty")).done("");
  (await world.hand.started("done")).done("ok");
  await world.runtime.stop(OPERATOR, (await world.hand.started("stopped")).work.childId, "enough");
  await world.hand.started("late");
  await world.clock.advance(1_001);
  return world.ended(begun.runId);
}

const COUNTS = { done: 1, failed: 2, killed: 1, timeout: 1, schema: 1, warnings: [] };
const PROBLEMS = [
  ["empty", "failed", "The child's final text is empty."],
  ["fails", "failed", "http 400"],
  ["late", "timeout", expect.any(String)],
  ["misfits", "failed", "/a is missing"],
  ["stopped", "killed", "enough"],
];

test.each([
  ["a workflow", META + BODY],
  ["a plain script", BODY],
])(
  "D-010 B-031 B-038 %s whose agents died says so wherever it is asked for, each with label and reason",
  async (_what, script) => {
    const world = await openWorld();
    const ended = await endedRun(world, script);
    const { runId } = ended;
    const { census } = await world.runtime.runDetail(OPERATOR, runId);
    const told = [ended.census, (await world.runtime.run(OPERATOR, runId)).census, census];
    const { completed } = await world.runtime.wait(OPERATOR, [runId], 1);
    told.push(completed[0]?.census);
    for (const one of told) {
      expect(one).toMatchObject(COUNTS);
      expect(one?.problems.map(({ label, status, reason }) => [label, status, reason]).sort()).toEqual(PROBLEMS);
    }
    await world.restart();
    expect((await world.runtime.run(OPERATOR, runId)).census).toEqual(ended.census);
  },
);

test("D-010 a run whose agents all succeeded has a census without problems, and its wait is a plain record", async () => {
  const world = await openWorld();
  const begun = await world.submit("return agents.run('a');");
  expect((await world.runtime.run(OPERATOR, begun.runId)).census).toBeUndefined();
  (await world.hand.started("a")).done("ok");
  expect((await world.ended(begun.runId)).census).toMatchObject({ done: 1, problems: [], warnings: [] });
  expect((await world.runtime.wait(OPERATOR, [begun.runId], 1)).completed[0]).not.toHaveProperty("census");
});

test("D-010 a run that failed carries the census of the agents it had until then", async () => {
  const world = await openWorld();
  const begun = await world.submit("await agents.run('a', { label: 'first' });");
  (await world.hand.started("a")).end({ status: "failed", error: "http 500", retryable: false });
  const failed = await world.ended(begun.runId);
  expect(failed).toMatchObject({
    state: "failed",
    census: { failed: 1, problems: [{ label: "first", reason: "http 500" }] },
  });
});
