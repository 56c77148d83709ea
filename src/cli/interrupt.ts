// Ctrl-C, SIGTERM and a terminal that goes away (SIGHUP): the first one asks for a clean end, the second one
// ends the process at once. Where nothing is watched, the first one ends it, with the same exit code.

import { EXIT } from "../contract/fault-table.ts";

export interface Interrupt {
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Gives the signals back to the process (law L7). */
  end(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const leave = (): void => process.exit(EXIT.interrupted);

/** From here on a signal that nobody watches ends the process with the documented exit code. */
export function leaveOnSignal(): void {
  for (const name of SIGNALS) process.on(name, leave);
}

export function watchInterrupt(): Interrupt {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) leave();
    controller.abort();
  };
  const early = SIGNALS.filter((name) => process.listeners(name).includes(leave));
  for (const name of SIGNALS) process.off(name, leave).on(name, onSignal);
  return {
    signal: controller.signal,
    end: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
      for (const name of early.splice(0)) process.on(name, leave);
    },
  };
}
