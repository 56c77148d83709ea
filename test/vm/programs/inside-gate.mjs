// A worker thread that stays inside its ending gate until it is told to come out, then tries to say so.

import { parentPort, workerData } from "node:worker_threads";

const { EndingGate } = await import(new URL("vm/ending-gate.js", workerData.dist));
const gate = new EndingGate(workerData.gate);

gate.pass(() => {
  parentPort.postMessage("inside");
  Atomics.wait(new Int32Array(workerData.leave), 0, 0);
});
parentPort.postMessage("outside");
