// WebAssembly as this floor uses it. The compiler's own declarations come with the DOM, which this
// project does not load.

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** A compiled module. It crosses to worker threads by reference. */
export interface WasmModule {
  readonly wasmModule?: never;
}

export interface WasmTable {
  grow(slots: number): number;
  set(slot: number, value: unknown): void;
}

export interface WasmInstance {
  readonly exports: Record<string, unknown>;
}

export type WasmImports = Record<string, Record<string, unknown>>;

interface WasmApi {
  Module: new (bytes: Uint8Array) => WasmModule;
  Instance: new (module: WasmModule, imports: WasmImports) => WasmInstance;
  Memory: new (limits: { initial: number; maximum: number }) => WasmMemory;
}

export const wasm = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly;

/** Bytes of one page of WASM memory. */
export const WASM_PAGE_BYTES = 65_536;
