#!/usr/bin/env node
// Registry trials, each in a process of its own; prints one line of JSON a trial. Needs `npm run build`.
//   sequential one commitTurn (1 answer consumed, 2 calls, 1 child admitted, 2 KB snapshot) and the
//              completeChild that wakes it, one after the other; measured against a bare pair of SQLite
//              transactions (WAL, synchronous=FULL, one small row each), in alternating blocks
//   grouped    the same two operations of 256 runs, 512 in one commit
//   parked     100,000 runs parked on a sleep or a queued child with 3 KB of snapshot each: bytes a run, start
// Not measured: other programs on the disk, VMs, HTTP.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { systemClock } from "../dist/contract/clock.js";
import { openRegistry } from "../dist/registry/open.js";

const LIMITS = { maxChildrenPerGroup: 1_000_000, maxTotalPerGroup: 1_000_000 };
const TRIALS = { sequential, grouped, parked };
const clock = systemClock;

function runIdOf(index) {
  return `run_${index.toString(16).padStart(32, "0")}`;
}

function newRun(index) {
  return {
    runId: runIdOf(index),
    sessionKey: "bench",
    parentSessionKey: null,
    groupId: `swarm:bench:${index}`,
    name: "bench.js",
    language: "js",
    fileName: "bench.js",
    sourceText: "await agents.run('x')",
    code: "(async () => { await agents.run('x') })()",
    args: undefined,
    model: "offline:echo",
    agentId: undefined,
    idempotencyKey: undefined,
    limits: JSON.stringify({ codeMode: { timeoutMs: 10_000 }, swarm: LIMITS }),
    at: clock.now(),
  };
}

/** One turn: consumes the wait of the turn before, spawns a child and waits for it. */
function turnOf(index, turn, snapshotBytes, admitted = true) {
  const runId = runIdOf(index);
  const spawnId = turn * 2 - 1;
  const childId = `agt_${runId.slice(4)}_${spawnId}`;
  const prompt = "Summarise the document that is named in this sentence in three lines.";
  return {
    runId,
    epoch: 1,
    turn,
    consumed: turn === 1 ? [] : [{ callId: spawnId - 1, settleNumber: turn - 1 }],
    calls: [
      { callId: spawnId, method: "agentSpawn", args: { prompt, options: {} }, line: 1, column: 7 },
      { callId: spawnId + 1, method: "agentWait", args: { mode: "one", ids: [childId], timeoutMs: null }, line: 1 },
    ],
    children: [
      {
        childId,
        callId: spawnId,
        agentId: undefined,
        model: "offline:echo",
        prompt,
        options: {},
        groupId: `swarm:bench:${index}`,
        sessionKey: "bench",
        depth: 1,
        admitted,
        deadlineAt: null,
      },
    ],
    groupLimits: LIMITS,
    settled: [],
    notes: [],
    notesDropped: 0,
    snapshot: {
      runId,
      turn,
      parentTurn: turn % 16 === 1 ? null : turn - 1,
      imageHash: "0".repeat(64),
      bytes: snapshotBytes,
    },
    outcome: null,
    at: clock.now(),
  };
}

function sleepTurn(index, snapshotBytes) {
  const turn = turnOf(index, 1, snapshotBytes);
  return { ...turn, calls: [{ callId: 1, method: "sleep", args: { milliseconds: 86_400_000 } }], children: [] };
}

function completionOf(index, turn) {
  return {
    childId: `agt_${runIdOf(index).slice(4)}_${turn * 2 - 1}`,
    attempt: 1,
    status: "done",
    text: "Three lines that say what was asked for, as a child would answer them.",
    structured: undefined,
    schemaError: undefined,
    error: undefined,
    errorCode: undefined,
    usage: { inputTokens: 120, outputTokens: 40 },
    costUsd: 0.0004,
    at: clock.now(),
  };
}

/** Alternates blocks of both, so that whatever else the machine does falls on both alike. */
async function sequential(dir) {
  const bare = openBare(dir);
  const registry = await openRegistry({ dataDir: dir, clock });
  await registry.createRun(newRun(1));
  const snapshot = filled(2_048);
  const samples = { bare: [], pair: [] };
  let turn = 0;
  for (let block = 0; block < 100; block += 1) {
    for (let pair = 0; pair < 50; pair += 1) {
      const from = clock.monotonic();
      bare.pair(pair);
      samples.bare.push(clock.monotonic() - from);
    }
    for (let pair = 0; pair < 50; pair += 1) {
      turn += 1;
      const from = clock.monotonic();
      await registry.commitTurn(turnOf(1, turn, snapshot));
      await registry.completeChild(completionOf(1, turn));
      samples.pair.push(clock.monotonic() - from);
    }
  }
  bare.close();
  await registry.close();
  const yardstick = spread(samples.bare);
  const pair = spread(samples.pair);
  return {
    pairs: turn,
    bare: yardstick,
    pair,
    ratioOfMedians: round2(pair.medianMs / yardstick.medianMs),
    target: 2.3,
  };
}

