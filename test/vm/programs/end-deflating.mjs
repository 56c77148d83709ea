// Ends one worker thread of the pool after the other, each at another moment of its first work: while it
// deflates or is about to. Says how many it has ended; a thread that is ended at the wrong moment takes the
// process down. Arguments: the folder of the compiled modules, and how many threads.

import { Worker } from "node:worker_threads";

const [dist, count] = [process.argv[2], Number(process.argv[3])];
const { EndingGate } = await import(new URL("vm/ending-gate.js", dist));

for (let index = 0; index < count; index += 1) {
  const gate = new EndingGate();
  const worker = new Worker(new URL("deflating.mjs", import.meta.url), { workerData: { gate: gate.shared, dist } });
  await new Promise((resolve) => worker.once("message", resolve));
  for (let turn = 0; turn < index * 7; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await gate.shut();
  await worker.terminate();
}
console.log(count);
