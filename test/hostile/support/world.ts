// The real runtime with small limits, over one VM worker: every hostile script shares its thread with its
// neighbours. The clock stands still unless a test moves it; guest time is the machine's.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { submitRequestSchema } from "../../../src/contract/api.ts";
import type { Json } from "../../../src/contract/json.ts";
import { KIB_BYTES, MIB_BYTES } from "../../../src/contract/limits.ts";
import type { RunRecord } from "../../../src/contract/records.ts";
import type { Caller, Runtime } from "../../../src/runtime/api.ts";
import { openRuntime } from "../../../src/runtime/open.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type SettingsChanges, testSettings } from "../../support/settings.ts";
import { type LoopWatch, watchLoop } from "./loop-watch.ts";
import { ReplyingRunner } from "./runner.ts";

export const OPERATOR: Caller = { sessionKey: "operator", operator: true };
/** Nobody in particular: what the others own does not exist for it. */
export const STRANGER: Caller = { sessionKey: "stranger", operator: false };

/** Guest time of one turn; far above what a neighbour needs, so that a loaded machine does not fail it. */
const TURN_TIMEOUT_MS = 600;

export const SMALL_LIMITS: SettingsChanges = {
  vmWorkers: 1,
  swarm: { maxTotalPerGroup: 400, archiveAfterMinutes: 0 },
  codeMode: {
    timeoutMs: TURN_TIMEOUT_MS,
    memoryLimitBytes: 16 * MIB_BYTES,
    maxOutputBytes: 16 * KIB_BYTES,
    maxSnapshotBytes: 256 * KIB_BYTES,
    maxPendingToolCalls: 500,
  },
};

export interface Submission {
  script: string;
  language?: "js" | "ts" | undefined;
  args?: Json | undefined;
  model?: string | undefined;
  groupId?: string | undefined;
}

export interface HostileWorld {
  readonly dataDir: string;
  readonly clock: ManualClock;
  readonly runner: ReplyingRunner;
  readonly loop: LoopWatch;
  readonly runtime: Runtime;
  submit(caller: Caller, submission: Submission): Promise<RunRecord>;
  /** Closes, lets `meanwhile` look at the files or change them, and opens again. */
  restart(meanwhile?: () => void | Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The caller ends it with `close`, which removes its folder. */
export async function openHostileWorld(changes: SettingsChanges = SMALL_LIMITS): Promise<HostileWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), "quickswarm-hostile-"));
  const clock = new ManualClock();
  const runner = new ReplyingRunner();
  const open = (): Promise<Runtime> => openRuntime(testSettings(dataDir, changes), { clock, runners: [runner] });
  const loop = await watchLoop();
  let runtime = await open();
  return {
    dataDir,
    clock,
    runner,
    loop,
    get runtime() {
      return runtime;
    },
    async submit(caller, { script, language, args, model, groupId }) {
      const request = submitRequestSchema.parse({ script, language, args, model, groupId });
      return (await runtime.submit(caller, request)).run;
    },
    async restart(meanwhile) {
      await runtime.close();
      await meanwhile?.();
      runtime = await open();
    },
    async close() {
      loop.end();
      await runtime.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
