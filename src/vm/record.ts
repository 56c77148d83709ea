// The stored form of one snapshot: everything that a restore relies on stands in the record and
// under its MAC, which is checked before a byte of it is believed. A snapshot is code: whoever could
// change one would change what a run does.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { fault } from "../contract/fault.ts";
import type { SnapshotBlob } from "../contract/snapshot.ts";
import { deflateDifference, inflateDifference, type PageDifference } from "./difference.ts";
import { MAX_WASM_PAGES, MIN_WASM_PAGES } from "./engine-pin.ts";
import type { GuestPointers } from "./instance.ts";
import { isLivePage, PAGE_BYTES } from "./layout.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

const MAGIC = "QSSN";
export const RECORD_VERSION = 1;
const HASH_BYTES = 32;
const MAC_BYTES = 32;
const RUN_ID_BYTES_MAX = 100;
/** Field offsets; integers are little-endian and unsigned. */
const AT = {
  magic: 0,
  version: 4,
  minPages: 6,
  engineHash: 8,
  controllerHash: 40,
  imageHash: 72,
  turn: 104,
  /** 0 = none: a full snapshot. */
  parentTurn: 108,
  pages: 112,
  runtime: 116,
  context: 120,
  dispatch: 124,
  startedMs: 128,
  wallMs: 136,
  pageCount: 144,
  wordCount: 148,
  runBytes: 152,
  deflatedBytes: 156,
  runIdBytes: 160,
  runId: 162,
} as const;

/** What a snapshot says beside the pages. */
export interface RecordFacts {
  runId: string;
  turn: number;
  parentTurn: number | null;
  engineHash: string;
  controllerHash: string;
  imageHash: string;
  /** Size of the memory, WASM pages. */
  pages: number;
  pointers: GuestPointers;
  /** The guest's clock at its first slice and at the end of this one, milliseconds since the epoch. */
  startedMs: number;
  wallMs: number;
}

/** What the reader must find, or it refuses. */
export type RecordExpectation = Pick<RecordFacts, "runId" | "turn" | "parentTurn" | "engineHash" | "imageHash">;

export function macKeyOf(key: Uint8Array): KeyObject {
  return createSecretKey(key);
}

/** Writes and seals a record; the buffer is exactly as long as the record and nobody else's. */
export function sealRecord(key: KeyObject, facts: RecordFacts, difference: PageDifference): Uint8Array<ArrayBuffer> {
  const deflated = deflateDifference(difference);
  const runIdBytes = Buffer.byteLength(facts.runId);
  const pagesAt = AT.runId + runIdBytes;
  const bodyAt = pagesAt + 4 * difference.pages.length;
  const macAt = bodyAt + deflated.bytes.length;
  const bytes = Buffer.from(new ArrayBuffer(macAt + MAC_BYTES));
  bytes.write(MAGIC, AT.magic, "latin1");
  bytes.writeUInt16LE(RECORD_VERSION, AT.version);
  bytes.writeUInt16LE(MIN_WASM_PAGES, AT.minPages);
  bytes.write(facts.engineHash, AT.engineHash, "hex");
  bytes.write(facts.controllerHash, AT.controllerHash, "hex");
  bytes.write(facts.imageHash, AT.imageHash, "hex");
  bytes.writeUInt32LE(facts.turn, AT.turn);
  bytes.writeUInt32LE(facts.parentTurn ?? 0, AT.parentTurn);
  bytes.writeUInt32LE(facts.pages, AT.pages);
  bytes.writeUInt32LE(facts.pointers.runtime, AT.runtime);
  bytes.writeUInt32LE(facts.pointers.context, AT.context);
  bytes.writeUInt32LE(facts.pointers.dispatch, AT.dispatch);
  bytes.writeDoubleLE(facts.startedMs, AT.startedMs);
  bytes.writeDoubleLE(facts.wallMs, AT.wallMs);
  bytes.writeUInt32LE(difference.pages.length, AT.pageCount);
  bytes.writeUInt32LE(deflated.wordCount, AT.wordCount);
  bytes.writeUInt32LE(deflated.runBytes, AT.runBytes);
  bytes.writeUInt32LE(deflated.bytes.length, AT.deflatedBytes);
  bytes.writeUInt16LE(runIdBytes, AT.runIdBytes);
  bytes.write(facts.runId, AT.runId, "utf8");
  difference.pages.forEach((page, index) => {
    bytes.writeUInt32LE(page, pagesAt + 4 * index);
  });
  deflated.bytes.copy(bytes, bodyAt);
  macOf(key, bytes.subarray(0, macAt)).copy(bytes, macAt);
  return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
}

/**
 * Checks and reads a record.
 * @throws Fault `snapshot_damaged` when its bytes are not as they were sealed or do not stand where they
 * are expected, `snapshot_foreign` when another engine, format or base image made it; the message names the check
 */
