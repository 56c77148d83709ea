// What `quickswarm run` needs of the floors below the command line, in a fresh process and a new data
// directory. Its marks are milliseconds since this process began.

import { openBench } from "../support/runtime.mjs";

const OFFLINE_DELAY_MS = 30;

const loadedMs = performance.now();
const [dir] = process.argv.slice(2);
const bench = await openBench(dir, { changes: { offlineDelayMs: OFFLINE_DELAY_MS, defaultModel: "offline:echo" } });
const openedMs = performance.now();
await bench.result(await bench.submit('return await agents.run("say something");'));
const endedMs = performance.now();
await bench.close();
const closedMs = performance.now();
process.stdout.write(`${JSON.stringify({ loadedMs, openedMs, endedMs, closedMs })}\n`);
