// The trials, in the order of the table. Each has cases; every case runs in a process of its own.

import { trial as sequential } from "./w1-sequential.mjs";
import { trial as fanOut } from "./w2-fan-out.mjs";
import { trial as resume } from "./w3-resume.mjs";
import { trial as parked } from "./w4-parked.mjs";
import { trial as wake } from "./w5-wake.mjs";
import { trial as snapshot } from "./w6-snapshot.mjs";
import { trial as start } from "./w7-start.mjs";
import { trial as models } from "./w8-models.mjs";

export const TRIALS = [sequential, fanOut, resume, parked, wake, snapshot, start, models];

/** What the figures do not say. */
export const NOT_MEASURED = [
  "real providers, their latency and their limits: children answer at once, without a network",
  "HTTP, SSE and the page: the runtime is called in its own process (but for W7, which runs the command line)",
  "a disk that is full, slow or shared with other work; the floor of each row is taken on the same disk in the same run",
  "databases older than a few minutes: growth, archiving and checkpoints of weeks",
  "many scripts that compute at the same time; fairness and hostile scripts are tests, not trials",
];
