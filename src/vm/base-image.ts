// The memory of a VM right after boot. It is the same bytes in every process and on every machine, so
// a fresh VM is a copy of it, and a snapshot only holds what differs from it.

import { createHash } from "node:crypto";
import { fault } from "../contract/fault.ts";
import type { ImageBlob } from "../contract/snapshot.ts";
import { deflate, inflate } from "./deflate.ts";
import type { Engine } from "./engine.ts";
import { MIN_WASM_PAGES } from "./engine-pin.ts";
import { scrubHeap } from "./heap.ts";
import { type GuestPointers, Instance } from "./instance.ts";
import { quietUser } from "./instance-user.ts";
import { clearStackRest, copyLivePages, LIVE_PAGES_MIN, PAGE_BYTES } from "./layout.ts";
import { WASM_PAGE_BYTES } from "./wasm-types.ts";

/** Every boot happens at this moment, so that it gives the same bytes everywhere. */
const BOOT_WALL_MS = 1_700_000_000_000;
const MAGIC = "QSI1";
/** The image is packed while the first worker starts; smaller would be later. */
const HEADER_BYTES = 4 + 4 * 4;
/** Most memory that a boot may take, WASM pages; the controller needs a few hundred kilobytes of heap. */
const IMAGE_PAGES_MAX = 256;

export interface BaseImage {
  readonly imageHash: string;
  readonly controllerHash: string;
  readonly pointers: GuestPointers;
  /** Size of the memory, WASM pages. */
  readonly pages: number;
  /** The live pages, see layout.ts. */
  readonly live: Buffer;
}

/**
 * Boots the controller once and keeps the memory.
 * @throws Fault `internal` when the controller's text does not evaluate to `(bridge) => dispatch`
 */
export async function bootImage(engine: Engine, controller: string): Promise<BaseImage> {
  const instance = await Instance.open(engine, MIN_WASM_PAGES, IMAGE_PAGES_MAX);
  instance.boot(controller, quietUser(BOOT_WALL_MS));
  if (!instance.atRest()) throw fault("internal", "The VM is not at rest after its boot.");
  clearStackRest(instance.memory);
  scrubHeap(instance.memory);
  const controllerHash = createHash("sha256").update(controller).digest("hex");
  const live = copyLivePages(instance.memory);
  const { pointers } = instance;
  return {
    imageHash: hashImage(engine, controllerHash, pointers, live),
    controllerHash,
    pointers,
    pages: instance.memory.byteLength / WASM_PAGE_BYTES,
    live,
  };
}

export function packImage(engine: Engine, image: BaseImage): ImageBlob {
  const { runtime, context, dispatch } = image.pointers;
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, "latin1");
  [runtime, context, dispatch, image.pages].forEach((value, index) => {
    header.writeUInt32LE(value, 4 + 4 * index);
  });
  const bytes = Buffer.concat([header, deflate(image.live)]);
  return { imageHash: image.imageHash, engineHash: engine.hash, controllerHash: image.controllerHash, bytes };
}

/**
 * @throws Fault `snapshot_foreign` for another engine's image, `snapshot_damaged` when its bytes do not
 * have the hash that it is kept under
 */
export function unpackImage(engine: Engine, blob: ImageBlob): BaseImage {
  const { imageHash, controllerHash } = blob;
  if (blob.engineHash !== engine.hash) {
    throw fault("snapshot_foreign", `The base image ${imageHash} is of engine ${blob.engineHash}, not ${engine.hash}.`);
  }
  const bytes = Buffer.from(blob.bytes.buffer, blob.bytes.byteOffset, blob.bytes.byteLength);
  const damaged = (check: string) => fault("snapshot_damaged", `The base image ${imageHash} is damaged: ${check}.`);
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== MAGIC) throw damaged("its magic is wrong");
  const pages = bytes.readUInt32LE(16);
  if (pages < MIN_WASM_PAGES || pages > IMAGE_PAGES_MAX) throw damaged(`it claims ${pages} pages`);
  const pointers = { runtime: bytes.readUInt32LE(4), context: bytes.readUInt32LE(8), dispatch: bytes.readUInt32LE(12) };
  const liveBytes = LIVE_PAGES_MIN * PAGE_BYTES + (pages - MIN_WASM_PAGES) * WASM_PAGE_BYTES;
  const live = inflateExactly(bytes.subarray(HEADER_BYTES), liveBytes);
  if (!live) throw damaged("it does not inflate to its size");
  if (hashImage(engine, controllerHash, pointers, live) !== imageHash) throw damaged("its hash is wrong");
  return { imageHash, controllerHash, pointers, pages, live };
}

function inflateExactly(compressed: Buffer, byteCount: number): Buffer | undefined {
  const bytes = inflate(compressed, byteCount);
  return bytes?.length === byteCount ? bytes : undefined;
}

function hashImage(engine: Engine, controllerHash: string, pointers: GuestPointers, live: Buffer): string {
  const { runtime, context, dispatch } = pointers;
  const facts = `${MAGIC} ${engine.hash} ${controllerHash} ${live.length} ${runtime} ${context} ${dispatch}\n`;
  return createHash("sha256").update(facts).update(live).digest("hex");
}
