// What `thinking` and `fastMode` of a child mean to each provider (S-006). Omitted means the model's own way.

import { fault } from "../../contract/fault.ts";
import type { ProviderKind } from "../../contract/providers.ts";
import type { ProviderOptions } from "../sdk.ts";

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** Tokens to think with, for providers that count them. */
const BUDGET_TOKENS: { readonly [level in ThinkingLevel]: number } = {
  off: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 24_576,
};

/** Tokens that come on top of the output limit, where the package adds them by itself. */
export function thinkingTokens(kind: ProviderKind, level: ThinkingLevel | undefined): number {
  return kind === "anthropic" && level !== undefined ? BUDGET_TOKENS[level] : 0;
}

/** Providers whose models think unasked: `fastMode` tells these to think little. */
const THINKS_UNASKED: ReadonlySet<ProviderKind> = new Set(["openai", "gemini", "openrouter", "xai"]);

/** @throws Fault `option_type` for a level that does not exist */
export function thinkingLevel(thinking: string | undefined): ThinkingLevel | undefined {
  if (thinking === undefined) return undefined;
  const level = THINKING_LEVELS.find((known) => known === thinking);
  if (level) return level;
  const expected = THINKING_LEVELS.map((known) => `"${known}"`).join(", ");
  throw fault("option_type", `thinking: got ${JSON.stringify(thinking.slice(0, 40))}, expected one of ${expected}`);
}

export interface ThinkingWish {
  level: ThinkingLevel | undefined;
  fastMode: boolean | "auto" | undefined;
}

/** The options of the provider's package; empty when nothing is wished. */
export function thinkingOptions(kind: ProviderKind, model: string, wish: ThinkingWish): ProviderOptions {
  // Nothing of a child is kept at the provider; reasoning comes back to us instead.
  const always: ProviderOptions = kind === "openai" ? { openai: { store: false } } : {};
  const level = wish.level ?? (wish.fastMode === true && THINKS_UNASKED.has(kind) ? "low" : undefined);
  if (level === undefined) return always;
  return { ...always, ...optionsFor(kind, model, level, always) };
}

function optionsFor(kind: ProviderKind, model: string, level: ThinkingLevel, always: ProviderOptions): ProviderOptions {
  const effort = level === "off" ? "none" : level;
  switch (kind) {
    case "openai":
      return { openai: { ...always.openai, reasoningEffort: effort } };
    case "anthropic":
      return {
        anthropic: {
          thinking: level === "off" ? { type: "disabled" } : { type: "enabled", budgetTokens: BUDGET_TOKENS[level] },
        },
      };
    case "gemini":
      return { google: { thinkingConfig: geminiThinking(model, level) } };
    case "openrouter":
      return { openrouter: { reasoning: level === "off" ? { enabled: false } : { effort } } };
    case "groq":
      return { groq: { reasoningEffort: level === "minimal" ? "low" : effort } };
    case "xai":
      return level === "off"
        ? {}
        : { xai: { reasoningEffort: level === "high" || level === "medium" ? "high" : "low" } };
    case "mistral":
      return { mistral: { reasoningEffort: level === "off" ? "none" : "high" } };
    case "ollama":
      return { ollama: { think: level !== "off" } };
    default:
      return { openaiCompatible: { reasoningEffort: effort } };
  }
}

function geminiThinking(model: string, level: ThinkingLevel) {
  if (!/gemini-3/.test(model)) return { thinkingBudget: BUDGET_TOKENS[level] };
  return { thinkingLevel: level === "off" || level === "minimal" ? "minimal" : level };
}
