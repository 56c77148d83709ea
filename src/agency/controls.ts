// The limits of a team: compared when a run ends, and before the next one starts. A breach is
// told; under onLimitReached: 'error' it is thrown as well. No limit interrupts a run.

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
  const rows = [
    ["maxTotalTokens", spent.usage.totalTokens, controls.maxTotalTokens],
    ["maxCostUSD", spent.usage.costUSD, controls.maxCostUSD],
    ["maxDurationMs", spent.durationMs, controls.maxDurationMs],
    ["maxAgentCalls", spent.agentCalls, controls.maxAgentCalls],
  ] as const;
  const passed = rows.flatMap(([metric, value, limit]) => {
    return value !== undefined && limit !== undefined && value > limit ? [{ metric, value, limit }] : [];
  });
  for (const breach of passed) {
    if (controls.onLimitReached !== "error") {
      fire("limitReached", breach);
      continue;
    }
    const { metric, value, limit } = breach;
    throw new AgencyConfigError(`controls.${metric} is reached: ${value} of ${limit}`, breach);
  }
}
