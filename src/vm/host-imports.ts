// What the engine may learn of the machine: a clock that the slice gives it, the time zone UTC, an
// empty environment, and memory up to its limit. Every other import stays as the variant made it.

import { IMPORT } from "./engine-pin.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { WasmImports } from "./wasm-types.ts";

const NANOSECONDS_PER_MS = 1e6;
const CLOCK_REALTIME = 0;

/** The outside as an instance sees it; the slice that runs in it answers. */
export interface OutsideWorld {
  /** The guest's wall clock, milliseconds since the epoch. */
  wallMs(): number;
  /** The guest's `performance.now()`, milliseconds; never goes back. */
  monotonicMs(): number;
  /** The engine asked for more memory than its limit and was refused. */
  memoryRefused(): void;
}

/** Replaces the imports that reach the machine, in place. */
export function wrapImports(imports: WasmImports, memory: GuestMemory, world: () => OutsideWorld): void {
  const table = imports[IMPORT.module];
  if (!table) return;
  const resize = table[IMPORT.heapResize] as (byteCount: number) => boolean;
  table[IMPORT.dateNow] = () => world().wallMs();
  table[IMPORT.clockTimeGet] = (clock: number, _precision: bigint, out: number): number => {
    const ms = clock === CLOCK_REALTIME ? world().wallMs() : world().monotonicMs();
    new DataView(memory.wasmMemory.buffer).setBigInt64(out, BigInt(Math.round(ms * NANOSECONDS_PER_MS)), true);
    return 0;
  };
  table[IMPORT.localTime] = (seconds: bigint, out: number) => writeUtcTime(memory, Number(seconds), out);
  table[IMPORT.timeZoneSet] = (zone: number, daylight: number, standardName: number, daylightName: number) => {
    memory.setWord(zone, 0);
    memory.setWord(daylight, 0);
    memory.writeText(standardName, "UTC", 3);
    memory.writeText(daylightName, "UTC", 3);
  };
  table[IMPORT.timerSet] = () => 0;
  table[IMPORT.environGet] = () => 0;
  table[IMPORT.environSizes] = (count: number, byteCount: number): number => {
    memory.setWord(count, 0);
    memory.setWord(byteCount, 0);
    return 0;
  };
  table[IMPORT.heapResize] = (byteCount: number): boolean => {
    if (resize(byteCount)) return true;
    world().memoryRefused();
    return false;
  };
}

/** C's `struct tm` for a time zone without daylight saving. */
function writeUtcTime(memory: GuestMemory, seconds: number, out: number): void {
  const date = new Date(seconds * 1000);
  const startOfYear = Date.UTC(date.getUTCFullYear(), 0, 1);
  const fields = [
    date.getUTCSeconds(),
    date.getUTCMinutes(),
    date.getUTCHours(),
    date.getUTCDate(),
    date.getUTCMonth(),
    date.getUTCFullYear() - 1900,
    date.getUTCDay(),
    Math.floor((date.getTime() - startOfYear) / 86_400_000),
    0,
    0,
  ];
  fields.forEach((value, index) => {
    memory.setWord(out + 4 * index, value);
  });
}
