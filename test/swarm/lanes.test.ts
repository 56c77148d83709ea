import fc from "fast-check";
import { expect, test } from "vitest";
import { Lanes, type Slot } from "../../src/swarm/lanes.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function enter(lanes: Lanes, group: string, max: number, name: string, order: string[]): Slot {
  return lanes.enter(group, max, () => void order.push(name));
}

test("S-007 a place is granted at once while there is room and FIFO after that", async () => {
  const lanes = new Lanes(100);
  const order: string[] = [];
  const slots = ["a", "b", "c", "d"].map((name) => enter(lanes, "group", 2, name, order));
  expect(slots.map((slot) => slot.granted)).toEqual([true, true, false, false]);
  slots[1]?.release();
  await settle();
  expect(order).toEqual(["a", "b", "c"]);
  slots[0]?.release();
  await settle();
  expect(order).toEqual(["a", "b", "c", "d"]);
});

test("S-007 a released place in line is skipped and never granted", async () => {
  const lanes = new Lanes(100);
  const order: string[] = [];
  const slots = ["a", "b", "c"].map((name) => enter(lanes, "group", 1, name, order));
  slots[1]?.release();
  slots[0]?.release();
  await settle();
  expect(order).toEqual(["a", "c"]);
  expect(lanes.counts()).toEqual({ running: 1, queued: 0 });
});

test("S-007 a group that came later gets its turns beside a group with a long queue", async () => {
  const lanes = new Lanes(2);
  const order: string[] = [];
  const live: Slot[] = [];
  for (let i = 0; i < 20; i++) live.push(lanes.enter("long", 2, () => void order.push(`long${i}`)));
  for (let i = 0; i < 3; i++) live.push(lanes.enter("late", 2, () => void order.push(`late${i}`)));
  const granted = new Set<Slot>();
  for (let round = 0; round < 12; round++) {
    const next = live.find((slot) => slot.granted && !granted.has(slot));
    if (next) {
      granted.add(next);
      next.release();
    }
    await settle();
  }
  const lateDone = order.indexOf("late2");
  expect(lateDone).toBeGreaterThan(0);
  expect(lateDone).toBeLessThan(12);
});

test("S-007 B-036 a parent that waits for nested children in its own lane does not block them", async () => {
  const lanes = new Lanes(1);
  const order: string[] = [];
  const parent = enter(lanes, "group", 1, "parent", order);
  const child = enter(lanes, "group", 1, "child", order);
  const waiting = parent.yieldWhile(async () => {
    await settle();
    expect(child.granted).toBe(true);
    child.release();
    return "child's answer";
  });
  expect(await waiting).toBe("child's answer");
  expect(order).toEqual(["parent", "child"]);
  expect(parent.granted).toBe(true);
});

test("S-007 no interleaving of entering, releasing and yielding exceeds a cap or loses a place", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.tuple(fc.constantFrom("enter", "release", "yield"), fc.nat(3), fc.nat(30)), { maxLength: 60 }),
      async (globalMax, groupMax, steps) => {
        const lanes = new Lanes(globalMax);
        const slots: { slot: Slot; group: string; over: boolean }[] = [];
        const check = (): void => {
          const held = slots.filter(({ slot }) => slot.granted);
          expect(held.length).toBeLessThanOrEqual(globalMax);
          for (const group of ["0", "1", "2", "3"]) {
            expect(held.filter((entry) => entry.group === group).length).toBeLessThanOrEqual(groupMax);
          }
        };
        const yields: Promise<void>[] = [];
        for (const [action, group, index] of steps) {
          const entry = slots[index % Math.max(slots.length, 1)];
          if (action === "enter" || !entry) {
            slots.push({ slot: lanes.enter(String(group), groupMax, check), group: String(group), over: false });
          } else if (action === "release") {
            entry.over = true;
            entry.slot.release();
          } else if (entry.slot.granted) {
            yields.push(entry.slot.yieldWhile(settle));
          }
          await settle();
          check();
        }
        for (let round = 0; round < slots.length + 5; round++) {
          for (const entry of slots) if (entry.slot.granted) entry.slot.release();
          await settle();
          await settle();
        }
        for (const entry of slots) entry.slot.release();
        await Promise.all(yields);
        await settle();
        expect(lanes.counts()).toEqual({ running: 0, queued: 0 });
      },
    ),
    { numRuns: 60, seed: 20_261_130 },
  );
});
