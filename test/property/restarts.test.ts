import { expect, test } from "vitest";
import { gentle, holds, SEED } from "./support/holds.ts";
import { openHere } from "./support/theatre.ts";

/** With the 80 of kills.test.ts these are 300. */
const CASES = 220;
const SUITE_MS = 900_000;

test(
  "R-001 R-002 R-004 L1 L2 L3 L4 L12 220 random scripts, settled in random order, answer the same with the runtime closed and opened at random moments",
  async () => {
    const theatre = await openHere();
    await holds(theatre, gentle, CASES);
    console.log(`seed ${SEED}: ${CASES} cases with ${theatre.restarts()} restarts`);
    expect(theatre.restarts()).toBeGreaterThan(CASES);
  },
  SUITE_MS,
);
