// When and where a failed call goes on at another provider. Pure.

import type { ModelSettings } from "../../contract/model-settings.ts";
import { providerId } from "./model-id.ts";
import { ownRoute, type Route, routeIfPossible } from "./route.ts";

/** Statuses that another provider may not answer with. */
export const FAILOVER_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429, 500, 502, 503, 504, 529]);

/** A-054, in order. */
const DEFAULT_ORDER: readonly { provider: string; model: string; effort?: "low" }[] = [
  { provider: "openai", model: "gpt-5.6-sol" },
  { provider: "anthropic", model: "claude-sonnet-5-5", effort: "low" },
  { provider: "openrouter", model: "openai/gpt-5.6-sol" },
  { provider: "gemini", model: "gemini-3.1-pro-preview" },
];

export interface FailureFacts {
  kind: "http" | "network" | "timeout" | "other";
  status?: number | undefined;
}

export function mayFailOver(failure: FailureFacts): boolean {
  if (failure.kind === "network" || failure.kind === "timeout") return true;
  return failure.kind === "http" && failure.status !== undefined && FAILOVER_STATUSES.has(failure.status);
}

/**
 * The routes that are tried after the one at `own`, in order. "default": A-054, without the call's own
 * provider. A list holds `provider:model` or a provider's name; an empty one pins the call. What
 * has no key is left out.
 */
export function failoverRoutes(
  own: string,
  fallbackProviders: readonly string[] | "default",
  settings: ModelSettings,
): Route[] {
  if (fallbackProviders === "default") {
    return DEFAULT_ORDER.filter(({ provider }) => provider !== own).flatMap(({ provider, model, effort }) => {
      const row = settings.providers[provider];
      const route = row && row.keys.length > 0 ? ownRoute(row, model) : undefined;
      return route ? [{ ...route, effort }] : [];
    });
  }
  return fallbackProviders.flatMap((entry) => {
    const isProvider = providerId(entry, settings.providers) !== undefined;
    return routeIfPossible(isProvider ? { provider: entry } : { model: entry }, settings) ?? [];
  });
}
