// Runs the scripts that ship with the project (examples, blocks of the guides) in a whole runtime whose
// children are offline and whose clock the test drives.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { SubmitInput } from "../../src/contract/api.ts";
import type { RunDetail, RunRecord } from "../../src/contract/records.ts";
import { OPERATOR, openWorld, type World } from "./world.ts";

/** Turns of the event loop until a test that waits for something gives up. */
const TURNS_MAX = 2_000_000;

/** Children answer at once, unless their model's name gives them a delay. */
export function offlineWorld(): Promise<World> {
  return openWorld({ defaultModel: "offline:echo", offlineDelayMs: 0 });
}

/** A shipped file as a submission. */
export function submission(path: string, more: Partial<SubmitInput> = {}): SubmitInput {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  return { script: text, fileName: basename(path), language: path.endsWith(".ts") ? "ts" : "js", ...more };
}

export function submitExample(world: World, path: string, more: Partial<SubmitInput> = {}): Promise<RunRecord> {
  const { script, ...rest } = submission(path, more);
  return world.submit(script, rest);
}

export async function runExample(world: World, path: string, more: Partial<SubmitInput> = {}): Promise<RunRecord> {
  return world.ended((await submitExample(world, path, more)).runId);
}

export function detailOf(world: World, runId: string): Promise<RunDetail> {
  return world.runtime.runDetail(OPERATOR, runId);
}

/** Lets the process work until `check` holds. Fails, with what was waited for, when it never does. */
export async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (await check()) return;
    await new Promise(setImmediate);
  }
  throw new Error(`it never came to this: ${what}`);
}
