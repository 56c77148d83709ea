// scripts/demo-crash.sh is shown to people: it has to go on working.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/demo-crash.sh", import.meta.url));
const SEED = "7";
/** A guard against hanging; the script takes about 15 seconds. */
const GUARD_MS = 240_000;

test("I-005 the demonstration says how to call it when it is asked, or called otherwise", async () => {
  const asked = await promisify(execFile)("bash", [SCRIPT, "--help"]);
  expect(asked.stdout).toContain("Usage:  npm run build && scripts/demo-crash.sh [SEED]");
  await expect(promisify(execFile)("bash", [SCRIPT, "seed"])).rejects.toMatchObject({
    code: 2,
    stdout: expect.stringContaining("Usage:"),
  });
});

test("R-004 L12 after three kill -9 of the gateway every agent has been completed exactly once", {
  timeout: GUARD_MS,
}, async () => {
  const { stdout } = await promisify(execFile)("bash", [SCRIPT, SEED]);
  expect(stdout.match(/^kill -9 number/gm)).toHaveLength(3);
  expect(stdout).toContain("\n21 agents, ");
  expect(stdout.match(/^task \d+ +done .* 1$/gm)).toHaveLength(21);
  expect(stdout).toContain("OK: 3 crashes, every agent completed exactly once");
});
