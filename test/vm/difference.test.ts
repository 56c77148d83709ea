// Differences between page contents: whatever changes, what is stored gives it back.

import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { BaseImage } from "../../src/vm/base-image.ts";
import { deflateDifference, inflateDifference, type PageDifference } from "../../src/vm/difference.ts";
import { HEAP } from "../../src/vm/engine-pin.ts";
import { GuestMemory } from "../../src/vm/guest-memory.ts";
import { PAGE_BYTES, STACK_END_PAGE } from "../../src/vm/layout.ts";
import { PageStore } from "../../src/vm/pages.ts";
import { openTestRoom } from "./support/room.ts";

const SEED = 20_261_130;
const WASM_PAGES = 100;
const HEAP_END = WASM_PAGES * 65_536;

let image: BaseImage;
beforeAll(async () => {
  ({ image } = await openTestRoom());
});

function stored(difference: PageDifference): PageDifference {
  const copy = inflateDifference(difference.pages, deflateDifference(difference));
  if (!copy) throw new RangeError("it was not read back");
  return copy;
}

const write = record({
  region: constantFrom("statics", "heap", "heap", "far"),
  offset: integer({ min: 0, max: 60_000 }),
  length: integer({ min: 1, max: 9_000 }),
  byte: integer({ min: 0, max: 255 }),
});

const START = { statics: 1_024, heap: (STACK_END_PAGE + 1) * PAGE_BYTES, far: 90 * 65_536 };

test("R-002 a full difference and the steps after it give back every byte, whatever was written", () => {
  assert(
    property(array(array(write, { maxLength: 6 }), { minLength: 1, maxLength: 6 }), (turns) => {
      const memory = new GuestMemory(WASM_PAGES, WASM_PAGES);
      const store = new PageStore(image);
      store.replay(memory, []);
      const links: PageDifference[] = [];
      for (const [turn, writes] of turns.entries()) {
        for (const { region, offset, length, byte } of writes) {
          const from = START[region] + offset;
          memory.bytes.fill(byte, from, Math.min(from + length, region === "statics" ? 90_000 : HEAP_END));
        }
        memory.setWord(HEAP.breakAt, HEAP_END);
        const step = store.advance(memory);
        links.push(stored(turn === 0 ? store.whole() : step));
      }
      const again = new GuestMemory(WASM_PAGES, WASM_PAGES);
      const restored = new PageStore(image);
      restored.replay(again, links);
      expect(again.bytes.equals(memory.bytes)).toBe(true);
      expect(restored.advance(again).pages).toEqual([]);
      const full = new GuestMemory(WASM_PAGES, WASM_PAGES);
      new PageStore(image).replay(full, [stored(store.whole())]);
      expect(full.bytes.equals(memory.bytes)).toBe(true);
    }),
    { seed: SEED, numRuns: 60 },
  );
});

test("R-003 lengths that do not make whole pages are not taken", () => {
  const words = Uint32Array.of(1, 2, 3);
  const taken = (runs: number[], pages = [30], from = words) =>
    inflateDifference(pages, deflateDifference({ pages, words: from, runs: Uint8Array.from(runs) })) !== undefined;
  const restOfPage = [0xfd, 0x07, 0];
  expect(taken([0, 3, ...restOfPage])).toBe(true);
  expect(taken([0, 3])).toBe(false);
  expect(taken([0, 2, ...restOfPage])).toBe(false);
  expect(taken([0, 3, ...restOfPage, 0])).toBe(false);
  expect(taken([0, 0, 0, 3, ...restOfPage])).toBe(false);
  expect(taken([1, 3, ...restOfPage])).toBe(false);
  expect(taken([0, 3, ...restOfPage], [30, 31])).toBe(false);
  expect(taken([0, 3, ...restOfPage], [])).toBe(false);
});

test("R-003 what inflates to more than it says is not taken", () => {
  const difference = { pages: [30], words: Uint32Array.of(1), runs: Uint8Array.of(0, 1, 0xff, 0x07, 0) };
  const deflated = deflateDifference(difference);
  expect(inflateDifference([30], deflated)).toBeDefined();
  expect(inflateDifference([30], { ...deflated, runBytes: deflated.runBytes - 1 })).toBeUndefined();
  expect(inflateDifference([30], { ...deflated, wordCount: 2000 })).toBeUndefined();
  expect(inflateDifference([30], { ...deflated, bytes: deflated.bytes.subarray(1) })).toBeUndefined();
});
