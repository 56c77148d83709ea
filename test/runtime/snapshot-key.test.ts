// The key of the snapshots belongs to one database.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/open.ts";
import { testSettings } from "../support/settings.ts";
import { OPERATOR, openWorld } from "../support/world.ts";

test("R-003 L6 another key than the database's own is refused at the start, and no run is touched", async () => {
  const world = await openWorld();
  const { runId } = await world.submit(`let n = 1; n += await agents.run("a") === "A" ? 1 : 0; return n;`);
  await world.hand.started("a");
  await world.runtime.close();
  const path = join(world.dataDir, "snapshot.key");
  const key = readFileSync(path);
  writeFileSync(path, Buffer.alloc(key.length, 7));
  const opening = openRuntime(testSettings(world.dataDir), { clock: world.clock, runners: [world.hand] });
  await expect(opening).rejects.toMatchObject({
    code: "database_damaged",
    message: "snapshot.key is not the key of this database; nothing was touched.",
    next: expect.stringMatching(/^Put the snapshot\.key back/),
  });
  const looking = await openRuntime(testSettings(world.dataDir), { clock: world.clock, work: "none" });
  expect(await looking.run(OPERATOR, runId)).toMatchObject({ state: "waiting" });
  await looking.close();
  writeFileSync(path, key);
  await world.restart();
  (await world.hand.started("a")).done("A");
  expect(await world.ended(runId)).toMatchObject({ state: "done", result: 2 });
});
