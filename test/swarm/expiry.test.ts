import { expect, test } from "vitest";
import { openRegistry } from "../../src/registry/open.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

const DAY_MS = 24 * 3_600_000;

async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

test("C-008 C-007 a run with a pending child never expires, however long the child takes", async () => {
  const world = await openWorld({ codeMode: { snapshotTtlSeconds: 60 } });
  const run = await world.submit(`const kept = [1, 2]; return [await agents.run("takes a year"), kept.length];`);
  await world.hand.started("takes a year");
  for (let day = 0; day < 400; day += 100) {
    world.clock.advance(100 * DAY_MS);
    await aWhile();
  }
  await world.restart();
  expect((await world.runtime.run(OPERATOR, run.runId)).state).toBe("waiting");
  (await world.hand.started("takes a year")).done("worth it");
  expect(await world.ended(run.runId)).toMatchObject({ state: "done", result: ["worth it", 2] });
});

test("C-007 a quarantined run keeps its snapshot for snapshotTtlSeconds and fails for good after that", async () => {
  const world = await openWorld({ codeMode: { snapshotTtlSeconds: 3600 } });
  const run = await world.submit(`return await agents.run("a");`);
  await world.hand.started("a");
  await world.runtime.close();
  const registry = await openRegistry({ dataDir: world.dataDir, clock: world.clock });
  const error = { code: "run_quarantined" as const, message: "It took the gateway down.", next: "Release it." };
  await registry.endRun(run.runId, { state: "quarantined", error }, false, world.clock.now());
  await registry.close();
  await world.restart();
  world.clock.advance(1_800_000);
  await aWhile();
  expect((await world.runtime.run(OPERATOR, run.runId)).state).toBe("quarantined");
  world.clock.advance(1_800_000 + 60_000);
  await expect.poll(async () => (await world.runtime.run(OPERATOR, run.runId)).state).toBe("failed");
  await expect(world.runtime.resume(OPERATOR, run.runId)).rejects.toMatchObject({ code: "wrong_state" });
});
