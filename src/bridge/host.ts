// The only door between the swarm and the guest: answers go in as text, typed calls come out
// (laws L2, L4, L5, L6). Opens the VM pool with the controller and gives turns to it.

import type { Clock } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import { CALLS_PER_TURN_MAX, MIB_BYTES, NOTES_PER_TURN_MAX } from "../contract/limits.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";
import { openVmPool } from "../vm/pool.ts";
import type { Delivery, SliceReport, SliceRequest, VmPool } from "../vm/port.ts";
import { controllerText } from "./controller/index.ts";
import { GUEST_OP, HOST_OP } from "./ops.ts";
import { readOutbox } from "./outbox.ts";
import { unhandledOutcome } from "./outcome.ts";
import type { Answer, GuestForkRequest, GuestHost, GuestStart, GuestTurnReport, GuestTurnRequest } from "./port.ts";

export interface GuestHostOptions {
  /** 32 bytes; seals every snapshot. */
  macKey: Uint8Array;
  /** VM worker threads; at least 1. */
  workerCount: number;
  hotVmsPerWorker: number;
  /** Reads an older base image that a snapshot stands on. */
  image: (imageHash: string) => Promise<ImageBlob | undefined>;
  clock: Clock;
}

/** Most bytes that one turn may send in all: calls, notes and the result. */
const TURN_OUTPUT_BYTES_MAX = 64 * MIB_BYTES;
/** Calls, notes, and the two messages that end a script and a turn. */
const TURN_MESSAGES_MAX = CALLS_PER_TURN_MAX + NOTES_PER_TURN_MAX + 2;
const FILE_NAME_CHARS_MAX = 300;

/** Opens the guest side of a gateway. The caller ends it with `close`, which ends every worker (L7). */
export async function openGuestHost(options: GuestHostOptions): Promise<GuestHost> {
  const pool = await openVmPool({
    controller: controllerText(),
    reseedOp: HOST_OP.reseed,
    finalOps: [GUEST_OP.result, GUEST_OP.failure],
    macKey: options.macKey,
    workerCount: options.workerCount,
    hotVmsMax: options.hotVmsPerWorker,
    image: options.image,
    clock: options.clock,
  });
  return {
    baseImage: pool.baseImage,
    compile: (script) => pool.compile(script),
    turn: (request) => runTurn(pool, request),
    fork: (request) => forkRun(pool, request),
    evict: (runId) => pool.evict(runId),
    interrupt: (runId) => pool.interrupt(runId),
    stats: () => pool.stats(),
    close: () => pool.close(),
  };
}

async function runTurn(pool: VmPool, request: GuestTurnRequest): Promise<GuestTurnReport> {
  const slice = await pool.slice(sliceRequest(request));
  try {
    return turnReport(pool, request, slice);
  } catch (error) {
    // The turn will not be committed, so the VM that ran it is ahead of the run: forget it (L1).
    pool.evict(request.runId);
    throw error;
  }
}

async function forkRun(pool: VmPool, request: GuestForkRequest): Promise<SnapshotBlob> {
  const { runId, source, chain, limits, nowMs } = request;
  const { messages, snapshot } = await pool.slice({
    runId,
    turn: source.turn,
    forkOf: source.runId,
    deliveries: [{ op: HOST_OP.adopt, id: 0, a: runId, b: "" }],
    chain,
    limits: sliceLimits(limits),
    nowMs,
  });
  if (snapshot && messages.length === 1 && messages[0]?.op === GUEST_OP.adopted) return snapshot;
  throw fault("snapshot_foreign", `Run ${source.runId} began with a controller that cannot be forked.`);
}

function turnReport(pool: VmPool, request: GuestTurnRequest, slice: SliceReport): GuestTurnReport {
  const outbox = readOutbox(request.runId, slice.messages, request.limits);
  let { outcome } = outbox;
  // A run that ended well in the very slice that left a rejection behind has failed all the same (G-015).
  if (slice.unhandled && outcome?.state !== "failed") outcome = unhandledOutcome(slice.unhandled, outbox.file);
  if (outcome && slice.snapshot) pool.evict(request.runId);
  return {
    calls: outbox.calls,
    refused: outbox.refused,
    notes: outbox.notes,
    notesDropped: outbox.notesDropped,
    outcome,
    snapshot: outcome ? null : slice.snapshot,
    restored: slice.restored,
    cpuMs: slice.cpuMs,
  };
}

function sliceRequest(request: GuestTurnRequest): SliceRequest {
  const deliveries: Delivery[] = [];
  if (request.start) deliveries.push(startDelivery(request.runId, request.start, request.limits.maxOutputBytes));
  for (const answer of request.answers) deliveries.push(answerDelivery(answer));
  deliveries.push({ op: HOST_OP.close, id: 0, a: "", b: "" });
  return {
    runId: request.runId,
    turn: request.turn,
    deliveries,
    chain: request.chain,
    limits: sliceLimits(request.limits),
    nowMs: request.nowMs,
  };
}

function sliceLimits(limits: GuestTurnRequest["limits"]): SliceRequest["limits"] {
  const { timeoutMs, memoryLimitBytes, maxSnapshotBytes, maxFuel } = limits;
  return {
    timeoutMs,
    memoryLimitBytes,
    maxSnapshotBytes,
    maxFuel,
    maxOutputBytes: TURN_OUTPUT_BYTES_MAX,
    maxMessages: TURN_MESSAGES_MAX,
  };
}

function startDelivery(runId: string, start: GuestStart, noteCharsMax: number): Delivery {
  const fileName = visibleName(start.fileName);
  const { dialect, budget, tools = [] } = start;
  const fields = JSON.stringify({ runId, fileName, noteCharsMax, dialect, budget, tools });
  // args is JSON text already and may be large: it is put in as it is.
  const boot = start.args === undefined ? fields : `${fields.slice(0, -1)},"args":${start.args}}`;
  return { op: HOST_OP.start, id: 0, a: JSON.stringify(start.code), b: boot };
}

function visibleName(fileName: string): string {
  return fileName.slice(0, FILE_NAME_CHARS_MAX).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "?");
}

function answerDelivery(answer: Answer): Delivery {
  const b = answer.meta === undefined ? "" : JSON.stringify(answer.meta);
  if (answer.ok) return { op: HOST_OP.fulfil, id: answer.callId, a: answer.value, b };
  return { op: HOST_OP.reject, id: answer.callId, a: JSON.stringify(answer.error), b };
}
