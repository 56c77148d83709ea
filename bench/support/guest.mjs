// Drives the VM pool as the bridge does, without a registry: one slice after the other, with the
// stored chain kept here.

import { randomBytes } from "node:crypto";
import { controllerText } from "../../dist/bridge/controller/index.js";
import { GUEST_OP, HOST_OP } from "../../dist/bridge/ops.js";
import { systemClock } from "../../dist/contract/clock.js";
import { openVmPool } from "../../dist/vm/pool.js";

const MIB_BYTES = 1024 * 1024;
const LIMITS = {
  timeoutMs: 60_000,
  memoryLimitBytes: 64 * MIB_BYTES,
  maxOutputBytes: 64 * MIB_BYTES,
  maxMessages: 100_000,
  maxSnapshotBytes: 64 * MIB_BYTES,
};
const ANSWER = JSON.stringify("the answer of a child, a sentence long or two, as agents give them. ".repeat(4));
const CLOSE = { op: HOST_OP.close, id: 0, a: "", b: "" };

export async function openGuests(hotVmsMax = 64) {
  const pool = await openVmPool({
    controller: controllerText(),
    reseedOp: HOST_OP.reseed,
    finalOps: [GUEST_OP.result, GUEST_OP.failure],
    macKey: randomBytes(32),
    workerCount: 1,
    hotVmsMax,
    image: () => Promise.resolve(undefined),
    clock: systemClock,
  });
  return { pool, start: (script) => startGuest(pool, script), close: () => pool.close() };
}

/** A guest after its first slice. */
async function startGuest(pool, script) {
  const code = await pool.compile({ text: script, language: "js", fileName: "bench.js" });
  const guest = { pool, runId: `run_${randomBytes(16).toString("hex")}`, turn: 0, chain: [], waitId: 0 };
  const boot = { runId: guest.runId, fileName: "bench.js", seed: "1", noteCharsMax: 65_536 };
  const start = { op: HOST_OP.start, id: 0, a: JSON.stringify(code), b: JSON.stringify(boot) };
  return { guest, ...(await slice(guest, [start, CLOSE])) };
}

/** Answers the guest's last call: one further step. */
export function stepGuest(guest) {
  return slice(guest, [{ op: HOST_OP.fulfil, id: guest.waitId, a: ANSWER, b: "" }, CLOSE]);
}

async function slice(guest, deliveries) {
  guest.turn += 1;
  const { pool, runId, turn } = guest;
  const startedAt = performance.now();
  const chain = () => Promise.resolve(guest.chain);
  const report = await pool.slice({ runId, turn, deliveries, chain, limits: LIMITS, nowMs: Date.now() });
  const elapsedMs = performance.now() - startedAt;
  const { snapshot } = report;
  if (!snapshot) throw new Error(`the guest ended in turn ${turn}: ${JSON.stringify(report.messages.at(-1))}`);
  guest.chain = snapshot.parentTurn === null ? [snapshot] : [...guest.chain, snapshot];
  const waits = report.messages.filter((message) => message.method === "agentWait");
  guest.waitId = waits.at(-1)?.id ?? guest.waitId;
  return { elapsedMs, report, bytes: snapshot.bytes.length, isFull: snapshot.parentTurn === null };
}
