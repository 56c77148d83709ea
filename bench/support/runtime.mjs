// Opens the built runtime as a gateway process does, but for HTTP.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { submitRequestSchema } from "../../dist/contract/api.js";
import { openRuntime } from "../../dist/runtime/open.js";
import { benchSettings } from "./settings.mjs";

export const OPERATOR = { sessionKey: "operator", operator: true };

/** @param {string} dir @param {object} options those of openRuntime, and `changes` of the settings */
export async function openBench(dir, { changes, ...options } = {}) {
  const dataDir = join(dir, "data");
  mkdirSync(dataDir, { recursive: true });
  const runtime = await openRuntime(benchSettings(dataDir, changes), options);
  return {
    dataDir,
    runtime,
    async submit(script, args) {
      return (await runtime.submit(OPERATOR, submitRequestSchema.parse({ script, args }))).run.runId;
    },
    /** The result; a run that did not complete is a defect of the trial and ends it. */
    async result(runId) {
      const run = await runtime.runEnded(OPERATOR, runId);
      if (run.state !== "done") throw new Error(`the run ended as ${run.state}: ${run.error?.message}`);
      return run.result;
    },
    close: () => runtime.close(),
  };
}

/** A trial that measured the wrong thing must not print a figure. */
export function expectResult(what, got, wanted) {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${what}: expected ${right}, got ${left}`);
}
