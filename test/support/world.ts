// A whole runtime in a temporary folder, with a clock and a runner that the test drives. Everything
// below is real: SQLite file, VM worker threads, lanes.

import { onTestFinished } from "vitest";
import type { SubmitInput } from "../../src/contract/api.ts";
import { submitRequestSchema } from "../../src/contract/api.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import type { Caller, Runtime } from "../../src/runtime/api.ts";
import { openRuntime, type RuntimeOptions } from "../../src/runtime/open.ts";
import { HandRunner } from "./hand-runner.ts";
import { ManualClock } from "./manual-clock.ts";
import { type SettingsChanges, testSettings } from "./settings.ts";
import { tempDir } from "./temp.ts";

export const OPERATOR: Caller = { sessionKey: "operator", operator: true };

export interface World {
  readonly dataDir: string;
  readonly clock: ManualClock;
  readonly hand: HandRunner;
  readonly runtime: Runtime;
  /** Closes the runtime and opens it again on the same folder, as a restart does. */
  restart(changes?: SettingsChanges, options?: RuntimeOptions): Promise<void>;
  submit(script: string, more?: Partial<SubmitInput>): Promise<RunRecord>;
  ended(runId: string): Promise<RunRecord>;
  /** Submits and waits for the end. */
  run(script: string, more?: Partial<SubmitInput>): Promise<RunRecord>;
}

export async function openWorld(changes: SettingsChanges = {}, options: RuntimeOptions = {}): Promise<World> {
  const dataDir = tempDir();
  const clock = new ManualClock();
  const hand = new HandRunner();
  const open = (settings: SettingsChanges, more: RuntimeOptions = {}): Promise<Runtime> =>
    openRuntime(testSettings(dataDir, settings), {
      clock,
      ...options,
      ...more,
      runners: [hand, ...(options.runners ?? [])],
    });
  let runtime = await open(changes);
  onTestFinished(() => runtime.close());
  const submit = async (script: string, more: Partial<SubmitInput> = {}): Promise<RunRecord> =>
    (await runtime.submit(OPERATOR, submitRequestSchema.parse({ script, ...more }))).run;
  return {
    dataDir,
    clock,
    hand,
    get runtime() {
      return runtime;
    },
    async restart(next = changes, more) {
      await runtime.close();
      runtime = await open(next, more);
    },
    submit,
    ended: (runId) => runtime.runEnded(OPERATOR, runId),
    run: async (script, more) => runtime.runEnded(OPERATOR, (await submit(script, more)).runId),
  };
}
