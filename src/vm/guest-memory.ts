// The linear memory of one VM, with views that follow its growth. Knows text and words, not the engine.

import { fault } from "../contract/fault.ts";
import { type WasmMemory, wasm } from "./wasm-types.ts";

export class GuestMemory {
  readonly wasmMemory: WasmMemory;
  /** It never gets larger than this, WASM pages. */
  readonly maxPages: number;
  #bytes: Buffer;
  #words: Uint32Array;

  /** @throws Fault `overloaded` when the process has no address space for another VM */
  constructor(pages: number, maxPages: number) {
    this.wasmMemory = newMemory(pages, maxPages);
    this.maxPages = maxPages;
    this.#bytes = Buffer.from(this.wasmMemory.buffer);
    this.#words = new Uint32Array(this.wasmMemory.buffer);
  }

  /** All bytes; valid until the memory grows, so ask again after each entry into the engine. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0 || this.#bytes.buffer !== this.wasmMemory.buffer) this.#refresh();
    return this.#bytes;
  }

  /** The same bytes as 32-bit words; valid until the memory grows. */
  get words(): Uint32Array {
    if (this.#words.length === 0 || this.#words.buffer !== this.wasmMemory.buffer) this.#refresh();
    return this.#words;
  }

  get byteLength(): number {
    return this.wasmMemory.buffer.byteLength;
  }

  word(address: number): number {
    return this.words[address >>> 2] ?? 0;
  }

  setWord(address: number, value: number): void {
    this.words[address >>> 2] = value;
  }

  /** The UTF-8 text that begins at `address` and ends before its first NUL. */
  text(address: number): string {
    const bytes = this.bytes;
    const end = bytes.indexOf(0, address);
    return bytes.toString("utf8", address, end < 0 ? bytes.length : end);
  }

  /** Writes `text` and a NUL; `byteCount` is its length in UTF-8 without the NUL. */
  writeText(address: number, text: string, byteCount: number): void {
    const bytes = this.bytes;
    bytes.write(text, address, byteCount, "utf8");
    bytes[address + byteCount] = 0;
  }

  #refresh(): void {
    this.#bytes = Buffer.from(this.wasmMemory.buffer);
    this.#words = new Uint32Array(this.wasmMemory.buffer);
  }
}

function newMemory(pages: number, maxPages: number): WasmMemory {
  try {
    return new wasm.Memory({ initial: pages, maximum: maxPages });
  } catch (error) {
    throw fault("overloaded", `There is no memory for another VM of ${pages} to ${maxPages} pages.`, { cause: error });
  }
}
