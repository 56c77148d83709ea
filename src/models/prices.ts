// List prices, as data with their dates. A model that is not here has no price and its cost is unknown, never
// guessed; the operator's own prices (models.prices) go first. Prices per million tokens, US dollars.

import type { ModelPrice } from "../contract/model-settings.ts";
import type { TokenUsage } from "./send/collect.ts";

interface ListPrice extends ModelPrice {
  /** The month in which the provider's list said so. */
  asOf: string;
  /** Above so many input tokens of one request another price holds, which is not kept here. */
  inputTokensMax?: number;
}

const OPENAI = "2025-11";
const ANTHROPIC = "2025-11";
const GOOGLE = "2025-11";

/** By `provider:model`, exactly as the model is named in the request. */
export const LIST_PRICES: { readonly [model: string]: ListPrice } = {
  "openai:gpt-4o": { input: 2.5, cachedInput: 1.25, output: 10, asOf: OPENAI },
  "openai:gpt-4o-mini": { input: 0.15, cachedInput: 0.075, output: 0.6, asOf: OPENAI },
  "openai:gpt-4.1": { input: 2, cachedInput: 0.5, output: 8, asOf: OPENAI },
  "openai:gpt-4.1-mini": { input: 0.4, cachedInput: 0.1, output: 1.6, asOf: OPENAI },
  "openai:gpt-4.1-nano": { input: 0.1, cachedInput: 0.025, output: 0.4, asOf: OPENAI },
  "openai:o3": { input: 2, cachedInput: 0.5, output: 8, asOf: OPENAI },
  "openai:o4-mini": { input: 1.1, cachedInput: 0.275, output: 4.4, asOf: OPENAI },
  "openai:gpt-5": { input: 1.25, cachedInput: 0.125, output: 10, asOf: OPENAI },
  "openai:gpt-5-mini": { input: 0.25, cachedInput: 0.025, output: 2, asOf: OPENAI },
  "openai:gpt-5-nano": { input: 0.05, cachedInput: 0.005, output: 0.4, asOf: OPENAI },
  "anthropic:claude-opus-4-1": { input: 15, cachedInput: 1.5, output: 75, asOf: ANTHROPIC },
  "anthropic:claude-opus-4-5": { input: 5, cachedInput: 0.5, output: 25, asOf: ANTHROPIC },
  "anthropic:claude-sonnet-4-5": { input: 3, cachedInput: 0.3, output: 15, asOf: ANTHROPIC, inputTokensMax: 200_000 },
  "anthropic:claude-haiku-4-5": { input: 1, cachedInput: 0.1, output: 5, asOf: ANTHROPIC },
  "gemini:gemini-2.5-pro": { input: 1.25, output: 10, asOf: GOOGLE, inputTokensMax: 200_000 },
  "gemini:gemini-2.5-flash": { input: 0.3, output: 2.5, asOf: GOOGLE },
  "gemini:gemini-2.5-flash-lite": { input: 0.1, output: 0.4, asOf: GOOGLE },
};

const TOKENS_PER_PRICE = 1_000_000;

/** The operator's price of `provider:model`, else the list's; undefined when nobody knows one. */
export function priceFor(model: string, own: { readonly [model: string]: ModelPrice }): ModelPrice | undefined {
  if (Object.hasOwn(own, model)) return own[model];
  return Object.hasOwn(LIST_PRICES, model) ? LIST_PRICES[model] : undefined;
}

/**
 * US dollars of one request; undefined when usage or price is not known, cached tokens have no known price,
 * or tokens were written to a cache, which has prices of its own.
 */
export function costUsd(
  model: string,
  usage: TokenUsage | undefined,
  own: { readonly [model: string]: ModelPrice },
): number | undefined {
  const price = priceFor(model, own);
  if (!price || !usage) return undefined;
  const limit = (price as ListPrice).inputTokensMax;
  if (limit !== undefined && usage.inputTokens > limit) return undefined;
  const cached = usage.cachedInputTokens ?? 0;
  if (cached > 0 && price.cachedInput === undefined) return undefined;
  if ((usage.cacheWriteTokens ?? 0) > 0) return undefined;
  const plain = (usage.inputTokens - cached) * price.input;
  return (plain + cached * (price.cachedInput ?? 0) + usage.outputTokens * price.output) / TOKENS_PER_PRICE;
}
