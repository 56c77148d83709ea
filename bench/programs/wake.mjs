// A fresh process over a data directory of sleeping runs: opens it, lets the clock jump so that all of
// them are due, and counts how long it takes until a number of them have ended.

import { jumpClock } from "../support/jump-clock.mjs";
import { instantRunner } from "../support/runners.mjs";
import { OPERATOR, openBench } from "../support/runtime.mjs";

const MIB_BYTES = 1024 * 1024;
const JUMP_MS = 7 * 3_600_000;
const EVENTS_PER_READ = 1_000;

const [dir, wanted] = process.argv.slice(2);
const clock = jumpClock();
const openingAt = performance.now();
const bench = await openBench(dir, { clock, runners: [instantRunner()] });
const openSeconds = (performance.now() - openingAt) / 1000;
const rssMb = process.memoryUsage.rss() / MIB_BYTES;
const answered = countEnded(bench.runtime, Number(wanted));
const dueAt = performance.now();
clock.jump(JUMP_MS);
await answered;
const answeredSeconds = (performance.now() - dueAt) / 1000;
process.stdout.write(`${JSON.stringify({ openSeconds, rssMb, answeredSeconds })}\n`);
// The other runs are due as well; what they do meanwhile is nobody's result.
process.exit(0);

/** Resolves when `count` runs have ended, as the committed events say. */
async function countEnded(runtime, count) {
  let seq = await runtime.lastEventSeq();
  let changed = () => {};
  runtime.onEvents(() => changed());
  for (let ended = 0; ended < count; ) {
    const change = new Promise((resolve) => {
      changed = resolve;
    });
    const events = await runtime.eventsAfter(OPERATOR, seq, undefined, EVENTS_PER_READ);
    ended += events.filter((event) => event.type === "run.ended" && event.state === "done").length;
    seq = events.at(-1)?.seq ?? seq;
    if (events.length === 0) await change;
  }
}
