// The memory's use cases of budgets (S-019, B-005): an amount is reserved before a request is sent and settled
// after it, both in one transaction each. Part of the registry's port.

import type { Usage } from "../contract/records.ts";
import type { SpendingEstimate } from "../contract/spending.ts";

export interface ReserveRequest {
  childId: string;
  /** Refused as stale when it is not the one that runs (L12). */
  attempt: number;
  estimate: SpendingEstimate;
  at: number;
}

export type ReserveAnswer =
  /** No budget in tokens or dollars applies: nothing was written. */
  | { kind: "unlimited" }
  /** `outputTokens` may be less than was wanted, where a budget ends. */
  | { kind: "reserved"; reservationId: number; outputTokens: number }
  /** It would fit if what others have reserved were given back: ask again after the next settlement. */
  | { kind: "wait" };

export interface Bill {
  childId: string;
  /** The reservation that this settles; null: none was made; "all": the child's attempt is over. */
  reservationId: number | "all" | null;
  usage: Usage | undefined;
  /** US dollars; undefined when not known. */
  costUsd: number | undefined;
  /** Charged to budgets alone: what a request has probably used that broke off without a report. */
  assumed?: { tokens: number; usd: number } | undefined;
}

/** What a run's script is told: all that was charged to it, and what is left in its and its group's budgets. */
export interface RunSpending {
  tokens: number;
  usd: number;
  /** Null: not limited. */
  tokensLeft: number | null;
  usdLeft: number | null;
  /** The run's own limit, else its group's; null: not limited. */
  tokensTotal: number | null;
  usdTotal: number | null;
}

export interface RegistrySpending {
  /**
   * Before a request is sent. Throws `budget_exceeded` with scope, unit, limit, spent and reserved, `price_unknown`
   * when a budget in dollars applies to a model without a price, `stale_epoch`, `not_found`.
   */
  reserve(request: ReserveRequest): Promise<ReserveAnswer>;
  /** After it, and for what an attempt used that did not end its child. False when the child was archived meanwhile. */
  bill(bill: Bill): Promise<boolean>;
  /** As it stands now, inside the open transaction. Undefined for a run that does not exist. */
  runSpending(runId: string): Promise<RunSpending | undefined>;
}
