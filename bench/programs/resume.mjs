// A fresh process: opens a data directory, lets its parked run go on, prints the result. Its marks are
// milliseconds since this process began.

import { instantRunner } from "../support/runners.mjs";
import { openBench } from "../support/runtime.mjs";

const loadedMs = performance.now();
const [dir, runId] = process.argv.slice(2);
const bench = await openBench(dir, { runners: [instantRunner()] });
const openedMs = performance.now();
const result = await bench.result(runId);
const endedMs = performance.now();
process.stdout.write(`${JSON.stringify({ result, loadedMs, openedMs, endedMs })}\n`);
await bench.close();
