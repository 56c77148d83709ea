import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { fairnessText, measureFairness } from "./support/fairness.ts";

/** Enough to see that everything goes on; the figure itself is measured by programs/fairness.mjs. */
const SHORT = { rounds: 1, stepsPerBlock: 20 };

test("L8 health is answered and another run goes on step by step beside four spinning scripts", async () => {
  const samples = await measureFairness(tempDir(), SHORT);
  console.log(fairnessText(samples));
  expect(samples.spinning.steps).toHaveLength(SHORT.stepsPerBlock - 1);
  expect(samples.spinning.health.length).toBeGreaterThan(0);
});
