// What is left of hostile scripts when they are over: live VMs, worker threads, places in the lanes, runs that
// are not over, handles, memory. Compared with what was there before the first of them (law L7).

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MIB_BYTES } from "../../../src/contract/limits.ts";
import { type Held, heldNow, leftOpen } from "../../support/leaks.ts";
import { moment } from "./loop-watch.ts";
import { type HostileWorld, OPERATOR } from "./world.ts";

/** How much more resident memory the process may hold afterwards than before. */
export const RSS_GROWTH_BYTES_MAX = 128 * MIB_BYTES;
/** What was told to end is given so many turns of the event loop to be gone. */
const LOOKS = 2_000;

export interface Residue {
  rssBytes: number;
  workers: number;
  hotVms: number;
  turns: number;
  running: number;
  queued: number;
  unfinishedRuns: number;
  held: Held;
}

/** As it is once nothing is going on any more, garbage collected. */
export async function residueOf(world: HostileWorld): Promise<Residue> {
  for (let look = 0; look < LOOKS && isBusy(world); look += 1) await moment();
  collectGarbage();
  const { vm, lanes, activeRuns } = world.runtime.health();
  return {
    rssBytes: process.memoryUsage.rss(),
    workers: vm.workers,
    hotVms: vm.hot,
    turns: activeRuns,
    ...lanes,
    unfinishedRuns: await unfinishedRuns(world),
    held: heldNow(),
  };
}

/** What there is more of than before; nothing when all is as it was. */
export function residueProblems(before: Residue, after: Residue): string[] {
  const counted = ["workers", "hotVms", "turns", "running", "queued", "unfinishedRuns"] as const;
  const more = counted.filter((name) => after[name] !== before[name]);
  const grownBytes = after.rssBytes - before.rssBytes;
  return [
    ...more.map((name) => `${name}: ${after[name]}, before ${before[name]}`),
    ...leftOpen(before.held, after.held),
    ...(grownBytes > RSS_GROWTH_BYTES_MAX ? [`memory: ${Math.round(grownBytes / MIB_BYTES)} MiB more`] : []),
  ];
}

function isBusy(world: HostileWorld): boolean {
  const { lanes, activeRuns } = world.runtime.health();
  return activeRuns + lanes.running + lanes.queued > 0;
}

async function unfinishedRuns(world: HostileWorld): Promise<number> {
  const [running, waiting] = [
    await world.runtime.runs(OPERATOR, { limit: 100 }, "running"),
    await world.runtime.runs(OPERATOR, { limit: 100 }, "waiting"),
  ];
  return running.rows.length + waiting.rows.length;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
}
