// The limits of a team: compared when a run ends, and before the next one starts. A breach is
// told; under onLimitReached: 'error' it is thrown instead. No limit interrupts a run, unless
// enforce: 'live' says so: then the run is stopped at the first call that a limit no longer allows (B-004).

import type { Clock } from "../contract/clock.ts";
import type { Breach } from "./breach.ts";
import type { Fire } from "./callbacks.ts";
import type { ControlsConfig } from "./config.ts";
import { AgencyConfigError } from "./errors.ts";
import type { SeatUsage } from "./port.ts";

export interface Spent {
  usage: SeatUsage;
  /** Of one run; left out for totals over all runs. */
  durationMs?: number;
  agentCalls?: number;
}

/** @throws AgencyConfigError for the first limit that is passed, when `onLimitReached` is "error" */
export function checkControls(controls: ControlsConfig, spent: Spent, fire: Fire): void {
  const passed = breachesOf(controls, spent, (value, limit) => value > limit);
  for (const breach of passed) {
    if (controls.onLimitReached === "error") throw limitError(breach);
    fire("limitReached", breach);
  }
}

export function limitError(breach: Breach): AgencyConfigError {
  const { metric, value, limit } = breach;
  return new AgencyConfigError(`controls.${metric} is reached: ${value} of ${limit}`, { metric, value, limit });
}

export interface LiveLimits {
  /** Before each call; what is used up allows no further one. */
  check(spent: Spent): void;
  end(): void;
}

/** `breached` hears of the first limit that is used up, from a call or from the clock. */
export function liveLimits(
  controls: ControlsConfig,
  clock: Clock,
  breached: (breach: Breach) => void,
): LiveLimits | undefined {
  if (controls.enforce !== "live") return undefined;
  const limit = controls.maxDurationMs;
  const late = (): void => breached({ metric: "maxDurationMs", value: limit ?? 0, limit: limit ?? 0 });
  const timer = limit === undefined ? undefined : clock.setTimer(limit, late);
  return {
    check(spent) {
      const [first] = breachesOf(controls, spent, (value, most) => value >= most);
      if (first) breached(first);
    },
    end: () => timer?.cancel(),
  };
}

function breachesOf(controls: ControlsConfig, spent: Spent, isBreach: (value: number, limit: number) => boolean) {
  const rows = [
    ["maxTotalTokens", spent.usage.totalTokens, controls.maxTotalTokens],
    ["maxCostUSD", spent.usage.costUSD, controls.maxCostUSD],
    ["maxDurationMs", spent.durationMs, controls.maxDurationMs],
    ["maxAgentCalls", spent.agentCalls, controls.maxAgentCalls],
  ] as const;
  return rows.flatMap(([metric, value, limit]): Breach[] => {
    return value !== undefined && limit !== undefined && isBreach(value, limit) ? [{ metric, value, limit }] : [];
  });
}
