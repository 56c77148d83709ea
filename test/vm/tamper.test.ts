// A snapshot is code: only what this installation sealed, for this run and this turn, is ever restored.

import { createHmac } from "node:crypto";
import { assert, constantFrom, integer, property, record, uint8Array } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFault } from "../../src/contract/fault.ts";
import type { SnapshotBlob } from "../../src/contract/snapshot.ts";
import type { BaseImage } from "../../src/vm/base-image.ts";
import { packImage, unpackImage } from "../../src/vm/base-image.ts";
import type { VmMaker } from "../../src/vm/guest-vm.ts";
import type { VmPool } from "../../src/vm/port.ts";
import { macKeyOf, openRecord, type RecordExpectation, sealRecord } from "../../src/vm/record.ts";
import { CONTROLLER } from "./support/controller.ts";
import { MAC_KEY, openTestPool, TestRun } from "./support/guest.ts";
import { openTestRoom } from "./support/room.ts";

const FUZZ_RUNS = 100_000;
const FUZZ_SEED = 20_261_130;

let pool: VmPool;
let maker: VmMaker;
let image: BaseImage;
beforeAll(async () => {
  pool = await openTestPool();
  ({ maker, image } = await openTestRoom());
});
afterAll(() => pool.close());

/** A parked run with a chain of a full snapshot and two steps. */
async function parkedRun(): Promise<TestRun> {
  const run = new TestRun(pool);
  await run.start("const seen = []; for (;;) seen.push(await host.next(seen.length))");
  await run.fulfil(run.calls[0], "one");
  await run.fulfil(run.calls[0], "two");
  run.forget();
  return run;
}

function expectation(blob: SnapshotBlob): RecordExpectation {
  const { runId, turn, parentTurn, imageHash } = blob;
  return { runId, turn, parentTurn, imageHash, engineHash: maker.engine.hash };
}

/** What the pool answers when a run is continued from this chain. */
async function continued(run: TestRun, chain: SnapshotBlob[], through: VmPool = pool): Promise<unknown> {
  const deliveries = [{ op: 0, id: run.calls[0]?.id ?? 0, a: "1", b: "" }];
  const { runId, turn, limits } = run;
  const request = { runId, turn: turn + 1, deliveries, chain: async () => chain, limits, nowMs: 0 };
  try {
    await through.slice(request);
    through.evict(runId);
    return "accepted";
  } catch (error) {
    return isFault(error) ? `${error.code}: ${error.message.replace(/^[^:]*: /, "")}` : error;
  }
}

function flipped(blob: SnapshotBlob, at: number, bit = 1): SnapshotBlob {
  const bytes = Uint8Array.from(blob.bytes);
  bytes[at] = (bytes[at] ?? 0) ^ bit;
  return { ...blob, bytes };
}

test("R-003 one flipped bit anywhere in a record is refused, and the untouched chain is accepted after it", async () => {
  const run = await parkedRun();
  for (const [index, blob] of run.chain.entries()) {
    const expected = expectation(blob);
    for (let at = 0; at < blob.bytes.length; at++) {
      const bad = flipped(blob, at, 1 << (at % 8));
      expect(() => openRecord(maker.macKey, bad.bytes, expected), `link ${index}, byte ${at}`).toThrow(/is damaged/);
    }
  }
  expect(await continued(run, run.chain)).toBe("accepted");
});

test("R-003 the pool refuses a flipped bit in every region of every link, and says which check failed", async () => {
  const run = await parkedRun();
  for (const index of run.chain.keys()) {
    const blob = run.chain[index];
    for (const at of [0, 4, 8, 40, 72, 104, 108, 112, 116, 128, 144, 156, 162, 300, (blob?.bytes.length ?? 0) - 1]) {
      const chain = run.chain.map((link, i) => (i === index ? flipped(link, at) : link));
      expect(await continued(run, chain)).toMatch(/^snapshot_damaged: (its MAC|it does not begin)/);
    }
  }
  expect(await continued(run, run.chain)).toBe("accepted");
});

test("R-003 a record that is cut or longer is refused", async () => {
  const run = await parkedRun();
  const [full, ...steps] = run.chain;
  if (!full) throw new RangeError("no chain");
  for (const length of [0, 1, 100, full.bytes.length - 1]) {
    expect(await continued(run, [{ ...full, bytes: full.bytes.slice(0, length) }, ...steps])).toMatch(
      /^snapshot_damaged/,
    );
  }
  const longer = Buffer.concat([full.bytes, Buffer.alloc(1)]);
  expect(await continued(run, [{ ...full, bytes: longer }, ...steps])).toMatch(/^snapshot_damaged: its MAC/);
});

test("R-003 another key's seal is refused", async () => {
  const run = await parkedRun();
  const stranger = await openTestPool({ macKey: new Uint8Array(32).fill(8) });
  expect(await continued(run, run.chain, stranger)).toMatch(/^snapshot_damaged: its MAC does not match/);
  await stranger.close();
});

test("R-003 another run's snapshot, an older turn's and a chain with a gap are refused", async () => {
  const run = await parkedRun();
  const other = await parkedRun();
  const [full, first, second] = run.chain;
  if (!full || !first || !second) throw new RangeError("the chain is short");
  expect(await continued(run, other.chain)).toMatch(/^snapshot_damaged: it belongs to run run_/);
  expect(await continued(run, [full, first])).toMatch(/ends at turn 2, not 3/);
  expect(await continued(run, [full, { ...first, turn: 3 }])).toMatch(/^snapshot_damaged: it was taken after turn 2/);
  expect(await continued(run, [full, second])).toMatch(/^snapshot_damaged: its parent is turn 2/);
  expect(await continued(run, [first, second])).toMatch(/^snapshot_damaged: its parent is turn 1/);
  expect(await continued(run, [])).toMatch(/^snapshot_damaged/);
  expect(await continued(run, run.chain)).toBe("accepted");
});

