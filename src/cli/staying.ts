// A question that outlives the gateway it was put to: when that one has gone, the next one is asked, or one
// that is opened inside this process. Upholds L10: it is bounded how often that happens in a row.

import type { Clock } from "../contract/clock.ts";
import { isFault } from "../contract/fault.ts";
import type { Link } from "./link.ts";

export interface Staying {
  clock: Clock;
  link: Pick<Link, "renew">;
  /** Ends it, with what the question or the renewal then throws. */
  signal: AbortSignal;
  say: (line: string) => void;
}

/** How often in a row a gateway that went away is replaced before the command gives up. */
export const RENEWALS_MAX = 5;
/** Replacements that are further apart are no row. */
export const RENEWALS_APART_MS = 60_000;

/** Asks, and after `gateway_unreachable` renews the link and asks again. `ask` reads the link's client each time. */
export async function overRestarts<Value>(staying: Staying, ask: () => Promise<Value>): Promise<Value> {
  const { clock, link, signal, say } = staying;
  let inRow = 0;
  let renewedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isFault(error) || error.code !== "gateway_unreachable") throw error;
      inRow = clock.monotonic() - renewedAt > RENEWALS_APART_MS ? 1 : inRow + 1;
      if (inRow > RENEWALS_MAX) throw error;
      say("the gateway went away; looking for it again");
      await link.renew(error, signal);
      renewedAt = clock.monotonic();
    }
  }
}
