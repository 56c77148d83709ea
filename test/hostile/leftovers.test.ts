import { expect, onTestFinished, test } from "vitest";
import { endBadly } from "./support/endings.ts";
import { type Residue, residueOf, residueProblems } from "./support/residue.ts";
import { type HostileWorld, openHostileWorld } from "./support/world.ts";

const WARM_UP_RUNS = 40;
const RUNS = 200;
/** A worker collects its garbage when it needs to: it is given some more work to need to. */
const LOOKS = 6;
const RUNS_BETWEEN_LOOKS = 20;

test("L7 two hundred runs that end badly leave no VM and no memory in the worker that they share", async () => {
  const world = await openHostileWorld();
  onTestFinished(() => world.close());
  expect(await endBadly(world, WARM_UP_RUNS)).toEqual([]);
  const before = await residueOf(world);
  expect(await endBadly(world, RUNS)).toEqual([]);
  expect(await leftOf(world, before)).toEqual([]);
  expect(world.runtime.health().vm.terminated).toBe(0);
});

async function leftOf(world: HostileWorld, before: Residue): Promise<string[]> {
  let left = residueProblems(before, await residueOf(world));
  for (let look = 1; look < LOOKS && left.length > 0; look += 1) {
    await endBadly(world, RUNS_BETWEEN_LOOKS);
    left = residueProblems(before, await residueOf(world));
  }
  return left;
}
