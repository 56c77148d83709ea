// Measures scoreboard row 8 and prints it: npm run build && npx tsx test/hostile/programs/fairness.mjs

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fairnessText, measureFairness } from "../support/fairness.ts";

const PLAN = { rounds: 4, stepsPerBlock: 100 };

const dataDir = mkdtempSync(join(tmpdir(), "quickswarm-fairness-"));
try {
  console.log(fairnessText(await measureFairness(dataDir, PLAN)));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
