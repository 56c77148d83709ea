// Advances three runs without end and prints a line for every write that was acknowledged. Ends itself
// with SIGKILL at the named failure point, when one is given. Started by crash.test.ts.
// Usage: write.mjs DIR [POINT COUNT]

import { writeSync } from "node:fs";
import { systemClock } from "../../../dist/contract/clock.js";
import { openRegistry } from "../../../dist/registry/open.js";

const [dataDir, point, count] = process.argv.slice(2);
const RUNS = 3;
let passed = 0;
const registry = await openRegistry({
  dataDir,
  clock: systemClock,
  failurePoint(name) {
    if (name !== point) return;
    passed += 1;
    if (passed === Number(count)) process.kill(process.pid, "SIGKILL");
  },
});
await registry.recover(0);
await Promise.all(Array.from({ length: RUNS }, (_, index) => advance(index + 1)));

async function advance(number) {
  const digits = number.toString(16).padStart(32, "0");
  const runId = `run_${digits}`;
  if (!(await registry.runForTurn(runId))) await registry.createRun(newRun(runId));
  for (;;) {
    const row = await registry.runForTurn(runId);
    const turn = row.run.turn + 1;
    const answers = await registry.undelivered(runId, 10, 1_000_000);
    if (turn > 1 && answers.length === 0) {
      await finish(`agt_${digits}_${turn * 2 - 3}`);
      continue;
    }
    await registry.commitTurn(turnOf(runId, digits, turn, row.epoch, answers));
    acknowledged({ runId, turn });
    await finish(`agt_${digits}_${turn * 2 - 1}`);
  }
}

/** The child may be queued again after a restart: it is claimed then. */
async function finish(childId) {
  await registry.claimChildren([childId], 0);
  const child = await registry.childForRun(childId);
  const { attempts } = child.record;
  const base = { structured: undefined, schemaError: undefined, error: undefined, errorCode: undefined };
  const spent = { usage: undefined, costUsd: undefined };
  const end = { childId, attempt: attempts, status: "done", text: `by attempt ${attempts}`, at: 0, ...base, ...spent };
  const { applied } = await registry.completeChild(end);
  if (applied) acknowledged({ childId, text: end.text });
}

function acknowledged(what) {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

function newRun(runId) {
  const texts = { name: "crash", language: "js", fileName: "crash.js", sourceText: "x", code: "y", args: undefined };
  const rest = { model: "m", agentId: undefined, idempotencyKey: undefined, limits: "{}", at: 0 };
  return { runId, sessionKey: "owner", parentSessionKey: null, groupId: runId, ...texts, ...rest };
}

function turnOf(runId, digits, turn, epoch, answers) {
  const callId = turn * 2 - 1;
  const childId = `agt_${digits}_${callId}`;
  const wait = { mode: "one", ids: [childId], timeoutMs: null };
  const child = { childId, callId, agentId: undefined, model: "m", prompt: "p", options: {}, groupId: runId };
  return {
    ...{ runId, epoch, turn, settled: [], notesDropped: 0, outcome: null, at: 0 },
    consumed: answers.map((answer) => ({ callId: answer.callId, settleNumber: answer.settleNumber })),
    calls: [
      { callId, method: "agentSpawn", args: { prompt: "p", options: {} } },
      { callId: callId + 1, method: "agentWait", args: wait },
    ],
    children: [{ ...child, sessionKey: "owner", depth: 1, admitted: true, deadlineAt: null }],
    groupLimits: { maxChildrenPerGroup: 10, maxTotalPerGroup: 1_000_000 },
    notes: [{ kind: "log", level: "info", text: `turn ${turn}` }],
    snapshot: {
      ...{ runId, turn, parentTurn: turn % 4 === 1 ? null : turn - 1, imageHash: "image" },
      bytes: Buffer.alloc(3_000, turn),
    },
  };
}
