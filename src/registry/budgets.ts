// The decisions about budgets (S-019, B-005). A request is let through only when it fits beside everything that
// is spent and reserved already, in the child's, the run's and the group's budget at once; it is given less
// output where a budget ends, and waits while others still hold what they will not use. So concurrent children
// never overshoot together: a total passes its limit only by what an answer exceeds its own reservation.

import type { Budget, BudgetUnit } from "../contract/budget.ts";
import type { ChildOptions } from "../contract/calls.ts";
import { type Fault, fault } from "../contract/fault.ts";
import type { SpendingEstimate } from "../contract/spending.ts";
import { settleStanding } from "./spending.ts";
import type { ReserveAnswer, ReserveRequest, RunSpending } from "./spending-port.ts";
import type { AccountRow, Amount, SpenderRow } from "./sql-spending.ts";
import type { Store } from "./store.ts";

export type BudgetScope = "child" | "run" | "group";

/** A budget with what is used of it. */
interface Account {
  scope: BudgetScope;
  id: string;
  limits: Budget;
  spent: Amount;
  held: Amount;
  /** Its time is over then; null: not limited, or kept by the attempt itself. */
  endsAt: number | null;
}

/** Sums of dollars are binary fractions: a cent is not refused for their last digit. */
const USD_TOLERANCE = 1e-9;

/** No budget applies: the answer without a transaction. Throws `stale_epoch`, `not_found`. */
export function unlimited(store: Store, request: ReserveRequest): ReserveAnswer | undefined {
  const { runBudget, groupBudget, options } = spenderNow(store, request);
  const free = runBudget === null && groupBudget === null && !options.includes('"budget"');
  return free ? { kind: "unlimited" } : undefined;
}

/** Throws `budget_exceeded`, `price_unknown`, `stale_epoch`, `not_found`. */
export function reserve(store: Store, request: ReserveRequest): ReserveAnswer {
  const { estimate, at } = request;
  settleStanding(store);
  const spender = spenderNow(store, request);
  const accounts = accountsOf(store, spender);
  for (const account of accounts) checkTime(account, at);
  const counted = accounts.filter(({ limits }) => limits.tokens !== undefined || limits.usd !== undefined);
  if (counted.length === 0) return { kind: "unlimited" };
  if (estimate.price === undefined) refuseUnknownPrice(counted);
  const later = Math.min(...counted.map((account) => outputLeft(account, estimate, false)));
  if (later < estimate.outputTokensMin) throw tooLittle(counted, estimate);
  const now = Math.min(...counted.map((account) => outputLeft(account, estimate, true)));
  const granted = Math.min(estimate.outputTokens, now);
  if (granted < estimate.outputTokens && (now < later || granted < estimate.outputTokensMin)) return { kind: "wait" };
  const { inputTokens, price } = estimate;
  const usd = price ? inputTokens * price.input + granted * price.output : 0;
  const row = store.spending.reserve.run(spender.n, spender.runN, spender.groupN, inputTokens + granted, usd);
  return { kind: "reserved", reservationId: Number(row.lastInsertRowid), outputTokens: granted };
}

function spenderNow(store: Store, { childId, attempt }: ReserveRequest): SpenderRow {
  const spender = store.spending.spender.get(childId);
  if (!spender) throw fault("not_found", `There is no child ${childId}.`);
  if (spender.status === "running" && spender.attempt === attempt) return spender;
  throw fault("stale_epoch", `Child ${childId} is ${spender.status} in attempt ${spender.attempt}, not ${attempt}.`);
}

/** Every budget of a child, its own first. */
function accountsOf(store: Store, spender: SpenderRow): Account[] {
  const accounts: Account[] = [];
  const own = spender.options.includes('"budget"') ? (JSON.parse(spender.options) as ChildOptions).budget : undefined;
  if (own) {
    const held = store.spending.heldByChild.get(spender.n) ?? NOTHING;
    accounts.push({ scope: "child", id: spender.childId, limits: own, spent: spender, held, endsAt: null });
  }
  if (spender.runN !== null && spender.runBudget !== null) {
    const row = store.spending.run.get(spender.runN);
    const held = store.spending.heldForRun.get(spender.runN);
    if (row) accounts.push(accountOf("run", row, held));
  }
  if (spender.groupBudget !== null) {
    const row = store.spending.group.get(spender.groupN);
    if (row) accounts.push(accountOf("group", row, store.spending.heldForGroup.get(spender.groupN)));
  }
  return accounts;
}

const NOTHING: Amount = { tokens: 0, usd: 0 };

function accountOf(scope: BudgetScope, row: AccountRow, held: Amount | undefined): Account {
  const limits = limitsIn(row.budget);
  return { scope, id: row.id, limits, spent: row, held: held ?? NOTHING, endsAt: endOf(limits, row.createdAt) };
}

export function limitsIn(text: string | null): Budget {
  return text === null ? {} : (JSON.parse(text) as Budget);
}

/** When a budget of time is over, milliseconds since the epoch; null without one. */
export function endOf(limits: Budget, createdAt: number): number | null {
  return limits.seconds === undefined ? null : Math.ceil(createdAt + limits.seconds * 1000);
}

function checkTime(account: Account, at: number): void {
  if (account.endsAt !== null && at >= account.endsAt) throw timeOver(account);
}

function timeOver({ scope, id, limits }: Pick<Account, "scope" | "id" | "limits">): Fault {
  const seconds = limits.seconds ?? 0;
  return exceeded({ scope, id, unit: "seconds", limit: seconds, spent: seconds, reserved: 0 });
}

