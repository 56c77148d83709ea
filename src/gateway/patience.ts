// Opening a data directory that somebody is just letting go of: a process that was killed a moment ago,
// or a command that looked at it. A gateway that serves it is no reason to wait.

import type { Clock } from "../contract/clock.ts";
import { isFault } from "../contract/fault.ts";
import { findGateway } from "./discovery.ts";

/** How long a start waits for a directory whose holder does not answer. */
export const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 50;

/** Repeats `open` while it is refused with `database_locked` and nobody serves the directory. */
export async function openPatiently<Opened>(
  open: () => Promise<Opened>,
  { dataDir, clock }: { dataDir: string; clock: Clock },
): Promise<Opened> {
  const giveUpAt = clock.monotonic() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isFault(error) || error.code !== "database_locked" || clock.monotonic() >= giveUpAt) throw error;
      // One that lives and does not answer has the directory, too.
      if (await findGateway(dataDir).catch(() => true)) throw error;
      await new Promise<void>((resolve) => void clock.setTimer(LOCK_RETRY_MS, resolve));
    }
  }
}