export function openRecord(
  key: KeyObject,
  stored: Uint8Array,
  expected: RecordExpectation,
): { facts: RecordFacts; difference: PageDifference } {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const damaged = (check: string) =>
    fault("snapshot_damaged", `The snapshot of ${where(expected)} is damaged: ${check}.`);
  const foreign = (check: string) =>
    fault("snapshot_foreign", `The snapshot of ${where(expected)} is foreign: ${check}.`);
  if (bytes.length < AT.runId + MAC_BYTES) throw damaged(`it has only ${bytes.length} bytes`);
  if (bytes.toString("latin1", 0, 4) !== MAGIC) throw damaged("it does not begin with the magic word");
  const macAt = bytes.length - MAC_BYTES;
  if (!timingSafeEqual(macOf(key, bytes.subarray(0, macAt)), bytes.subarray(macAt))) {
    throw damaged("its MAC does not match (bytes were changed, or another key sealed it)");
  }
  const version = bytes.readUInt16LE(AT.version);
  if (version !== RECORD_VERSION) throw foreign(`it has format ${version}, this release reads ${RECORD_VERSION}`);
  if (bytes.readUInt16LE(AT.minPages) !== MIN_WASM_PAGES) throw foreign("its engine had another memory layout");
  const facts = readFacts(bytes);
  if (facts.engineHash !== expected.engineHash) throw foreign(`engine ${facts.engineHash} made it`);
  if (facts.imageHash !== expected.imageHash) throw foreign(`it stands on base image ${facts.imageHash}`);
  if (facts.runId !== expected.runId) throw damaged(`it belongs to run ${facts.runId}`);
  if (facts.turn !== expected.turn) throw damaged(`it was taken after turn ${facts.turn}`);
  if (facts.parentTurn !== expected.parentTurn) throw damaged(`its parent is turn ${facts.parentTurn ?? "none"}`);
  const difference = readDifference(bytes.subarray(0, macAt), facts.pages);
  if (typeof difference === "string") throw damaged(difference);
  return { facts, difference };
}

function readFacts(bytes: Buffer): RecordFacts {
  const parentTurn = bytes.readUInt32LE(AT.parentTurn);
  const runIdEnd = AT.runId + Math.min(bytes.readUInt16LE(AT.runIdBytes), RUN_ID_BYTES_MAX);
  return {
    runId: bytes.toString("utf8", AT.runId, runIdEnd),
    turn: bytes.readUInt32LE(AT.turn),
    parentTurn: parentTurn === 0 ? null : parentTurn,
    engineHash: bytes.toString("hex", AT.engineHash, AT.engineHash + HASH_BYTES),
    controllerHash: bytes.toString("hex", AT.controllerHash, AT.controllerHash + HASH_BYTES),
    imageHash: bytes.toString("hex", AT.imageHash, AT.imageHash + HASH_BYTES),
    pages: bytes.readUInt32LE(AT.pages),
    pointers: {
      runtime: bytes.readUInt32LE(AT.runtime),
      context: bytes.readUInt32LE(AT.context),
      dispatch: bytes.readUInt32LE(AT.dispatch),
    },
    startedMs: bytes.readDoubleLE(AT.startedMs),
    wallMs: bytes.readDoubleLE(AT.wallMs),
  };
}

/** The pages of a record without its MAC, or which check failed. */
function readDifference(bytes: Buffer, memoryPages: number): PageDifference | string {
  if (memoryPages < MIN_WASM_PAGES || memoryPages > MAX_WASM_PAGES) return `it claims ${memoryPages} memory pages`;
  const pageCount = bytes.readUInt32LE(AT.pageCount);
  const pagesAt = AT.runId + bytes.readUInt16LE(AT.runIdBytes);
  const bodyAt = pagesAt + 4 * pageCount;
  if (bodyAt + bytes.readUInt32LE(AT.deflatedBytes) !== bytes.length) return "its lengths do not add up";
  const pageMax = (memoryPages * WASM_PAGE_BYTES) / PAGE_BYTES;
  const pages: number[] = [];
  for (let at = pagesAt; at < bodyAt; at += 4) {
    const page = bytes.readUInt32LE(at);
    if (page <= (pages.at(-1) ?? -1) || page >= pageMax || !isLivePage(page)) return `it names page ${page}`;
    pages.push(page);
  }
  const wordCount = bytes.readUInt32LE(AT.wordCount);
  const runBytes = bytes.readUInt32LE(AT.runBytes);
  const difference = inflateDifference(pages, { wordCount, runBytes, bytes: bytes.subarray(bodyAt) });
  return difference ?? "its pages do not inflate to their size";
}

function macOf(key: KeyObject, bytes: Uint8Array): Buffer {
  return createHmac("sha256", key).update(bytes).digest();
}

function where(expected: RecordExpectation): string {
  return `run ${expected.runId} after turn ${expected.turn}`;
}

/** The record as the registry keeps it. */
export function blobOf(facts: RecordFacts, bytes: Uint8Array): SnapshotBlob {
  const { runId, turn, parentTurn, imageHash } = facts;
  return { runId, turn, parentTurn, imageHash, bytes };
}
