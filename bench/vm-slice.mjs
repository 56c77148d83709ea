#!/usr/bin/env node
// VM trials; prints one line of JSON a trial, times in milliseconds (least, median, 90 %). Needs `npm run build`.
//   stages  in one thread: one answer delivered and pumped, heap scrubbed, pages compared, step sealed
//   hot     the same seen from the pool's side: one slice on a hot VM, message to message
//   cold    one slice on a VM that is restored from its chain first
//   fresh   first slice of a new run
//   open    from nothing to a pool with one worker ready
// Not measured: the registry, other runs beside this one, scripts that compute.

import { randomKey, systemClock } from "../dist/contract/clock.js";
import { bootImage } from "../dist/vm/base-image.js";
import { loadEngine } from "../dist/vm/engine.js";
import { GuestVm } from "../dist/vm/guest-vm.js";
import { scrubHeap } from "../dist/vm/heap.js";
import { openVmPool } from "../dist/vm/pool.js";
import { macKeyOf } from "../dist/vm/record.js";
import { InstanceShelf } from "../dist/vm/shelf.js";
import { runSlice } from "../dist/vm/slice.js";

const CONTROLLER = `(function (bridge) {
  "use strict";
  const { parse } = JSON, evaluate = eval, pending = new Map();
  let next = 1;
  globalThis.ask = (question) => new Promise((resolve) => {
    pending.set(next, resolve);
    bridge(0, next++, "ask", question);
  });
  return (op, id, a, b) => {
    if (op === 2) evaluate(a)().then((value) => bridge(1, 0, "", String(value)), (error) => bridge(1, 0, "", error.stack));
    else if (op === 0) {
      const resolve = pending.get(id);
      pending.delete(id);
      resolve(parse(a));
    }
    return 0;
  };
})`;

const SCRIPT = `(async () => {
  class Task { #score = 0; constructor(title) { this.title = title; } add(n) { this.#score += n; return this.#score; } }
  const tasks = Array.from({ length: 40 }, (_, i) => new Task("task number " + i));
  const seen = new Map(), log = [];
  async function* rounds() { for (let i = 0; ; i++) yield i; }
  const others = Array.from({ length: 5 }, (_, i) => ask("side " + i));
  for await (const round of rounds()) {
    const answer = await ask("what about " + tasks[round % 40].title + "?");
    seen.set(round % 100, { round, answer, score: tasks[round % 40].add(answer.length) });
    log[round % 50] = answer.slice(0, 40);
    if (round > 1e9) break;
  }
  return log.length + others.length;
})`;

const LIMITS = {
  timeoutMs: 10_000,
  memoryLimitBytes: 64 * 1024 * 1024,
  maxOutputBytes: 1024 * 1024,
  maxMessages: 1000,
  maxSnapshotBytes: 10 * 1024 * 1024,
};
const RULES = { reseedOp: 3, finalOps: [1] };
const ROUNDS = 2_000;
const WARM_UP = 500;
const START = { op: 2, id: 0, a: SCRIPT, b: "" };
const TRIALS = { stages, hot, cold, fresh, open };

function answerTo(report) {
  const call = report.messages.at(-1);
  return { op: 0, id: call.id, a: JSON.stringify(`answer ${call.id} to: ${call.json}`), b: "" };
}

function summary(samples) {
  const sorted = Float64Array.from(samples).sort();
  const at = (share) => Number(sorted[Math.floor(share * (sorted.length - 1))].toFixed(4));
  return { min: at(0), p50: at(0.5), p90: at(0.9) };
}

function timed(samples, run) {
  const began = performance.now();
  const result = run();
  samples.push(performance.now() - began);
  return result;
}

async function stages() {
  const engine = loadEngine();
  const maker = { engine, macKey: macKeyOf(randomKey(32)), shelf: new InstanceShelf(engine) };
  const image = await bootImage(engine, CONTROLLER);
  const vm = await GuestVm.fresh(maker, image, "run_bench", LIMITS.memoryLimitBytes);
  const times = { guest: [], scrub: [], snapshot: [], slice: [] };
  let guestMs = 0;
  let report;
  let began;
  const around = {
    rules: RULES,
    clock: systemClock,
    guestDone: () => {
      guestMs = performance.now() - began;
    },
  };
  const stepBytes = [];
  let fullBytes = 0;
  for (let turn = 1; turn <= ROUNDS + WARM_UP; turn++) {
    const deliveries = [turn === 1 ? START : answerTo(report)];
    if (turn === WARM_UP) for (const list of Object.values(times)) list.length = 0;
    began = performance.now();
    report = runSlice(vm, { runId: "run_bench", turn, deliveries, limits: LIMITS, nowMs: Date.now() }, false, around);
    const sliceMs = performance.now() - began;
    times.guest.push(guestMs);
    times.slice.push(sliceMs);
    times.snapshot.push(sliceMs - guestMs);
    timed(times.scrub, () => scrubHeap(vm.instance.memory));
    if (report.snapshot.parentTurn === null) fullBytes = report.snapshot.bytes.length;
    else if (turn > WARM_UP) stepBytes.push(report.snapshot.bytes.length);
  }
  return {
    ...Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list)])),
    stepBytes: summary(stepBytes).p50,
    fullBytes,
    heapBytesUsed: scrubHeap(vm.instance.memory),
  };
}

function openPool() {
  return openVmPool({
    controller: CONTROLLER,
    ...RULES,
    macKey: randomKey(32),
    workerCount: 1,
    hotVmsMax: 64,
    image: async () => undefined,
    clock: systemClock,
  });
}

/** Turns of one run on a pool; `before` may evict it. */
async function turns(before, count) {
  const pool = await openPool();
  const samples = [];
  let chain = [];
  let report;
  for (let turn = 1; turn <= count + WARM_UP; turn++) {
    const deliveries = [turn === 1 ? START : answerTo(report)];
    before(pool);
    const began = performance.now();
    report = await pool.slice({
      runId: "run_bench",
      turn,
      deliveries,
      chain: async () => chain,
      limits: LIMITS,
      nowMs: Date.now(),
    });
    if (turn > WARM_UP) samples.push(performance.now() - began);
    if (report.snapshot.parentTurn === null) chain = [];
    chain.push(report.snapshot);
  }
  await pool.close();
  return { slice: summary(samples) };
}

function hot() {
  return turns(() => {}, ROUNDS);
}

function cold() {
  return turns((pool) => pool.evict("run_bench"), ROUNDS / 2);
}

async function fresh() {
  const pool = await openPool();
  const samples = [];
  for (let run = 0; run < ROUNDS / 2; run++) {
    const began = performance.now();
    await pool.slice({
      runId: `run_${run}`,
      turn: 1,
      deliveries: [START],
      chain: async () => [],
      limits: LIMITS,
      nowMs: Date.now(),
    });
    samples.push(performance.now() - began);
  }
  await pool.close();
  return { slice: summary(samples) };
}

async function open() {
  const samples = [];
  for (let i = 0; i < 10; i++) {
    const began = performance.now();
    const pool = await openPool();
    samples.push(performance.now() - began);
    await pool.close();
  }
  return { open: summary(samples), first: Number(samples[0].toFixed(1)) };
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TRIALS);
for (const name of names) console.log(JSON.stringify({ trial: name, ...(await TRIALS[name]()) }));
