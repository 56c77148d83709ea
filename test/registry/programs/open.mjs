// Opens the registry in argv[2] when it reads a line, prints what came of it, and holds it until its
// input ends. Started by lock.test.ts as a process of its own.

import { createInterface } from "node:readline";
import { systemClock } from "../../../dist/contract/clock.js";
import { openRegistry } from "../../../dist/registry/open.js";

const [dataDir, owner] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });
let registry;
lines.once("line", async () => {
  try {
    registry = await openRegistry({ dataDir, clock: systemClock, owner });
    console.log(JSON.stringify({ won: true }));
  } catch (error) {
    console.log(JSON.stringify({ won: false, code: error.code, message: error.message }));
  }
});
lines.once("close", () => registry?.close());
console.log(JSON.stringify({ ready: true }));
