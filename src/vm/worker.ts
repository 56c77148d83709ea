// A worker thread's entry: takes one message at a time, in the order in which they were sent.

import { parentPort, workerData } from "node:worker_threads";
import { fault } from "../contract/fault.ts";
import { passThrough } from "./deflate.ts";
import { EndingGate } from "./ending-gate.ts";
import { loadGlue } from "./engine.ts";
import type { ToWorker, WorkerData } from "./worker-protocol.ts";
import { WorkerRoom } from "./worker-room.ts";

if (!parentPort) throw fault("internal", "src/vm/worker is a worker thread's entry and nothing else.");
const port = parentPort;
passThrough(new EndingGate((workerData as WorkerData).gate));
const queue: ToWorker[] = [];
let room: WorkerRoom | undefined;
let isBusy = false;

port.on("message", (message: ToWorker) => {
  queue.push(message);
  if (!isBusy) void work();
});

loadGlue();

async function work(): Promise<void> {
  isBusy = true;
  for (let message = queue.shift(); message; message = queue.shift()) {
    if (message.kind === "start") {
      room = new WorkerRoom(message.start, (answer, transfer) => port.postMessage(answer, transfer));
      port.postMessage({ kind: "ready" });
      await room.warmUp();
    } else await room?.handle(message);
  }
  isBusy = false;
}
