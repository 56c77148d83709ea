// W2: one script that starts many children in one turn and waits for all of them.

import { openFloor } from "../support/floor.mjs";
import { row } from "../support/row.mjs";
import { instantRunner } from "../support/runners.mjs";
import { expectResult, openBench } from "../support/runtime.mjs";

const FLOOR_STEPS = 2_000;
const RSS_MB_MAX = 300;
/** The most that the configuration allows for one group, and a lane that holds all of them. */
const LANES = { configured: 1_000, open: 10_000 };

const SCRIPT = `
const all = await Promise.all(Array.from({ length: args.count }, (_, index) => agents.run("child " + index)));
return all.length;`;

const openCase = {
  name: "10000-open",
  guardMs: 120_000,
  run: (context) => fanOut(context, 10_000, LANES.open),
};

export const trial = {
  id: "W2",
  title: "fan-out in one script",
  cases: (quick) => [
    { name: "1000", guardMs: 60_000, run: (context) => fanOut(context, 1_000, LANES.configured) },
    { name: "10000", guardMs: 120_000, run: (context) => fanOut(context, 10_000, LANES.configured) },
    ...(quick ? [] : [openCase]),
  ],
};

async function fanOut({ dir }, count, maxConcurrent) {
  const floor = openFloor(dir);
  const before = floor.median(FLOOR_STEPS);
  const bench = await openBench(dir, { runners: [instantRunner()], changes: { maxConcurrent } });
  const startedAt = performance.now();
  const answered = await bench.result(await bench.submit(SCRIPT, { count }));
  const seconds = (performance.now() - startedAt) / 1000;
  const peakMb = process.resourceUsage().maxRSS / 1024;
  expectResult("answers", answered, count);
  await bench.close();
  const floorSeconds = (((before + floor.median(FLOOR_STEPS)) / 2) * count) / 1000;
  floor.close();
  return rowsOf({ count, maxConcurrent, seconds, peakMb, floorSeconds });
}

function rowsOf({ count, maxConcurrent, seconds, peakMb, floorSeconds }) {
  const open = maxConcurrent > LANES.configured;
  const id = `W2-${count}${open ? "-open" : ""}`;
  const what = `${count.toLocaleString("en-US")} children of one script, ${maxConcurrent.toLocaleString("en-US")} at once`;
  const held = count === 10_000;
  return [
    row({
      id,
      what,
      unit: "s",
      value: seconds,
      floor: floorSeconds,
      target: held ? { of: "ratio", atMost: 4 } : null,
      note: `${Math.round(count / seconds)} children/s`,
      limit: "main-thread work for each child: its rows, its settlement, its place in the lane",
    }),
    row({
      id: `${id}-rss`,
      what: `peak RSS, ${what}`,
      unit: "MB",
      value: peakMb,
      target: held ? { of: "value", atMost: RSS_MB_MAX } : null,
      limit: "garbage that V8 has not collected yet, in both threads; what lives is a tenth of it",
    }),
  ];
}
