// The model providers that are known by name: where each one is, and which variables of the environment
// hold its keys. Data only; configuration reads the variables, and src/models holds the packages.

export interface ProviderRow {
  /** Variables that may hold its key or keys, most usual first. */
  readonly keyVariables: readonly string[];
  /** The variable that may hold another base URL. */
  readonly baseUrlVariable: string;
  /** Without a slash at the end; undefined when only its user can know it. */
  readonly baseUrl: string | undefined;
  /** False: requests without a key are sent as well. */
  readonly needsKey: boolean;
  /** The model of a call that names the provider and no model; undefined when there is no usual one. */
  readonly defaultModel?: string;
}

/** In the order of auto-detection. */
export const PROVIDERS = {
  openai: {
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    needsKey: true,
    defaultModel: "gpt-5.6-sol",
  },
  anthropic: {
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
    needsKey: true,
    defaultModel: "claude-sonnet-5-5",
  },
  openrouter: {
    keyVariables: ["OPENROUTER_API_KEY"],
    baseUrlVariable: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
    needsKey: true,
    defaultModel: "openai/gpt-5.6-sol",
  },
  gemini: {
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    baseUrlVariable: "GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    needsKey: true,
    defaultModel: "gemini-3.1-pro-preview",
  },
  requesty: {
    keyVariables: ["REQUESTY_API_KEY"],
    baseUrlVariable: "REQUESTY_BASE_URL",
    baseUrl: "https://router.requesty.ai/v1",
    needsKey: true,
  },
  groq: {
    keyVariables: ["GROQ_API_KEY"],
    baseUrlVariable: "GROQ_BASE_URL",
    baseUrl: "https://api.groq.com/openai/v1",
    needsKey: true,
  },
  together: {
    keyVariables: ["TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"],
    baseUrlVariable: "TOGETHER_BASE_URL",
    baseUrl: "https://api.together.xyz/v1",
    needsKey: true,
  },
  mistral: {
    keyVariables: ["MISTRAL_API_KEY"],
    baseUrlVariable: "MISTRAL_BASE_URL",
    baseUrl: "https://api.mistral.ai/v1",
    needsKey: true,
  },
  xai: {
    keyVariables: ["XAI_API_KEY"],
    baseUrlVariable: "XAI_BASE_URL",
    baseUrl: "https://api.x.ai/v1",
    needsKey: true,
  },
  "openai-compatible": {
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
    baseUrl: undefined,
    needsKey: false,
  },
  ollama: {
    keyVariables: ["OLLAMA_API_KEY"],
    baseUrlVariable: "OLLAMA_BASE_URL",
    baseUrl: "http://127.0.0.1:11434/api",
    needsKey: false,
  },
} as const satisfies Record<string, ProviderRow>;

/** How a provider is spoken to; a provider of the operator's own is `openai-compatible`. */
export type ProviderKind = keyof typeof PROVIDERS;

export const PROVIDER_KINDS = Object.keys(PROVIDERS) as ProviderKind[];

/** Other names that are understood in a model id. */
export const PROVIDER_ALIASES: { readonly [name: string]: ProviderKind } = {
  google: "gemini",
  togetherai: "together",
};

/** Names that a provider of the operator's own may not take: they mean something else in a model id. */
export const RESERVED_PROVIDER_NAMES: readonly string[] = [
  ...Object.keys(PROVIDER_ALIASES),
  "offline",
  "claude-code-cli",
  "codex-cli",
  "gemini-cli",
];

export function isProviderKind(name: string): name is ProviderKind {
  return Object.hasOwn(PROVIDERS, name);
}

export function providerRow(kind: ProviderKind): ProviderRow {
  return PROVIDERS[kind];
}
