// The VM of one run, hot in this thread: its instance, what was stored of it, and its chain so far. It
// is only a cache (L11): the chain in the registry is enough to make it again, here or anywhere.

import type { KeyObject } from "node:crypto";
import { fault } from "../contract/fault.ts";
import { SNAPSHOT_CHAIN_LENGTH_MAX } from "../contract/limits.ts";
import type { SnapshotBlob } from "../contract/snapshot.ts";
import type { BaseImage } from "./base-image.ts";
import type { Engine } from "./engine.ts";
import { MAX_WASM_PAGES } from "./engine-pin.ts";
import { heapEnd, scrubHeap } from "./heap.ts";
import type { Instance } from "./instance.ts";
import { PageStore } from "./pages.ts";
import { blobOf, openRecord, type RecordFacts, sealRecord } from "./record.ts";
import type { InstanceShelf } from "./shelf.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

/** A guest gets at least this much memory beyond what it boots with. */
const GUEST_BYTES_MIN = 1024 * 1024;

export interface VmMaker {
  engine: Engine;
  macKey: KeyObject;
  shelf: InstanceShelf;
}

export class GuestVm {
  readonly runId: string;
  readonly instance: Instance;
  /** The last committed turn; 0 before the first. */
  turn = 0;
  /** The guest's clock at its first slice and at the end of the last one. */
  startedMs = 0;
  wallMs = 0;
  readonly #maker: VmMaker;
  readonly #image: BaseImage;
  readonly #store: PageStore;
  #steps = 0;
  #stepBytes = 0;
  #fullBytes = 0;

  private constructor(maker: VmMaker, image: BaseImage, runId: string, instance: Instance) {
    this.#maker = maker;
    this.#image = image;
    this.runId = runId;
    this.instance = instance;
    this.#store = new PageStore(image);
    instance.pointers = image.pointers;
  }

  /** A VM as it is right after boot. */
  static async fresh(maker: VmMaker, image: BaseImage, runId: string, memoryLimitBytes: number): Promise<GuestVm> {
    const instance = await maker.shelf.take(image.pages, maxPages(image, memoryLimitBytes));
    const vm = new GuestVm(maker, image, runId, instance);
    vm.#store.replay(instance.memory, []);
    return vm;
  }

  /**
   * The VM as it was after the last link of the chain (R-005: the cost is that of the bytes, not of what ran).
   * With `asRunId` it is the VM of that run from here on, and its first snapshot stands alone.
   * @throws Fault `snapshot_damaged`, `snapshot_foreign` naming the check that failed
   */
  static async restore(
    maker: VmMaker,
    image: BaseImage,
    run: { runId: string; turn: number; asRunId?: string },
    chain: SnapshotBlob[],
    memoryLimitBytes: number,
  ): Promise<GuestVm> {
    const records = openChain(maker, image, run, chain);
    const last = records.at(-1);
    if (!last) throw fault("snapshot_damaged", `The snapshot chain of run ${run.runId} is empty.`);
    const pages = Math.max(image.pages, ...records.map((record) => record.facts.pages));
    const max = Math.max(pages, maxPages(image, memoryLimitBytes));
    const vm = new GuestVm(maker, image, run.asRunId ?? run.runId, await maker.shelf.take(pages, max));
    const differences = records.map(({ difference }) => difference);
    vm.#store.replay(vm.instance.memory, differences);
    vm.instance.pointers = last.facts.pointers;
    vm.turn = run.turn;
    vm.startedMs = last.facts.startedMs;
    vm.wallMs = last.facts.wallMs;
    vm.#steps = run.asRunId === undefined ? chain.length - 1 : SNAPSHOT_CHAIN_LENGTH_MAX;
    vm.#fullBytes = chain[0]?.bytes.length ?? 0;
    vm.#stepBytes = chain.slice(1).reduce((sum, blob) => sum + blob.bytes.length, 0);
    return vm;
  }

  /** Memory that the engine has taken, the same wherever the VM lives; a whole number of WASM pages. */
  get memoryBytes(): number {
    const taken = Math.ceil(heapEnd(this.instance.memory) / WASM_PAGE_BYTES);
    return Math.max(taken, this.#image.pages) * WASM_PAGE_BYTES;
  }

  /** Ends a VM that is at rest and not needed here any more; its instance serves the next one. */
  leave(): void {
    this.#maker.shelf.put(this.instance);
  }

  /**
   * Takes the snapshot after `turn`, as a difference to the one before or to the base image. The VM counts
   * it as stored; when it is not, the VM has to be dropped.
   * @throws Fault `guest_crashed` when the VM is not at rest, `snapshot_too_large`
   */
  snapshot(turn: number, wallMs: number, maxBytes: number): SnapshotBlob {
    if (!this.instance.atRest()) throw fault("guest_crashed", "The VM is not at rest; no snapshot can be taken of it.");
    scrubHeap(this.instance.memory);
    const isFull = this.turn === 0 || this.#steps >= SNAPSHOT_CHAIN_LENGTH_MAX || this.#stepBytes > this.#fullBytes;
    const step = this.#store.advance(this.instance.memory);
    const facts: RecordFacts = {
      runId: this.runId,
      turn,
      parentTurn: isFull ? null : this.turn,
      engineHash: this.#maker.engine.hash,
      controllerHash: this.#image.controllerHash,
      imageHash: this.#image.imageHash,
      pages: this.memoryBytes / WASM_PAGE_BYTES,
      pointers: this.instance.pointers,
      startedMs: this.startedMs,
      wallMs,
    };
    const bytes = sealRecord(this.#maker.macKey, facts, isFull ? this.#store.whole() : step);
    if (bytes.length > maxBytes) {
      throw fault("snapshot_too_large", `The script's snapshot has ${bytes.length} bytes, more than ${maxBytes}.`);
    }
    this.turn = turn;
    this.wallMs = wallMs;
    this.#count(isFull, bytes.length);
    return blobOf(facts, bytes);
  }

  #count(isFull: boolean, byteCount: number): void {
    this.#steps = isFull ? 0 : this.#steps + 1;
    this.#stepBytes = isFull ? 0 : this.#stepBytes + byteCount;
    if (isFull) this.#fullBytes = byteCount;
  }
}

function openChain(maker: VmMaker, image: BaseImage, run: { runId: string; turn: number }, chain: SnapshotBlob[]) {
  const { runId, turn } = run;
  const { imageHash } = image;
  const lastTurn = chain.at(-1)?.turn;
  if (lastTurn !== turn) {
    throw fault(
      "snapshot_damaged",
      `The snapshot chain of run ${runId} ends at turn ${lastTurn ?? "none"}, not ${turn}.`,
    );
  }
  return chain.map((blob, index) => {
    const parentTurn = chain[index - 1]?.turn ?? null;
    const expected = { runId, turn: blob.turn, parentTurn, engineHash: maker.engine.hash, imageHash };
    return openRecord(maker.macKey, blob.bytes, expected);
  });
}

function maxPages(image: BaseImage, memoryLimitBytes: number): number {
  const least = image.pages + GUEST_BYTES_MIN / WASM_PAGE_BYTES;
  return Math.min(Math.max(Math.ceil(memoryLimitBytes / WASM_PAGE_BYTES), least), MAX_WASM_PAGES);
}
