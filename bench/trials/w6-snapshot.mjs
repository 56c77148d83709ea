// W6: what a snapshot takes, in bytes and in time, for four sizes of the guest's heap. A slice is what
// the pool does for one turn: message to the worker, guest code, snapshot, message back. A cold slice
// restores the VM from its stored bytes first; the difference between cold and hot is the restore.

import { copyMs } from "../support/floor.mjs";
import { openGuests, stepGuest } from "../support/guest.mjs";
import { LOADS } from "../support/loads.mjs";
import { row } from "../support/row.mjs";
import { median } from "../support/stats.mjs";

const ROUNDS = { full: 40, quick: 6 };
const WARM_UP = 4;
const STEPS_PER_GUEST = 6;
const TARGETS = { fullBytes: 25 * 1024, stepBytes: 3 * 1024, restoreMs: 0.8 };

export const trial = {
  id: "W6",
  title: "snapshots",
  cases: () => LOADS.map((load) => ({ name: load.name, guardMs: 120_000, run: (context) => snapshots(context, load) })),
};

async function snapshots({ quick }, load) {
  const guests = await openGuests();
  const samples = { full: [], step: [], hot: [], cold: [], firstMs: [], memory: 0 };
  const rounds = ROUNDS[quick ? "quick" : "full"] + WARM_UP;
  for (let round = 0; round < rounds; round += 1) {
    // The same second turn, once on the VM that is still there and once from its stored bytes.
    const kept = await guests.start(load.script);
    const hot = await stepGuest(kept.guest);
    const dropped = await guests.start(load.script);
    guests.pool.evict(dropped.guest.runId);
    const cold = await stepGuest(dropped.guest);
    if (hot.report.restored || !cold.report.restored) throw new Error("a slice was hot or cold against its plan");
    if (round >= WARM_UP) {
      samples.full.push(kept.bytes);
      samples.firstMs.push(kept.elapsedMs);
      samples.hot.push(hot.elapsedMs);
      samples.cold.push(cold.elapsedMs);
      samples.step.push(...(await furtherSteps(kept.guest)));
      samples.memory = hot.report.memoryBytes;
    }
    for (const { guest } of [kept, dropped]) guests.pool.evict(guest.runId);
  }
  await guests.close();
  return rowsOf(load, samples);
}

/** Bytes of the step snapshots that follow. */
async function furtherSteps(guest) {
  const bytes = [];
  for (let index = 0; index < STEPS_PER_GUEST; index += 1) {
    const step = await stepGuest(guest);
    if (!step.isFull) bytes.push(step.bytes);
  }
  return bytes;
}

function rowsOf(load, samples) {
  const floor = copyMs(samples.memory);
  const figure = (name, what, unit, value, more) =>
    row({ id: `W6-${load.name}-${name}`, what: `${load.what}: ${what}`, unit, value, ...more });
  const isAgent = load.name === "agent";
  const hot = median(samples.hot);
  const atMost = (most) => ({ target: { of: "value", atMost: most } });
  return [
    figure("full", "full snapshot", "bytes", median(samples.full), isAgent ? atMost(TARGETS.fullBytes) : {}),
    figure(
      "step",
      "snapshot of a further step",
      "bytes",
      median(samples.step),
      isAgent ? atMost(TARGETS.stepBytes) : {},
    ),
    figure("first-ms", "first slice with its full snapshot", "ms", median(samples.firstMs), { floor }),
    figure("step-ms", "further slice, hot, with its snapshot", "ms", hot, { floor }),
    figure("restore-ms", "restore (cold slice less hot slice)", "ms", median(samples.cold) - hot, {
      floor,
      ...(isAgent || load.name === "tiny" ? atMost(TARGETS.restoreMs) : {}),
      limit: "a new instance of the engine, and inflating and applying the stored pages",
      note: `memory ${(samples.memory / 1024 / 1024).toFixed(1)} MiB, copied once as floor`,
    }),
  ];
}
