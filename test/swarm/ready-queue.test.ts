// Runs that want a turn: their order, their number at work, and the room that others wait for.

import { expect, test } from "vitest";
import { ReadyQueue } from "../../src/swarm/ready-queue.ts";

/** A queue whose turns end when they are told to. */
function handQueue(max: number): { queue: ReadyQueue; begun: string[]; end(): void } {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const queue = new ReadyQueue(max, (runId) => {
    begun.push(runId);
    return new Promise((resolve) => ends.push(resolve));
  });
  return { queue, begun, end: () => ends.shift()?.() };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("L8 a run that is added while its turn is under way gets another one after it, and only one", async () => {
  const { queue, begun, end } = handQueue(2);
  for (const runId of ["a", "a", "a"]) queue.add(runId);
  expect(begun).toEqual(["a"]);
  end();
  await soon();
  expect(begun).toEqual(["a", "a"]);
  end();
  await queue.close();
  expect(begun).toEqual(["a", "a"]);
});

test("L10 whoever adds many waits for room, which comes when turns have ended and not before", async () => {
  const { queue, end } = handQueue(1);
  for (const runId of ["a", "b", "c", "d"]) queue.add(runId);
  let hasRoom = false;
  const room = queue.room(2).then(() => {
    hasRoom = true;
  });
  end();
  await soon();
  expect(hasRoom).toBe(false);
  end();
  await room;
  end();
  await queue.close();
});

test("L7 closing ends the wait for room", async () => {
  const { queue, end } = handQueue(1);
  for (const runId of ["a", "b", "c"]) queue.add(runId);
  const room = queue.room(1);
  const closed = queue.close();
  await room;
  end();
  await closed;
});
