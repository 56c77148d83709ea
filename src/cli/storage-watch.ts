// Says when the gateway that is followed cannot write, and when it can again: a full disk would otherwise
// look like a run that takes long. It asks only while nothing has been heard from the gateway.

import type { Clock, Timer } from "../contract/clock.ts";
import type { GatewayClient } from "../gateway/client.ts";

export interface StorageWatch {
  /** The gateway has said something, so it is not asked for a while. */
  heard(): void;
  /** Ends the watch (law L7); nothing is said afterwards. */
  end(): void;
}

/** How long nothing is heard before the gateway is asked, and how often then. */
export const STORAGE_ASKED_EVERY_MS = 5_000;

/** `link.client` is read at each question, because a link may be renewed. */
export function watchStorage(
  clock: Clock,
  link: { readonly client: Pick<GatewayClient, "health"> },
  say: (line: string) => void,
): StorageWatch {
  let heardAt = clock.monotonic();
  let told = false;
  let asking = false;
  let timer: Timer | undefined = clock.setTimer(STORAGE_ASKED_EVERY_MS, tick);
  function tick(): void {
    timer = clock.setTimer(STORAGE_ASKED_EVERY_MS, tick);
    if (told || clock.monotonic() - heardAt >= STORAGE_ASKED_EVERY_MS) void ask();
  }
  async function ask(): Promise<void> {
    if (asking) return;
    asking = true;
    // A gateway that does not answer is told of by what follows it.
    const health = await link.client.health().catch(() => undefined);
    asking = false;
    if (timer === undefined || health === undefined || health.storage.ok !== told) return;
    told = !told;
    say(told ? troubleText(health.storage.reason) : "the gateway can write again");
  }
  return {
    heard: () => {
      heardAt = clock.monotonic();
    },
    end: () => {
      timer?.cancel();
      timer = undefined;
    },
  };
}

function troubleText(reason = "storage_io"): string {
  const when = reason === "storage_full" ? "there is space" : "the disk takes writes";
  return `warning[${reason}]: the gateway cannot write to its data directory; runs go on by themselves when ${when}`;
}