function refuseUnknownPrice(accounts: readonly Account[]): void {
  const dollars = accounts.find(({ limits }) => limits.usd !== undefined);
  if (!dollars) return;
  throw fault(
    "price_unknown",
    `The ${dollars.scope} has a budget of $${dollars.limits.usd}, and the price of the child's model is not known.`,
    { details: { scope: dollars.scope, id: dollars.id } },
  );
}

/** Output tokens that fit behind the request's input, with or without what is reserved; negative: not even that. */
function outputLeft({ limits, spent, held }: Account, estimate: SpendingEstimate, beside: boolean): number {
  const { inputTokens, price } = estimate;
  let left = Number.POSITIVE_INFINITY;
  if (limits.tokens !== undefined) left = limits.tokens - spent.tokens - (beside ? held.tokens : 0) - inputTokens;
  if (limits.usd !== undefined && price) {
    const usd = limits.usd - spent.usd - (beside ? held.usd : 0) - inputTokens * price.input + USD_TOLERANCE;
    const output = usd < 0 ? -1 : price.output > 0 ? Math.floor(usd / price.output) : Number.POSITIVE_INFINITY;
    left = Math.min(left, output);
  }
  return left;
}

function tooLittle(accounts: readonly Account[], estimate: SpendingEstimate): Fault {
  const short = accounts.find((one) => outputLeft(one, estimate, false) < estimate.outputTokensMin);
  if (!short) return fault("internal", "A request was refused by no budget.");
  const { limits, spent, held, scope, id } = short;
  const wantedTokens = estimate.inputTokens + estimate.outputTokensMin;
  const byTokens = limits.tokens !== undefined && limits.tokens - spent.tokens < wantedTokens;
  const unit = byTokens ? "tokens" : "usd";
  const { price } = estimate;
  const wantedUsd = price ? estimate.inputTokens * price.input + estimate.outputTokensMin * price.output : 0;
  const wanted = byTokens ? wantedTokens : wantedUsd;
  return exceeded({ scope, id, unit, limit: limits[unit] ?? 0, spent: spent[unit], reserved: held[unit], wanted });
}

interface Excess {
  scope: BudgetScope;
  id: string;
  unit: BudgetUnit;
  limit: number;
  spent: number;
  reserved: number;
  wanted?: number;
}

function exceeded(excess: Excess): Fault {
  const { scope, unit, limit, spent, reserved, wanted } = excess;
  const name = `The ${scope}'s budget of ${amountText(unit, limit)}`;
  const used = `${amountText(unit, spent)} spent${reserved > 0 ? `, ${amountText(unit, reserved)} reserved` : ""}`;
  const text =
    unit === "seconds"
      ? `${name} is over.`
      : wanted === undefined
        ? `${name} is used up: ${used}.`
        : `${name} has no room for a request of at least ${amountText(unit, wanted)}: ${used}.`;
  return fault("budget_exceeded", text, { details: { ...excess } });
}

function amountText(unit: BudgetUnit, amount: number): string {
  if (unit === "usd") return `$${Number(amount.toFixed(6))}`;
  return `${amount} ${unit}`;
}

/** Why one more child is refused, or undefined. `more` children are to be counted on top of the stored ones. */
export function spawnFault(
  owner: { scope: "run" | "group"; row: AccountRow; more: number },
  at: number,
): Fault | undefined {
  const { scope, row, more } = owner;
  const { id } = row;
  const limits = limitsIn(row.budget);
  const endsAt = endOf(limits, row.createdAt);
  if (endsAt !== null && at >= endsAt) return timeOver({ scope, id, limits });
  const spent = { tokens: row.tokens, usd: row.usd, children: row.children + more };
  for (const unit of ["children", "tokens", "usd"] as const) {
    const limit = limits[unit];
    if (limit === undefined) continue;
    if (spent[unit] < limit - (unit === "usd" ? USD_TOLERANCE : 0)) continue;
    return exceeded({ scope, id, unit, limit, spent: spent[unit], reserved: 0 });
  }
  return undefined;
}

/** Stores a budget with its owner; a budget of time is put into line to end. */
export function giveBudget(
  store: Store,
  owner: { kind: "run" | "group"; n: number; createdAt: number },
  budget: Budget | undefined,
): void {
  if (budget === undefined || Object.keys(budget).length === 0) return;
  const give = owner.kind === "run" ? store.spending.giveRun : store.spending.giveGroup;
  give.run(JSON.stringify(budget), owner.n);
  const endsAt = endOf(budget, owner.createdAt);
  if (endsAt !== null) store.spending.insertEnd.run(endsAt, owner.kind, owner.n);
}

export function runSpending(store: Store, runId: string): RunSpending | undefined {
  const place = store.spending.runPlace.get(runId);
  const run = place && store.spending.run.get(place.n);
  const group = place && store.spending.group.get(place.groupN);
  if (!run || !group) return undefined;
  const own = limitsIn(run.budget);
  const shared = limitsIn(group.budget);
  return {
    tokens: run.tokens,
    usd: run.usd,
    tokensLeft: leastLeft([own.tokens, run.tokens], [shared.tokens, group.tokens]),
    usdLeft: leastLeft([own.usd, run.usd], [shared.usd, group.usd]),
    tokensTotal: own.tokens ?? shared.tokens ?? null,
    usdTotal: own.usd ?? shared.usd ?? null,
  };
}

function leastLeft(...accounts: [number | undefined, number][]): number | null {
  const left = accounts.flatMap(([limit, spent]) => (limit === undefined ? [] : [Math.max(limit - spent, 0)]));
  return left.length === 0 ? null : Math.min(...left);
}
