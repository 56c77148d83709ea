// A gateway's insides in a process of its own, made to be killed. Takes orders from its supervisor over
// IPC and acknowledges as a client would be answered: a submit when it is stored, a child's completion
// when a wait has returned it, a run's end when it was read. The first argument is its configuration.

import { openLedger } from "./ledger.mjs";
import { openPlanted } from "./plants.mjs";
import { Gates, scriptedRunner } from "./scripted-runner.mjs";
import { hostSettings } from "./settings.mjs";

const OPERATOR = { sessionKey: "operator", operator: true };
const EVENTS_PAGE_ROWS = 500;
const ROWS_MAX = 1_000;

const config = JSON.parse(process.argv[2]);
const { openRuntime } = await import(new URL("runtime/open.js", config.dist));
const { systemClock } = await import(new URL("contract/clock.js", config.dist));
const { submitRequestSchema } = await import(new URL("contract/api.js", config.dist));

const ledger = openLedger(config.ledger, config.incarnation);
const tell = (message) => process.connected && process.send({ ...message, line: ledger.line });
const orphaned = () => process.exit(3);
process.on("disconnect", orphaned);

let seen = 0;
/** Ends the process at the wished occurrence of a failure point; nothing after it runs. */
function failurePoint(name) {
  if (name !== config.kill?.point) return;
  seen += 1;
  if (seen === config.kill.occurrence) process.kill(process.pid, "SIGKILL");
}

const gates = new Gates();
if (config.gates) await gates.open();
const runner = scriptedRunner({ ledger, clock: systemClock, paced: config.paced, gates });
const options = {
  runners: [runner],
  failurePoint,
  log: (level, message, fields) => (level === "error" ? tell({ what: "log", message, fields }) : undefined),
};
const settings = hostSettings(config.dataDir, config.settings);
let runtime;
try {
  runtime = config.plant
    ? await openPlanted(config, settings, { ...options, clock: systemClock })
    : await openRuntime(settings, options);
} catch (error) {
  tell({ what: "refused", code: error.code ?? "none", message: error.message });
  process.exit(4);
}

let after = config.after;
let pumping = Promise.resolve();
/** Reads what was committed since, as a client does that goes on behind the last event it has seen. */
async function pump() {
  for (;;) {
    const events = await runtime.eventsAfter(OPERATOR, after, undefined, EVENTS_PAGE_ROWS);
    for (const event of events) {
      await acknowledge(event);
      after = event.seq;
    }
    if (events.length < EVENTS_PAGE_ROWS) return;
  }
}

async function acknowledge(event) {
  if (event.type === "child.ended") {
    const { completed } = await runtime.wait(OPERATOR, [event.childId], 1);
    for (const { runId, status, result } of completed) tell({ what: "child", seq: event.seq, runId, status, result });
  }
  if (event.type === "run.ended") {
    const { runId, state, result, error } = await runtime.run(OPERATOR, event.runId);
    tell({ what: "ended", seq: event.seq, runId, state, result, code: error?.code });
  }
}

let wakeDrain = () => {};
runtime.onEvents(() => {
  pumping = pumping.then(pump);
  wakeDrain();
});
pumping = pumping.then(pump);

async function submit({ key, script, args, workflows, budget }) {
  try {
    const request = submitRequestSchema.parse({ script, args, workflows, budget, idempotencyKey: key, name: key });
    const { run, created } = await runtime.submit(OPERATOR, request);
    tell({ what: "submitted", key, runId: run.runId, created });
  } catch (error) {
    tell({ what: "rejected", key, code: error.code ?? "none", message: error.message });
  }
}

/** Tells when nothing is left to do. Quarantined runs do nothing. */
async function drain() {
  for (;;) {
    const change = new Promise((resolve) => {
      wakeDrain = resolve;
    });
    const live = await Promise.all([
      ...["running", "waiting"].map((state) => runtime.runs(OPERATOR, { limit: 1 }, state)),
      ...["queued", "running"].map((status) => runtime.children(OPERATOR, { status }, { limit: 1 })),
    ]);
    if (live.every(({ rows }) => rows.length === 0)) break;
    await change;
  }
  await pumping;
  tell({ what: "drained" });
}

async function allPages(read) {
  const rows = [];
  let page;
  do {
    page = await read({ limit: ROWS_MAX, after: page?.next });
    rows.push(...page.rows);
  } while (page.next !== undefined);
  return rows;
}

/** Everything that is stored, for the checker. */
async function dump() {
  const runs = await allPages((page) => runtime.runs(OPERATOR, page));
  const detailed = [];
  for (const run of runs) {
    const { notes } = await runtime.runDetail(OPERATOR, run.runId);
    detailed.push({ ...run, notes: notes.map(({ text }) => text) });
  }
  const events = [];
  for (let page = [{ seq: 0 }]; page.length > 0; events.push(...page)) {
    page = await runtime.eventsAfter(OPERATOR, page.at(-1).seq, undefined, ROWS_MAX);
  }
  const children = await allPages((page) => runtime.children(OPERATOR, {}, page));
  tell({ what: "dump", runs: detailed, children, events });
}

async function obey(order) {
  if (order.what === "submit") await submit(order);
  if (order.what === "drain") await drain();
  if (order.what === "dump") await dump();
  if (order.what === "health") tell({ what: "health", health: runtime.health() });
  if (order.what === "gates") {
    await gates.open();
    tell({ what: "opened" });
  }
  if (order.what === "resume") tell({ what: "resumed", run: await runtime.resume(OPERATOR, order.runId) });
  if (order.what === "close") {
    await runtime.close();
    process.off("disconnect", orphaned);
    process.disconnect();
  }
}

process.on("message", (order) => void obey(order));
tell({ what: "ready", pid: process.pid, recovered: runtime.health().recovered });