test("R-003 R-007 a snapshot of another engine or controller is foreign, not damaged", async () => {
  const run = await parkedRun();
  const [full] = run.chain;
  if (!full) throw new RangeError("no chain");
  const { facts, difference } = openRecord(maker.macKey, full.bytes, expectation(full));
  const seal = (change: Partial<typeof facts>) => {
    const bytes = sealRecord(macKeyOf(MAC_KEY), { ...facts, ...change }, difference);
    return () => openRecord(maker.macKey, bytes, expectation(full));
  };
  expect(seal({})().facts).toEqual(facts);
  expect(seal({ engineHash: "0".repeat(64) })).toThrow(/is foreign: engine 0000/);
  expect(seal({ imageHash: "1".repeat(64) })).toThrow(/is foreign: it stands on base image 1111/);
  expect(
    await continued(
      run,
      run.chain.map((link) => ({ ...link, imageHash: "2".repeat(64) })),
    ),
  ).toMatch(/^snapshot_foreign/);
});

test("R-007 a run that began under an older controller goes on as long as its base image is kept", async () => {
  const run = await parkedRun();
  const older = pool.baseImage;
  const newer = await openTestPool({
    controller: `${CONTROLLER}\n// a newer one`,
    image: async (hash) => (hash === older.imageHash ? older : undefined),
  });
  expect(newer.baseImage.imageHash).not.toBe(older.imageHash);
  expect(await continued(run, run.chain, newer)).toBe("accepted");
  await newer.close();
  const without = await openTestPool({ controller: `${CONTROLLER}\n// a newer one` });
  expect(await continued(run, run.chain, without)).toMatch(/^snapshot_foreign/);
  await without.close();
});

test("R-003 a base image is taken only with the bytes that have its hash", () => {
  const { engine } = maker;
  const blob = packImage(engine, image);
  // A deflated stream may be written in several ways; what counts is what it inflates to.
  const unpackedAs = (bytes: Uint8Array): unknown => {
    try {
      return unpackImage(engine, { ...blob, bytes }).live.equals(image.live) ? "the same" : "another image";
    } catch (error) {
      return isFault(error) && error.code === "snapshot_damaged" ? "damaged" : error;
    }
  };
  expect(unpackImage(engine, blob).live.equals(image.live)).toBe(true);
  for (let at = 0; at < blob.bytes.length; at += 97) {
    const bytes = Uint8Array.from(blob.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    expect(["damaged", "the same"], `byte ${at}`).toContain(unpackedAs(bytes));
  }
  expect(() => unpackImage(engine, { ...blob, engineHash: "0".repeat(64) })).toThrow(/is of engine 0000/);
  expect(() => unpackImage(engine, { ...blob, controllerHash: "0".repeat(64) })).toThrow(/hash is wrong/);
});

test(`R-003 none of ${FUZZ_RUNS} mutated records is accepted, and each is refused by a typed fault`, async () => {
  const run = await parkedRun();
  const blob = run.chain[1];
  if (!blob) throw new RangeError("no chain");
  const expected = expectation(blob);
  const size = blob.bytes.length;
  const mutation = record({
    kind: constantFrom("set", "cut", "insert", "swap", "resealed"),
    at: integer({ min: 0, max: size - 1 }),
    to: integer({ min: 0, max: size - 1 }),
    bytes: uint8Array({ minLength: 1, maxLength: 8 }),
  });
  let refused = 0;
  assert(
    property(mutation, ({ kind, at, to, bytes }) => {
      const bad = mutated(blob.bytes, kind, at, to, bytes);
      if (Buffer.compare(bad, blob.bytes) === 0) return;
      try {
        openRecord(maker.macKey, kind === "resealed" ? resealed(bad) : bad, expected);
      } catch (error) {
        if (isFault(error) && error.code.startsWith("snapshot_")) refused++;
        else throw error;
        return;
      }
      // A record that was sealed anew is one that we wrote; it must only never throw anything untyped.
      if (kind !== "resealed") throw new RangeError(`accepted: ${kind} at ${at}`);
    }),
    { numRuns: FUZZ_RUNS, seed: FUZZ_SEED },
  );
  expect(refused).toBeGreaterThan(FUZZ_RUNS * 0.9);
});

function mutated(from: Uint8Array, kind: string, at: number, to: number, bytes: Uint8Array): Buffer {
  const result = Buffer.from(from);
  if (kind === "cut") return result.subarray(0, at);
  if (kind === "insert") return Buffer.concat([result.subarray(0, at), bytes, result.subarray(at)]);
  if (kind === "swap") {
    result[at] = from[to] ?? 0;
    result[to] = from[at] ?? 0;
  } else result.set(bytes.subarray(0, result.length - at), at);
  return result;
}

/** The same bytes with a good MAC: what comes after the check of the MAC must hold by itself. */
function resealed(bytes: Buffer): Buffer {
  const body = bytes.subarray(0, Math.max(bytes.length - 32, 0));
  return Buffer.concat([body, createHmac("sha256", MAC_KEY).update(body).digest()]);
}
