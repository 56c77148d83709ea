// A gateway's insides in a process of its own that forks a run and is killed at a named point of the fork.
// The first argument is its configuration: { dist, dataDir, point }.

import { hostSettings } from "./settings.mjs";

const OPERATOR = { sessionKey: "operator", operator: true };
const SCRIPT = 'return (await Promise.all(["a", "b"].map((name) => agents.run(name)))).join("+");';

const config = JSON.parse(process.argv[2]);
const { openRuntime } = await import(new URL("runtime/open.js", config.dist));
const { forkRequestSchema, submitRequestSchema } = await import(new URL("contract/api.js", config.dist));
process.on("disconnect", () => process.exit(3));

/** The points of the registry count only once the fork has begun. */
let forking = false;
function failurePoint(name) {
  forking ||= name === "beforeFork";
  if (forking && name === config.point) process.kill(process.pid, "SIGKILL");
}

let started = 0;
let allStarted = () => {};
const both = new Promise((resolve) => {
  allStarted = resolve;
});
/** Children that never answer: what they are told is the next process's doing. */
const runner = {
  handles: (model) => model.startsWith("test:"),
  run({ signal }) {
    started += 1;
    if (started === 2) allStarted();
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ status: "failed", error: "aborted", retryable: false }));
    });
  },
};
const runtime = await openRuntime(hostSettings(config.dataDir), { runners: [runner], failurePoint });
const { run } = await runtime.submit(OPERATOR, submitRequestSchema.parse({ script: SCRIPT, keepHistory: 5 }));
await both;
await runtime.fork(OPERATOR, run.runId, forkRequestSchema.parse({}));
process.exit(9);
