// A thread is never ended inside zlib, where that takes the whole process down.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { EndingGate } from "../../src/vm/ending-gate.ts";

const DIST = new URL("../../dist/", import.meta.url).href;
const THREADS = 60;

const program = (name: string): URL => new URL(`./programs/${name}.mjs`, import.meta.url);

test("L7 a shut gate waits for the thread that is inside, and the thread does nothing more after it", async () => {
  const gate = new EndingGate();
  const leave = new SharedArrayBuffer(4);
  const workerData = { dist: DIST, gate: gate.shared, leave };
  const worker = new Worker(program("inside-gate"), { workerData });
  onTestFinished(async () => void (await worker.terminate()));
  const heard: unknown[] = [];
  worker.on("message", (message) => heard.push(message));
  await once(worker, "message");
  let isShut = false;
  const shut = gate.shut().then(() => {
    isShut = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isShut).toBe(false);
  const told = new Int32Array(leave);
  Atomics.store(told, 0, 1);
  Atomics.notify(told, 0);
  await shut;
  await worker.terminate();
  expect(heard).toEqual(["inside"]);
});

test("L7 a gate that is shut while the thread is outside lets nothing in", async () => {
  const gate = new EndingGate();
  await gate.shut();
  await gate.shut();
  const workerData = { dist: DIST, gate: gate.shared, leave: new SharedArrayBuffer(4) };
  const worker = new Worker(program("inside-gate"), { workerData });
  const heard: unknown[] = [];
  worker.on("message", (message) => heard.push(message));
  await once(worker, "online");
  await worker.terminate();
  expect(heard).toEqual([]);
});

test(`L7 ${THREADS} threads that are ended while they deflate do not take the process down`, () => {
  const args = [fileURLToPath(program("end-deflating")), DIST, `${THREADS}`];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, signal, stdout, stderr }).toEqual({ status: 0, signal: null, stdout: `${THREADS}\n`, stderr: "" });
});
