import { expect, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { fault } from "../../src/contract/fault.ts";
import { LOCK_WAIT_MS, openPatiently } from "../../src/gateway/patience.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp.ts";

const locked = (): Error => fault("database_locked", "The data directory is in use by somebody.");

test("R-010 a directory that its holder lets go of a moment later is opened without another try by hand", async () => {
  let tries = 0;
  const opened = await openPatiently(
    async () => {
      tries += 1;
      if (tries < 3) throw locked();
      return "open";
    },
    { dataDir: tempDir(), clock: systemClock },
  );
  expect([opened, tries]).toEqual(["open", 3]);
});

test("R-010 a holder that neither serves nor goes is reported as database_locked after the wait", async () => {
  const clock = new ManualClock();
  const opening = openPatiently(() => Promise.reject(locked()), { dataDir: tempDir(), clock });
  let over = false;
  const end = opening.catch((error: unknown) => {
    over = true;
    return error;
  });
  while (!over) {
    clock.advance(LOCK_WAIT_MS / 10);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(await end).toMatchObject({ code: "database_locked" });
});

test("R-010 another fault is not waited for", async () => {
  let tries = 0;
  const opening = openPatiently(
    async () => {
      tries += 1;
      throw fault("database_damaged", "broken");
    },
    { dataDir: tempDir(), clock: new ManualClock() },
  );
  await expect(opening).rejects.toMatchObject({ code: "database_damaged" });
  expect(tries).toBe(1);
});
