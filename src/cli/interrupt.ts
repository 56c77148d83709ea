// Ctrl-C: the first one asks for a clean end, the second one ends the process at once.

import { EXIT } from "../contract/fault-table.ts";

export interface Interrupt {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Gives the signals back to the process (law L7). */
  end(): void;
}

export function watchInterrupt(): Interrupt {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    end: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
