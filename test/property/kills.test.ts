import { expect, test } from "vitest";
import { deadly, gentle, holds, SEED } from "./support/holds.ts";
import { openElsewhere } from "./support/theatre.ts";

/** With the 220 of restarts.test.ts these are 300. */
const CASES = 80;
const SUITE_MS = 900_000;

test(
  "R-001 R-002 R-004 L1 L2 L3 L4 L12 80 random scripts, settled in random order, answer the same with the process killed at random failure points",
  async () => {
    const theatre = await openElsewhere();
    await holds(theatre, deadly, CASES);
    console.log(`seed ${SEED}: ${CASES} cases with ${theatre.restarts()} processes killed`);
    expect(theatre.restarts()).toBeGreaterThan(CASES);
  },
  SUITE_MS,
);

test.each(["answersBackwards", "rerunsEnded"])("random scripts find a registry that %s", async (plant) => {
  const found = holds(await openElsewhere(plant), gentle, CASES, { endOnFailure: true });
  await expect(found).rejects.toThrow(/Property failed/);
});
