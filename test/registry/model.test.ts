// Any sequence of writes, many of them in one commit, leaves the registry where a model of its contract
// is: every call settled once and in order, caps never exceeded, counts true, restarts included.

import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { openRegistry } from "../../src/registry/open.ts";
import { AT } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, integrityOf } from "./files.ts";
import { LIMITS, Model } from "./model/model.ts";
import { expectedOf, observedIn } from "./model/observed.ts";
import { type Operation, operationOf, perform } from "./model/operations.ts";
import type { Play } from "./model/play.ts";

const SEED = 20_261_130;
const SEQUENCES = 60;

async function settled(play: Play): Promise<void> {
  await Promise.all(play.sent.splice(0));
}

async function check(play: Play): Promise<void> {
  await settled(play);
  expect(await observedIn(play.registry, play.model)).toEqual(expectedOf(play.model, [...play.groupIds]));
  for (const groupId of play.groupIds) {
    const { live, total } = play.model.ofGroup(groupId);
    expect(live).toBeLessThanOrEqual(LIMITS.maxChildrenPerGroup);
    expect(total).toBeLessThanOrEqual(LIMITS.maxTotalPerGroup);
  }
}

async function restart(play: Play, dataDir: string): Promise<void> {
  await settled(play);
  await play.registry.close();
  play.registry = await openRegistry({ dataDir, clock: systemClock });
  play.model.staleSettlements = 0;
  play.model.woken = new Set();
  expect(await play.registry.recover(AT)).toMatchObject(play.model.recover());
}

async function playAll(operations: readonly Operation[]): Promise<void> {
  const dataDir = tempDir();
  const registry = await openRegistry({ dataDir, clock: systemClock });
  const play: Play = { registry, model: new Model(), groupIds: new Set(), sent: [], now: AT };
  try {
    for (const operation of operations) {
      if (operation.op === "check") await check(play);
      else if (operation.op === "restart") await restart(play, dataDir);
      else perform(play, operation);
    }
    await check(play);
  } finally {
    await Promise.allSettled(play.sent);
    await play.registry.close();
  }
  expect(integrityOf(databaseOf(dataDir))).toBe("ok");
}

test("S-008 R-001 R-004 random writes leave the registry where the model of its contract is", async () => {
  const sequence = fc.array(operationOf, { minLength: 20, maxLength: 80 });
  const created = fc.constant<Operation[]>([{ op: "create" }, { op: "create" }]);
  const property = fc.asyncProperty(created, sequence, (first, rest) => playAll([...first, ...rest]));
  await fc.assert(property, { seed: SEED, numRuns: SEQUENCES });
}, 300_000);
