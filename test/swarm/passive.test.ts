import { expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/open.ts";
import { testSettings } from "../support/settings.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

test("I-003 R-004 a passive runtime shows what is there and sets nothing going", async () => {
  const world = await openWorld();
  const run = await world.submit(`return await agents.run("a");`);
  await world.hand.started("a");
  await world.runtime.close();
  for (let look = 0; look < 5; look++) {
    const passive = await openRuntime(testSettings(world.dataDir), {
      clock: world.clock,
      runners: [world.hand],
      work: "none",
    });
    const detail = await passive.runDetail(OPERATOR, run.runId);
    expect(detail.run).toMatchObject({ state: "waiting", resumeCrashes: 0 });
    expect(detail.children).toMatchObject([{ status: "running", attempts: 1 }]);
    await passive.close();
  }
  expect(world.hand.ledger).toHaveLength(1);
  await world.restart();
  (await world.hand.started("a")).done("A");
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: "A" });
});

test("I-005 the detail of a failed run shows the line of the script with a caret", async () => {
  const world = await openWorld();
  const run = await world.run(`const x = null;\nx.boom();`);
  const detail = await world.runtime.runDetail(OPERATOR, run.runId);
  expect(detail.run.error?.place).toMatchObject({ line: 2 });
  expect(detail.run.error?.place?.excerpt).toMatch(/^x\.boom\(\);\n *\^$/);
});

test("G-012 G-003 columns of the first line are counted like those of any other", async () => {
  const world = await openWorld();
  const statement = `await agents.run("x", { lable: "a" });`;
  const first = await world.run(statement);
  const second = await world.run(`\n${statement}`);
  expect(first.error?.place).toMatchObject({ line: 1, column: second.error?.place?.column });
  expect(second.error?.place?.line).toBe(2);
});
