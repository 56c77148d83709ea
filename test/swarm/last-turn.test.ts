import { expect, test } from "vitest";
import { OPERATOR, openWorld } from "../support/world.ts";

test("L4 R-001 a run that ended in the middle of its last turn's answers spawns nothing for those after it", async () => {
  const world = await openWorld();
  const run = await world.submit(`
    const next = agents.run("first").then(() => agents.run("second"));
    next.catch(() => {});
    await Promise.all([agents.run("doomed"), next]);`);
  await world.hand.untilOpen(2);
  const doomed = await world.hand.started("doomed");
  const first = await world.hand.started("first");
  // Both end in one moment, so that their answers share a turn; the failure is settled first.
  doomed.end({ status: "failed", error: "no", retryable: false });
  first.done("yes");
  expect((await world.ended(run.runId)).state).toBe("failed");
  const { rows } = await world.runtime.children(OPERATOR, { runId: run.runId }, {});
  expect(rows.map((row) => row.prompt).sort()).toEqual(["doomed", "first"]);
});
