// A request that is paid for: what it may cost at most is reserved before it is sent, with the output limit that
// is granted put into it, and what it did cost is settled after it, however it ended (B-003, B-005). How much it
// may cost is a bound: input from the bytes that are sent, output from the limit that the provider is given.

import type { ModelPrice, ModelSettings } from "../../contract/model-settings.ts";
import type { Reservation, SpendingEstimate, Spent, TokenPrice } from "../../contract/spending.ts";
import { costUsd, priceFor } from "../prices.ts";
import type { Route } from "../resolve/route.ts";
import type { Call, RequestEnd } from "../send/request.ts";

/** No tokenizer in use makes more of real text than one token of two bytes, and mostly one of four. */
export const BYTES_PER_TOKEN = 2;
/** What a provider adds around a request: roles, instructions for tools. */
export const REQUEST_TOKENS = 100;
/** Output of one answer under a budget, when models.maxOutputTokens says nothing. */
export const OUTPUT_TOKENS_DEFAULT = 8_192;
/** An answer that could not be longer than this is not asked for. */
export const OUTPUT_TOKENS_MIN = 256;

export interface HeldRequest {
  call: Call;
  /** The budget granted less output than the model may usually have. */
  isShrunk: boolean;
  /** Undefined: it was not even sent. */
  settle(end: RequestEnd | undefined): Promise<void>;
}

export interface HoldContext {
  settings: Pick<ModelSettings, "prices" | "maxOutputTokens">;
  /** Without one nothing is reserved and nothing is billed: the outcome says what was used. */
  reserve: ((estimate: SpendingEstimate) => Promise<Reservation>) | undefined;
}

/** @throws Fault `budget_exceeded`, `price_unknown` */
export async function hold(
  route: Route,
  call: Call,
  thinkingTokens: number,
  { settings, reserve }: HoldContext,
): Promise<HeldRequest> {
  const { maxOutputTokens } = settings;
  const plain = maxOutputTokens === undefined ? call : { ...call, maxOutputTokens };
  if (!reserve) return unheld(plain);
  const name = `${route.provider.id}:${route.model}`;
  const estimate = estimateOf(call, thinkingTokens, maxOutputTokens, priceFor(name, settings.prices));
  const reservation = await reserve(estimate);
  const granted = reservation.outputTokensMax;
  return {
    // The package adds the tokens to think with to the limit by itself, where it counts them.
    call: granted === undefined ? plain : { ...call, maxOutputTokens: granted - thinkingTokens },
    isShrunk: granted !== undefined && granted < estimate.outputTokens,
    settle: (end) => reservation.settle(end ? spentBy(end, estimate, name, settings.prices) : {}),
  };
}

/** A request that is billed by whoever asked for it. */
export function unheld(call: Call): HeldRequest {
  return { call, isShrunk: false, settle: () => Promise.resolve() };
}

function estimateOf(
  call: Call,
  thinkingTokens: number,
  maxOutputTokens: number | undefined,
  price: ModelPrice | undefined,
): SpendingEstimate {
  const bytes = Buffer.byteLength(JSON.stringify([call.prompt, call.tools ?? []]));
  const inputTokens = Math.ceil(bytes / BYTES_PER_TOKEN) + REQUEST_TOKENS;
  const wanted = maxOutputTokens ?? OUTPUT_TOKENS_DEFAULT;
  return {
    inputTokens,
    outputTokens: wanted + thinkingTokens,
    outputTokensMin: Math.min(OUTPUT_TOKENS_MIN, wanted) + thinkingTokens,
    price: price && perToken(price),
  };
}

function perToken({ input, output, cachedInput }: ModelPrice): TokenPrice {
  return { input: Math.max(input, cachedInput ?? 0) / 1_000_000, output: output / 1_000_000 };
}

function spentBy(end: RequestEnd, estimate: SpendingEstimate, model: string, prices: ModelSettings["prices"]): Spent {
  if (end.ok) {
    const { usage } = end.answer;
    // An answer without a report was given all the same.
    if (!usage) return { unanswered: { inputTokens: estimate.inputTokens, outputTokens: estimate.outputTokens } };
    return { usage, costUsd: costUsd(model, usage, prices) };
  }
  const outputTokens = Math.ceil(end.heardChars / BYTES_PER_TOKEN);
  const { kind, errorCode } = end.failure;
  const wasHeard = end.hasBegun || kind === "timeout" || errorCode === "child_killed";
  return wasHeard ? { unanswered: { inputTokens: estimate.inputTokens, outputTokens } } : {};
}
