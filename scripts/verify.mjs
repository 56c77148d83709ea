// Everything that must hold before a change lands, one step after the other; `.ci/run` runs this too.
// Stops at the first step that fails, and ends with one plain line: `N passed, M failed`, where each
// test counts as one and each other step as one.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules", ".cache", "quickswarm");
const report = join(cache, "test-report.json");
const STEP_MAX_MS = 20 * 60_000;

/** `live`: its output is shown while it runs; else only when it fails. */
const STEPS = [
  { name: "lint", run: ["npm", "run", "--silent", "lint"] },
  { name: "types", run: ["npm", "run", "--silent", "types"] },
  { name: "build", run: ["npm", "run", "--silent", "build"] },
  { name: "house", run: ["npx", "vitest", "run", "test/house/tree.test.ts"] },
  { name: "unused", run: ["npm", "run", "--silent", "unused"] },
  { name: "package", run: ["npm", "run", "--silent", "package"] },
  { name: "test", run: ["npm", "test", "--silent", "--", ...reporters()], live: true, counts: testsOf },
  { name: "parity", run: ["npm", "run", "--silent", "parity", "--", "--check", "--report", report] },
  { name: "docs", run: ["npm", "run", "--silent", "docs"] },
];

mkdirSync(cache, { recursive: true });
rmSync(report, { force: true });
const total = { passed: 0, failed: 0 };
for (const step of STEPS) {
  const { ok, counts } = runStep(step);
  total.passed += counts.passed;
  total.failed += counts.failed;
  if (!ok) {
    console.log(`\nverify stopped at: ${step.name}. Run it alone: ${step.run.slice(0, 4).join(" ")}`);
    process.exitCode = 1;
    break;
  }
}
console.log(`${total.passed} passed, ${total.failed} failed`);

function runStep({ name, run, live = false, counts }) {
  if (live) console.log(`${name} …`);
  const begunAt = Date.now();
  const [command, ...args] = run;
  const stdio = live ? "inherit" : "pipe";
  const done = spawnSync(command, args, { cwd: root, stdio, encoding: "utf8", timeout: STEP_MAX_MS });
  const ok = done.status === 0;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((Date.now() - begunAt) / 1000).toFixed(1)} s)`);
  if (!ok && !live) console.log(`${done.stdout ?? ""}${done.stderr ?? ""}`);
  if (done.error) console.log(String(done.error));
  return { ok, counts: counts?.(ok) ?? { passed: ok ? 1 : 0, failed: ok ? 0 : 1 } };
}

function reporters() {
  return [
    ...["default", "./test/support/closing-line.ts", "json"].map((name) => `--reporter=${name}`),
    `--outputFile.json=${report}`,
  ];
}

/** A run that failed without a failed test (a file that leaks, an error outside) counts as one failure. */
function testsOf(ok) {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
  return { passed: numPassedTests, failed: ok ? numFailedTests : Math.max(1, numFailedTests) };
}
