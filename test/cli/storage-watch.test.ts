import { expect, test } from "vitest";
import { STORAGE_ASKED_EVERY_MS, watchStorage } from "../../src/cli/storage-watch.ts";
import type { RuntimeHealth } from "../../src/runtime/api.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** A gateway whose storage is as the test says, and what the watch has said. */
function watched() {
  const clock = new ManualClock();
  const said: string[] = [];
  const gateway = { storage: { ok: true } as RuntimeHealth["storage"], asked: 0, answers: true };
  const health = async (): Promise<RuntimeHealth> => {
    gateway.asked += 1;
    if (!gateway.answers) throw new Error("nobody answers");
    const { storage } = gateway;
    const lanes = { running: 0, queued: 0 };
    const vm = { workers: 0, hot: 0, restores: 0, terminated: 0 };
    return { version: "1", startedAt: 0, activeRuns: 0, recovered: { runs: 0, children: 0 }, lanes, vm, storage };
  };
  const watch = watchStorage(clock, { client: { health } }, (line) => said.push(line));
  const pass = async (): Promise<void> => {
    clock.advance(STORAGE_ASKED_EVERY_MS);
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  return { clock, said, gateway, watch, pass };
}

test("I-005 a full disk is said once while it lasts, and once when it is over", async () => {
  const { said, gateway, watch, pass } = watched();
  await pass();
  expect(said).toEqual([]);
  gateway.storage = { ok: false, reason: "storage_full" };
  await pass();
  await pass();
  expect(said).toEqual([
    "warning[storage_full]: the gateway cannot write to its data directory; runs go on by themselves when there is space",
  ]);
  gateway.storage = { ok: true };
  await pass();
  await pass();
  expect(said.slice(1)).toEqual(["the gateway can write again"]);
  watch.end();
});

test("I-005 a gateway that has just been heard is not asked, and one that does not answer is no news", async () => {
  const { clock, said, gateway, watch, pass } = watched();
  clock.advance(STORAGE_ASKED_EVERY_MS - 1);
  watch.heard();
  clock.advance(1);
  expect(gateway.asked).toBe(0);
  gateway.answers = false;
  await pass();
  expect(gateway.asked).toBe(1);
  expect(said).toEqual([]);
  watch.end();
});

test("I-005 after its end the watch asks and says nothing, an answer on its way included", async () => {
  const { clock, said, gateway, watch } = watched();
  gateway.storage = { ok: false, reason: "storage_io" };
  clock.advance(STORAGE_ASKED_EVERY_MS);
  watch.end();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect({ asked: gateway.asked, said, timers: clock.timerCount }).toEqual({ asked: 1, said: [], timers: 0 });
});
