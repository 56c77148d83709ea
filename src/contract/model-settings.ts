// What the models are configured by, resolved: providers with their keys and addresses, failover, prices.
// src/config makes it once and freezes it; src/models reads it and nothing else of the outside.

import type { ProviderKind } from "./providers.ts";

/** A value that prints, logs and serialises as nothing; only who sends it reads it. */
export interface Secret {
  reveal(): string;
}

export function secretOf(value: string): Secret {
  return Object.freeze({ reveal: () => value });
}

export interface ProviderSettings {
  /** As it is named in a model id. */
  id: string;
  kind: ProviderKind;
  /** A pool that is used in turn; empty without a key. */
  keys: readonly Secret[];
  /** Variables that would give it a key, most usual first: for the message when there is none. */
  keyVariables: readonly string[];
  needsKey: boolean;
  /** Without a slash at the end. Undefined when it has to be configured and is not. */
  baseUrl: string | undefined;
  /** The model of a call that names none. */
  defaultModel: string | undefined;
  /** Requests of this provider that are under way at once. */
  maxConcurrent: number;
}

/** US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Of input tokens read from the provider's cache; unknown when left out. */
  cachedInput?: number | undefined;
}

export interface ModelSettings {
  /** By id; all known providers are here, with or without a key. No prototype. */
  providers: { readonly [id: string]: ProviderSettings };
  /** Where a child's call goes on when its provider fails: models as `provider:model`, or "default". */
  fallbackProviders: readonly string[] | "default";
  /** A request that brings nothing for this long is ended, milliseconds (B-032). */
  progressTimeoutMs: number;
  /** Output tokens of one answer, sent to the provider; undefined: its own, and a bound of ours under a budget. */
  maxOutputTokens?: number | undefined;
  /** Overrides of the built-in price table, by `provider:model`. */
  prices: { readonly [model: string]: ModelPrice };
}
