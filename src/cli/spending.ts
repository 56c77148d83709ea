// What was spent, beside what may be: `12,345 of 200,000 tokens, $0.12 of $5` (S-019, B-003).

import type { Budget } from "../contract/budget.ts";
import type { SpentTotals } from "../contract/records.ts";

export interface SpendingFacts {
  spent?: SpentTotals | undefined;
  budget?: Budget | undefined;
  /** Children that were ever spawned for it. */
  children: number;
  /** Since it was made. */
  seconds: number;
}

/** Undefined when nothing was spent and nothing is limited. */
export function spendingText({ spent, budget, children, seconds }: SpendingFacts): string | undefined {
  if (!spent && !budget) return undefined;
  const tokens = tokensOf(spent);
  const usd = (spent?.costUsd ?? 0) + (spent?.assumedUsd ?? 0);
  const parts = [ofLimit(count(tokens), budget?.tokens === undefined ? undefined : count(budget.tokens), "tokens")];
  if (usd > 0 || budget?.usd !== undefined) {
    parts.push(ofLimit(dollars(usd), budget?.usd === undefined ? undefined : dollars(budget.usd)));
  }
  if (budget?.children !== undefined) parts.push(ofLimit(count(children), count(budget.children), "children"));
  if (budget?.seconds !== undefined) parts.push(ofLimit(count(Math.round(seconds)), count(budget.seconds), "seconds"));
  if (spent?.cachedInputTokens) parts.push(`${count(spent.cachedInputTokens)} of the input from a cache`);
  if (spent && spent.assumedTokens > 0) parts.push(`${count(spent.assumedTokens)} tokens of lost answers assumed`);
  if (usd > 0 && spent && spent.unpricedRequests > 0) parts.push(`${spent.unpricedRequests} requests without a price`);
  return parts.join(", ");
}

/** Tokens as they count against a budget. */
export function tokensOf(spent: SpentTotals | undefined): number {
  return spent ? spent.inputTokens + spent.outputTokens + spent.assumedTokens : 0;
}

/** For a column: `1234` or `1234/200000`; `-` when there is nothing to say. */
export function tokensCell(spent: SpentTotals | undefined, budget: Budget | undefined): string {
  if (budget?.tokens !== undefined) return `${tokensOf(spent)}/${budget.tokens}`;
  return spent ? String(tokensOf(spent)) : "-";
}

function ofLimit(amount: string, limit: string | undefined, unit?: string): string {
  const text = limit === undefined ? amount : `${amount} of ${limit}`;
  return unit === undefined ? text : `${text} ${unit}`;
}

function count(amount: number): string {
  return amount.toLocaleString("en-US");
}

function dollars(amount: number): string {
  return `$${Number(amount.toFixed(4))}`;
}
