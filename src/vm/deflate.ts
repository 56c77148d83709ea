// The only door to zlib here. A worker thread goes through its gate, so that it is never ended inside.

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { EndingGate } from "./ending-gate.ts";

/** Speed counts more than size: most of a snapshot is zero. */
const DEFLATE_LEVEL = 1;

let gate: EndingGate | undefined;

/** For the entry of a worker thread, once. */
export function passThrough(threadsGate: EndingGate): void {
  gate = threadsGate;
}

export function deflate(plain: Uint8Array): Buffer {
  return guarded(() => deflateRawSync(plain, { level: DEFLATE_LEVEL }));
}

/** Undefined when `compressed` is damaged or inflates to more than `bytesMax`. */
export function inflate(compressed: Uint8Array, bytesMax: number): Buffer | undefined {
  return guarded(() => {
    try {
      return inflateRawSync(compressed, { maxOutputLength: Math.max(bytesMax, 1) });
    } catch {
      return undefined;
    }
  });
}

function guarded<Value>(work: () => Value): Value {
  return gate ? gate.pass(work) : work();
}
