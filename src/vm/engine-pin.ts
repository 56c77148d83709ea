// What is known about one build of the engine and cannot be asked from it: letters of its imports and
// exports, addresses, offsets. Found by experiment (docs/decisions/0001-engine.md) and true for the
// one binary whose SHA-256 stands here; any other is refused, and selfcheck.ts proves them at start.

export const ENGINE_PACKAGE = "@jitl/quickjs-ng-wasmfile-release-sync";

/** SHA-256 of the variant's emscripten-module.wasm as published. */
export const ENGINE_SHA256 = "b56fe5094b8751c47b8c32fb5ed4d75afe2dbb43412d3d983ac5d1156af456da";

/** Smallest memory that the patched engine starts in: its statics, its 5 MiB stack, a first piece of heap. */
export const MIN_WASM_PAGES = 84;

/** The maximum that the engine's memory import declares. */
export const MAX_WASM_PAGES = 32_768;

/** The name under which the patch exports the function table. */
export const TABLE_EXPORT = "quickswarm:table";

export const EXPORT = {
  /** () => the C stack pointer. */
  stackPointer: "Pa",
} as const;

/** The engine's imports from module `a` that reach the outside; all of them are replaced. */
export const IMPORT = {
  module: "a",
  dateNow: "p",
  clockTimeGet: "q",
  localTime: "m",
  timeZoneSet: "n",
  timerSet: "j",
  environGet: "e",
  environSizes: "f",
  heapResize: "k",
} as const;

/** The C stack grows down from `top` to `low`; at rest the stack pointer is `top`. */
export const STACK = { low: 99_952, top: 5_342_832 } as const;

/** The allocator (dlmalloc): where its heap begins, and its own state among the statics. */
export const HEAP = {
  firstChunk: 5_342_832,
  /** u32: end of the memory that the allocator has taken so far. */
  breakAt: 96_576,
  /** u32: size of the top chunk. */
  topSizeAt: 97_984,
  /** u32: address of the top chunk, the free rest of the heap. */
  topAt: 97_996,
  /** u32: the next segment; 0 as long as the heap is one piece. */
  nextSegmentAt: 98_428,
} as const;

/** Offset in the runtime of the pointer to the host's tracker of rejected promises. */
export const REJECTION_TRACKER_OFFSET = 180;

/** JSValue: two words, the payload and above it the tag. */
export const VALUE_TAG = { object: -1, symbol: -8 } as const;

/** JSObject and JSShape, offsets in bytes. */
export const OBJECT = { refCount: 0, flagsAndClass: 4, shape: 16, properties: 20, promiseData: 32 } as const;
export const SHAPE = { propertyCount: 32, prototype: 44, firstProperty: 48, propertyBytes: 8 } as const;
/** The class number stands in the upper half of `flagsAndClass`. */
export const CLASS_SHIFT = 16;
export const PROXY_CLASS = 50;
/** A property's flags are the upper 6 bits of its word; bits 4 and 5 of them say what its slot holds. */
export const PROPERTY_KIND = { mask: 0xc000_0000, value: 0, unmade: 0xc000_0000 } as const;
export const ATOM = { message: 51, stack: 54, name: 55 } as const;
/** JSPromiseData: the value or the reason. */
export const PROMISE_RESULT_OFFSET = 24;

/** u32 in the C stack, right after an evaluation failed to parse: address of the token in the source's copy. */
export const PARSER_TOKEN_AT = 5_342_732;
