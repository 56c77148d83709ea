// How spending is counted (B-003, B-005): a request's estimate is reserved before it leaves, what it really
// used is settled after its answer, and the rest is given back.

import type { Usage } from "./records.ts";

/** US dollars per token. */
export interface TokenPrice {
  input: number;
  output: number;
}

/** What one request may use at most, told before it is sent. */
export interface SpendingEstimate {
  inputTokens: number;
  /** As much output as is wanted; less may be granted. */
  outputTokens: number;
  /** With less output than this the request makes no sense. */
  outputTokensMin: number;
  /** Undefined: not known, so that no budget in dollars can be held. */
  price: TokenPrice | undefined;
}

/** What a request has used. */
export interface Spent {
  usage?: Usage | undefined;
  /** US dollars; undefined when not known. */
  costUsd?: number | undefined;
  /** Without `usage`: what it has probably used all the same, since it was sent and broke off. */
  unanswered?: { inputTokens: number; outputTokens: number } | undefined;
}

export interface Reservation {
  /** The output that was granted; to be sent as the request's limit. Undefined: no budget applies. */
  readonly outputTokensMax: number | undefined;
  /** Bills what was used and gives the rest back. Once; resolves when it is durable. */
  settle(spent: Spent): Promise<void>;
}