function openBare(dir) {
  const db = new Database(join(dir, "bare.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE t (n INTEGER PRIMARY KEY, v INTEGER) STRICT");
  const begin = db.prepare("BEGIN IMMEDIATE");
  const insert = db.prepare("INSERT INTO t (v) VALUES (?)");
  const commit = db.prepare("COMMIT");
  const pair = (value) => {
    for (let half = 0; half < 2; half += 1) {
      begin.run();
      insert.run(value);
      commit.run();
    }
  };
  return { pair, close: () => db.close() };
}

async function grouped(dir) {
  const registry = await openRegistry({ dataDir: dir, clock });
  const runs = 256;
  for (let index = 0; index < runs; index += 1) void registry.createRun(newRun(index));
  await registry.recover(clock.now());
  const snapshot = filled(2_048);
  const rounds = 60;
  const samples = [];
  const cpuFrom = process.cpuUsage();
  for (let round = 1; round <= rounds; round += 1) {
    const turns = Array.from({ length: runs }, (_, index) => turnOf(index, round, snapshot));
    const ends = Array.from({ length: runs }, (_, index) => completionOf(index, round));
    const from = clock.monotonic();
    const writes = turns.map((turn) => registry.commitTurn(turn));
    writes.push(...ends.map((end) => registry.completeChild(end)));
    await Promise.all(writes);
    samples.push(clock.monotonic() - from);
  }
  const cpu = process.cpuUsage(cpuFrom);
  const { commits, operations } = registry.counters();
  await registry.close();
  const count = rounds * runs * 2;
  const total = samples.reduce((sum, ms) => sum + ms, 0);
  const cpuMicroseconds = round2((cpu.user + cpu.system) / count);
  const operationsPerSecond = Math.round((count * 1_000) / total);
  return { operationsPerSecond, cpuMicroseconds, perCommit: Math.round(operations / commits), ...spread(samples) };
}

async function parked(dir) {
  const runs = 100_000;
  let registry = await openRegistry({ dataDir: dir, clock });
  const snapshot = filled(3_072);
  const from = clock.monotonic();
  for (let start = 0; start < runs; start += 500) {
    const writes = [];
    for (let index = start; index < start + 500; index += 1) {
      writes.push(registry.createRun(newRun(index)));
      writes.push(
        registry.commitTurn(
          index % 2 === 0 ? sleepTurn(index, snapshot) : turnOf(index, 1, snapshot, index % 1_000 === 1),
        ),
      );
    }
    await Promise.all(writes);
  }
  const storedMs = clock.monotonic() - from;
  await registry.close();
  const bytes = statSync(join(dir, "quickswarm.db")).size;
  const openFrom = clock.monotonic();
  registry = await openRegistry({ dataDir: dir, clock });
  const openMs = clock.monotonic() - openFrom;
  const recoverFrom = clock.monotonic();
  const recovery = await registry.recover(clock.now());
  const recoverMs = clock.monotonic() - recoverFrom;
  const { activeRuns, requeued, readyRuns } = recovery;
  const rssMiB = Math.round(process.memoryUsage().rss / 1_048_576);
  await registry.close();
  return {
    runs,
    bytesPerRun: Math.round(bytes / runs),
    storedMs: Math.round(storedMs),
    openMs: round2(openMs),
    recoverMs: round2(recoverMs),
    activeRuns,
    requeued,
    ready: readyRuns.length,
    rssMiB,
  };
}

function filled(bytes) {
  const value = new Uint8Array(bytes);
  for (let index = 0; index < bytes; index += 1) value[index] = (index * 31) & 255;
  return value;
}

function spread(samples) {
  const sorted = [...samples].sort((left, right) => left - right);
  const at = (share) => round2(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return { medianMs: at(0.5), p99Ms: at(0.99), meanMs: round2(samples.reduce((a, b) => a + b, 0) / samples.length) };
}

function round2(value) {
  return Math.round(value * 1_000) / 1_000;
}

async function runTrial(name) {
  const dir = mkdtempSync(join(tmpdir(), "quickswarm-bench-"));
  try {
    console.log(JSON.stringify({ trial: name, ...(await TRIALS[name](dir)) }));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function runAll(names) {
  for (const name of names) {
    const script = fileURLToPath(import.meta.url);
    const done = spawnSync(process.execPath, [script, "--trial", name], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (done.status !== 0) throw new Error(`trial ${name} ended with ${done.status}`);
    process.stdout.write(done.stdout);
  }
}

const [flag, name] = process.argv.slice(2);
if (flag === "--trial" && Object.hasOwn(TRIALS, name)) await runTrial(name);
else runAll(flag === undefined ? Object.keys(TRIALS) : process.argv.slice(2));
