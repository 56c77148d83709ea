// Runs around every test file: fails it when it leaves a handle, a timer, a child process, a worker
// thread or a temp folder named quickswarm-… behind (law L7).

import { afterAll, beforeAll } from "vitest";
import { countTimers, countWorkers, type Held, heldNow, leftOpen, ownTempFolder } from "./leaks.ts";

/** What has been told to end is given this many looks to be gone. */
const LOOKS = 50;
const LOOK_MS = 20;

const temp = ownTempFolder();
const workers = countWorkers();
const setNow = setTimeout;
const timers = countTimers();
let before: Held = new Map();

beforeAll(() => {
  // Made at first use, these would look like something left behind.
  void process.stdout;
  void process.stderr;
  before = heldNow();
});

afterAll(async () => {
  let found = leftovers();
  for (let look = 1; found.length > 0 && look < LOOKS; look += 1) {
    await new Promise((done) => setNow(done, LOOK_MS));
    found = leftovers();
  }
  workers.end();
  timers.end();
  temp.remove();
  if (found.length > 0) throw new Error(`this file left behind: ${found.join(", ")}`);
});

function leftovers(): string[] {
  const counted = { "worker thread": workers.count(), timer: timers.count() };
  return [
    ...leftOpen(before, heldNow()),
    ...Object.entries(counted).flatMap(([kind, count]) => (count > 0 ? [`${count} × ${kind}`] : [])),
    ...temp.leftBehind().map((name) => `temp folder ${name}`),
  ];
}
