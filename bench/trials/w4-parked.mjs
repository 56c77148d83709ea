// W4: many parked runs: what they take on disk and in memory, how long a restart over them takes, and
// how fast they are answered when they all come due at once.

import { bytesUnder } from "../support/files.mjs";
import { openFloor } from "../support/floor.mjs";
import { runProgram } from "../support/programs.mjs";
import { row } from "../support/row.mjs";
import { instantRunner } from "../support/runners.mjs";
import { OPERATOR, openBench } from "../support/runtime.mjs";

const COUNTS = { full: [1_000, 100_000], quick: [1_000, 5_000] };
const SUBMITS_AT_ONCE = 32;
const LOOK_MS = 50;
const ANSWERED = 1_000;
const TARGETS = { bytes: 25 * 1024, rssMb: 300, answeredSeconds: 1.5 };
const MIB_BYTES = 1024 * 1024;

/** A script with some state of its own: a plan, findings by topic, closures; then it sleeps. */
const SCRIPT = `
const plan = Array.from({ length: 12 }, (_, index) => ({ step: index, title: "look into part " + index, done: index < 4 }));
const findings = new Map(plan.filter((item) => item.done).map((item) => [item.title, { score: item.step / 7, by: args.name }]));
const open = () => plan.filter((item) => !item.done);
phase("waiting");
await sleep("6h");
return { open: open().length, findings: findings.size };`;

export const trial = {
  id: "W4",
  title: "parked runs",
  cases: (quick) =>
    COUNTS[quick ? "quick" : "full"].map((count) => ({
      name: String(count),
      guardMs: 60_000 + count * 12,
      run: (context) => parkedRuns(context, count),
    })),
};

async function parkedRuns({ dir }, count) {
  const bench = await openBench(dir, { runners: [instantRunner()] });
  const startedAt = performance.now();
  await submitAll(bench, count);
  await untilParked(bench.runtime);
  const parkSeconds = (performance.now() - startedAt) / 1000;
  const rssMb = process.memoryUsage.rss() / MIB_BYTES;
  await bench.close();
  const bytes = bytesUnder(bench.dataDir) / count;
  const floor = openFloor(dir);
  const before = floor.median(ANSWERED);
  const woken = await runProgram("wake.mjs", [dir, ANSWERED]);
  const floorSeconds = (((before + floor.median(ANSWERED)) / 2) * ANSWERED) / 1000;
  floor.close();
  return rowsOf({ count, parkSeconds, rssMb, bytes, woken, floorSeconds });
}

async function submitAll(bench, count) {
  let next = 0;
  const submitter = async () => {
    while (next < count) {
      next += 1;
      await bench.submit(SCRIPT, { name: `run ${next}` });
    }
  };
  await Promise.all(Array.from({ length: SUBMITS_AT_ONCE }, submitter));
}

/** Looks now and then whether any run still has a turn to come; a look is one indexed read. */
async function untilParked(runtime) {
  for (;;) {
    const { rows } = await runtime.runs(OPERATOR, { limit: 1 }, "running");
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function rowsOf({ count, parkSeconds, rssMb, bytes, woken, floorSeconds }) {
  const many = count.toLocaleString("en-US");
  const figure = (name, what, unit, value, more) => row({ id: `W4-${count}-${name}`, what, unit, value, ...more });
  const atMost = (most) => ({ target: { of: "value", atMost: most } });
  return [
    figure("bytes", `on disk for each of ${many} parked runs`, "bytes", bytes, {
      ...atMost(TARGETS.bytes),
      limit: "the full snapshot of the first turn",
      note: `submitted and parked in ${parkSeconds.toFixed(1)} s, ${Math.round(count / parkSeconds)} runs/s`,
    }),
    figure("rss", `RSS of the process that parked ${many} runs`, "MB", rssMb, {
      ...atMost(TARGETS.rssMb),
      limit: "garbage of the submissions, hot VMs and the page cache of SQLite",
    }),
    figure("rss-restarted", `RSS of a new process with ${many} parked runs`, "MB", woken.rssMb, atMost(TARGETS.rssMb)),
    figure("recovery", `opening the runtime over ${many} parked runs`, "s", woken.openSeconds, {}),
    figure("wake", `all ${many} due at once: until 1,000 are answered`, "s", woken.answeredSeconds, {
      floor: floorSeconds,
      ...atMost(TARGETS.answeredSeconds),
      limit: "each answer is a restore in the VM worker, a turn and its share of a commit",
    }),
  ];
}
