// Adding up what calls used. A cost is a sum of known ones: it is left out while none is known, never guessed.

import type { SeatUsage } from "./port.ts";

export const NO_USAGE: SeatUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

export function addUsage(one: SeatUsage, other: SeatUsage): SeatUsage {
  const cost = one.costUSD === undefined ? other.costUSD : one.costUSD + (other.costUSD ?? 0);
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    ...(cost === undefined ? {} : { costUSD: cost }),
  };
}

/** The usage that a foreign agent reports, as far as it is one. */
export function usageOf(value: unknown): SeatUsage {
  const given = (value ?? {}) as { [key: string]: unknown };
  const prompt = countOf(given.promptTokens) ?? 0;
  const completion = countOf(given.completionTokens) ?? 0;
  const cost = countOf(given.costUSD);
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: countOf(given.totalTokens) ?? prompt + completion,
    ...(cost === undefined ? {} : { costUSD: cost }),
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
