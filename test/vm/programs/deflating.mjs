// A worker thread that does nothing but deflate and inflate, through its ending gate.

import { parentPort, workerData } from "node:worker_threads";

const { EndingGate } = await import(new URL("vm/ending-gate.js", workerData.dist));
const { deflate, inflate, passThrough } = await import(new URL("vm/deflate.js", workerData.dist));

passThrough(new EndingGate(workerData.gate));
parentPort.postMessage("begins");
const plain = new Uint8Array(1_000);
for (;;) inflate(deflate(plain), plain.length);
