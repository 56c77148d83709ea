// What was spent, added up where it belongs: the child, the run at the top of it, its group. Every returned
// call is billed, whatever becomes of its attempt or its child afterwards (B-003), and what a dead process had
// reserved is settled at the next start, so that no reservation stands for ever.

import type { SpentTotals, Usage } from "../contract/records.ts";
import type { Bill } from "./spending-port.ts";
import type { Amount, SpenderRow } from "./sql-spending.ts";
import type { Store } from "./store.ts";

/** Whose totals grow. */
interface Payer {
  n: number;
  runN: number | null;
  groupN: number;
}

interface Charge {
  usage: Usage | undefined;
  costUsd: number | undefined;
  assumedTokens: number;
  assumedUsd: number;
}

/** False when the child is unknown (archived meanwhile): nothing is left that could be billed. */
export function bill(store: Store, given: Bill): boolean {
  const spender = store.spending.spender.get(given.childId);
  if (!spender) return false;
  const released = given.reservationId === null ? undefined : release(store, spender, given.reservationId);
  charge(store, spender, {
    usage: given.usage,
    costUsd: given.costUsd,
    // Without a reservation no budget applies, and then nothing is counted that nobody has reported.
    assumedTokens: released ? Math.ceil(given.assumed?.tokens ?? 0) : 0,
    assumedUsd: (released ? (given.assumed?.usd ?? 0) : 0) + unknownCost(given, released),
  });
  return true;
}

/** What an attempt's end says was used, with the end of all that it had reserved. */
export function billEnd(
  store: Store,
  child: Payer & { parentN: number | null },
  end: { usage: Usage | undefined; costUsd: number | undefined },
): void {
  const released = sumOf(store.spending.releaseAll.all(child.n));
  if (end.usage === undefined && end.costUsd === undefined) return;
  const runN = child.parentN === null ? child.runN : (store.spending.spenderOf.get(child.n)?.runN ?? null);
  const assumedUsd = unknownCost(end, released);
  charge(store, { ...child, runN }, { usage: end.usage, costUsd: end.costUsd, assumedTokens: 0, assumedUsd });
}

/**
 * Requests that were under way when the process died: they were sent, and the provider has probably answered
 * and billed them. They are charged by their reservation, so that a crash never makes room in a budget.
 */
export function settleStanding(store: Store): void {
  for (const { n, childN, tokens, usd } of store.spending.standing.all()) {
    const spender = store.spending.spenderOf.get(childN);
    store.spending.release.get(n, childN);
    if (!spender) continue;
    charge(store, spender, { usage: undefined, costUsd: undefined, assumedTokens: tokens, assumedUsd: usd });
  }
}

function release(store: Store, { n }: SpenderRow, reservationId: number | "all"): Amount | undefined {
  if (reservationId === "all") return sumOf(store.spending.releaseAll.all(n));
  return store.spending.release.get(reservationId, n);
}

function sumOf(rows: readonly Amount[]): Amount | undefined {
  if (rows.length === 0) return undefined;
  return rows.reduce((sum, { tokens, usd }) => ({ tokens: sum.tokens + tokens, usd: sum.usd + usd }));
}

/** An answer whose price nobody knows costs a budget in dollars what was reserved for it. */
function unknownCost(given: { usage?: unknown; costUsd?: number | undefined }, released: Amount | undefined): number {
  return given.usage !== undefined && given.costUsd === undefined ? (released?.usd ?? 0) : 0;
}

function charge(store: Store, payer: Payer, given: Charge): void {
  const { usage, costUsd, assumedTokens, assumedUsd } = given;
  const known = usage !== undefined || costUsd !== undefined;
  if (!known && assumedTokens === 0 && assumedUsd === 0) return;
  const unpriced = known && costUsd === undefined ? 1 : 0;
  const input = usage?.inputTokens ?? null;
  const output = usage?.outputTokens ?? null;
  const cached = usage?.cachedInputTokens ?? null;
  const cost = costUsd ?? null;
  store.spending.addToChild.run(
    ...[input, input, output, output, cached, cached, cost, cost],
    ...[unpriced, assumedTokens, assumedUsd, payer.n],
  );
  const totals = [input ?? 0, output ?? 0, cached ?? 0, cost ?? 0, unpriced, assumedTokens, assumedUsd];
  if (payer.runN !== null) store.spending.addToRun.run(...totals, payer.runN);
  store.spending.addToGroup.run(...totals, payer.groupN);
}

/** Columns of a run's or a group's totals, for the readers. */
export interface TotalsRow {
  budget: string | null;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  totalCostUsd: number;
  unpriced: number;
  assumedTokens: number;
  assumedUsd: number;
}

export function totalsColumns(alias: string): string {
  return `${alias}.budget, ${alias}.input_tokens AS inputTokens, ${alias}.output_tokens AS outputTokens,
  ${alias}.cached_tokens AS cachedTokens, ${alias}.cost_usd AS totalCostUsd, ${alias}.unpriced,
  ${alias}.assumed_tokens AS assumedTokens, ${alias}.assumed_usd AS assumedUsd`;
}

/** Undefined while nothing was spent. */
export function spentOf(row: TotalsRow): SpentTotals | undefined {
  const { inputTokens, outputTokens, cachedTokens, totalCostUsd, unpriced, assumedTokens, assumedUsd } = row;
  if (inputTokens + outputTokens + totalCostUsd + unpriced + assumedTokens + assumedUsd === 0) return undefined;
  const spent = { inputTokens, outputTokens, costUsd: totalCostUsd, unpricedRequests: unpriced };
  return { ...spent, ...(cachedTokens > 0 ? { cachedInputTokens: cachedTokens } : {}), assumedTokens, assumedUsd };
}
