// A function of WASM type that the engine can call when a promise is rejected without a handler, or
// gets its handler later: the variant exports no way to set one. One per thread; it tells whoever is
// `target` at that moment, because only one VM of a thread runs at a time.

import { wasm } from "./wasm-types.ts";

export interface RejectionTarget {
  /**
   * @param promise address of the promise object
   * @param handled false: rejected and nobody listens; true: somebody listens after all
   */
  rejection(promise: number, handled: boolean): void;
}

let target: RejectionTarget | null = null;

/** Names who is told until the next call. */
export function setRejectionTarget(next: RejectionTarget | null): void {
  target = next;
}

/**
 * A module of one function, (context i32, promise i64, reason i64, handled i32, opaque i32) -> (), which
 * calls the import ("h", "r") with the promise's low word and `handled`. A JSValue is 64 bits here:
 * its tag above, its pointer below.
 */
const HOOK_MODULE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // types: 0 = (i32, i32) -> (); 1 = (i32, i64, i64, i32, i32) -> ()
  ...[0x01, 14, 2, 0x60, 2, 0x7f, 0x7f, 0, 0x60, 5, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0],
  // import function "h" "r" of type 0; one function of type 1; export it as "f"
  ...[0x02, 7, 1, 1, 0x68, 1, 0x72, 0x00, 0],
  ...[0x03, 2, 1, 1],
  ...[0x07, 5, 1, 1, 0x66, 0x00, 1],
  // local.get 1; i32.wrap_i64; local.get 3; call 0; end
  ...[0x0a, 11, 1, 9, 0, 0x20, 1, 0xa7, 0x20, 3, 0x10, 0, 0x0b],
);

let hook: unknown;

/** The thread's hook, to be put into a VM's function table. */
export function rejectionHook(): unknown {
  hook ??= new wasm.Instance(new wasm.Module(HOOK_MODULE), {
    h: { r: (promise: number, handled: number) => target?.rejection(promise, handled !== 0) },
  }).exports.f;
  return hook;
}
