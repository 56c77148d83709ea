// Reads a model id: which provider it names, and what is left of it (A-042 to A-048). A colon and a slash
// are both part of real ids, so every rule says when they are not a prefix.

import { fault } from "../../contract/fault.ts";
import type { ProviderSettings } from "../../contract/model-settings.ts";
import { PROVIDER_ALIASES } from "../../contract/providers.ts";

export type Providers = { readonly [id: string]: ProviderSettings };

export interface ModelIdParts {
  /** Undefined: the id names none. */
  provider: string | undefined;
  model: string;
}

export interface ModelIdContext {
  /** The provider that stands beside this very id, written by the same hand. */
  own: string | undefined;
  /** The own one, else the inherited one. */
  effective: string | undefined;
  providers: Providers;
}

/**
 * The provider that `text` names by its prefix, and the model without it. What looks like a prefix and is
 * none stays part of the model.
 */
export function splitModelId(text: string, context: ModelIdContext): ModelIdParts {
  const { providers } = context;
  // A-046: the tags of Ollama are written with a colon.
  if (providerId(context.own, providers) === "ollama") return { provider: undefined, model: text };
  const colon = text.indexOf(":");
  const byColon = colon > 0 ? providerId(text.slice(0, colon), providers) : undefined;
  if (byColon !== undefined && colon + 1 < text.length) return { provider: byColon, model: text.slice(colon + 1) };
  const effective = providerId(context.effective, providers);
  const slash = text.indexOf("/");
  const bySlash = slash > 0 ? providerId(text.slice(0, slash), providers) : undefined;
  // A-044: with a colon in the id, only a provider that repeats the prefix makes it one.
  const counts = effective === bySlash || (effective === undefined && colon < 0);
  if (bySlash !== undefined && counts && slash + 1 < text.length) {
    return { provider: bySlash, model: text.slice(slash + 1) };
  }
  return { provider: undefined, model: text };
}

/** The provider that `name` means, aliases included; undefined when it is unknown or not given. */
export function providerId(name: string | undefined, providers: Providers): string | undefined {
  if (name === undefined) return undefined;
  const id = Object.hasOwn(PROVIDER_ALIASES, name) ? PROVIDER_ALIASES[name] : name;
  return id !== undefined && Object.hasOwn(providers, id) ? id : undefined;
}

/** @throws Fault `model_unknown` with the providers that exist */
export function providerOf(name: string, providers: Providers): ProviderSettings {
  const id = providerId(name, providers);
  const provider = id === undefined ? undefined : providers[id];
  if (provider) return provider;
  throw fault("model_unknown", `There is no provider ${JSON.stringify(name)}. Providers: ${known(providers)}.`, {
    next: "Use one of the providers that the message names, or configure it under models.providers.",
    details: { provider: name },
  });
}

/** A-047: an id like `qwen2.5:7b` may be a local tag, and never goes to whatever provider has a key. */
export function unknownPrefix(text: string, providers: Providers) {
  const prefix = text.slice(0, text.indexOf(":"));
  return fault(
    "model_unknown",
    `The model ${JSON.stringify(text)} begins with ${JSON.stringify(prefix)}, which is no provider. Providers: ${known(providers)}. ` +
      `A local tag needs provider: 'ollama' (as a child's model: ${JSON.stringify(`ollama:${text}`)}).`,
    { next: "Write the model as provider:model.", details: { model: text } },
  );
}

function known(providers: Providers): string {
  return Object.keys(providers).join(", ");
}
