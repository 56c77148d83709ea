// One row a provider: which package speaks to it, and how it is made. Each package is imported when the
// first request needs it, because some take most of a second.

import type { ProviderKind } from "../../contract/providers.ts";
import type { Model } from "../sdk.ts";
import { KEY_PLACEHOLDER } from "./guarded-fetch.ts";

export interface ModelAddress {
  kind: ProviderKind;
  /** As it is named in a model id. */
  provider: string;
  model: string;
  baseUrl: string;
}

interface PackageOptions {
  baseURL: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
}

type Opener = (options: PackageOptions, address: ModelAddress) => Promise<Model>;

const OPENERS: { readonly [kind in ProviderKind]: Opener } = {
  openai: async (options, { model }) => (await import("@ai-sdk/openai")).createOpenAI(options).responses(model),
  anthropic: async (options, { model }) => (await import("@ai-sdk/anthropic")).createAnthropic(options)(model),
  gemini: async (options, { model }) => (await import("@ai-sdk/google")).createGoogleGenerativeAI(options)(model),
  openrouter: async (options, { model }) =>
    (await import("@openrouter/ai-sdk-provider")).createOpenRouter(options).chat(model, { usage: { include: true } }),
  groq: async (options, { model }) => (await import("@ai-sdk/groq")).createGroq(options)(model),
  together: async (options, { model }) => (await import("@ai-sdk/togetherai")).createTogetherAI(options)(model),
  mistral: async (options, { model }) => (await import("@ai-sdk/mistral")).createMistral(options)(model),
  xai: async (options, { model }) => (await import("@ai-sdk/xai")).createXai(options)(model),
  requesty: compatible,
  "openai-compatible": compatible,
  // This package adds no key of its own.
  ollama: async ({ baseURL, apiKey, fetch }, { model }) => {
    const { createOllama } = await import("ollama-ai-provider-v2");
    return createOllama({ baseURL, fetch, headers: { authorization: `Bearer ${apiKey}` } })(model);
  },
};

/** The model, ready to be asked through `fetch`; it holds no key. */
export function openModel(address: ModelAddress, fetch: typeof globalThis.fetch): Promise<Model> {
  return OPENERS[address.kind]({ baseURL: address.baseUrl, apiKey: KEY_PLACEHOLDER, fetch }, address);
}

async function compatible(options: PackageOptions, { provider, model }: ModelAddress): Promise<Model> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ ...options, name: provider, includeUsage: true })(model);
}
