// Where a call goes: provider, model, address and keys of a seat under an agency, or of a child alone
// . Pure: the same fields and settings always give the same route.

import { BASE_URL_EXPECTED, parseBaseUrl } from "../../contract/base-url.ts";
import { type Fault, fault, isFault } from "../../contract/fault.ts";
import { type ModelSettings, type ProviderSettings, type Secret, secretOf } from "../../contract/model-settings.ts";
import { PROVIDER_KINDS } from "../../contract/providers.ts";
import { providerId, providerOf, splitModelId, unknownPrefix } from "./model-id.ts";

/** What a seat, an agency or a single call may say. A field that is there and undefined counts as set. */
export interface RouteFields {
  model?: string | undefined;
  provider?: string | undefined;
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
}

/** A key and what it may be sent to (B-017). */
export interface BoundKey {
  secret: Secret;
  /** Undefined: the one who gave it named no provider. */
  provider: string | undefined;
  origin: string;
}

export interface Route {
  provider: ProviderSettings;
  model: string;
  baseUrl: string;
  /** A pool that is used in turn; empty only for a provider that needs none. */
  keys: readonly BoundKey[];
  keySource: "seat" | "agency" | "default" | "environment" | "none";
  /** Given with a failover route. */
  effort?: "low" | undefined;
}

export interface RouteContext {
  settings: ModelSettings;
  /** What `setDefaultProvider()` was given. */
  defaultProvider?: { provider?: string | undefined; apiKey?: string | undefined } | undefined;
  /** Options of this one call; they replace those of every seat. */
  call?: Pick<RouteFields, "model" | "provider"> | undefined;
}

/** How the provider was found; a detected one never takes an agency's key. */
interface Target {
  provider: ProviderSettings;
  model: string;
  isDetected: boolean;
}

/**
 * The route of a seat under its agency. For a call that belongs to no agency, `agency` is empty.
 * @throws Fault `model_unknown`, `model_key_missing`, `option_type`
 */
export function resolveRoute(given: RouteFields, agency: RouteFields, context: RouteContext): Route {
  const seat = { ...given, ...definedOf(context.call ?? {}) };
  const target = targetOf(seat, agency, context);
  const agencyProvider = namedProvider(agency, context);
  const inherits = agencyProvider === undefined || (!target.isDetected && target.provider.id === agencyProvider);
  const inherited = inherits ? agency : {};
  const ownUrl = baseUrlOf(seat, inherited);
  if (ownUrl === undefined && target.provider.baseUrl === undefined) throw noAddress(target.provider);
  const baseUrl = ownUrl ?? target.provider.baseUrl ?? "";
  const { keys, source } = keysOf(seat, inherited, { target, agencyProvider, baseUrl, context });
  if (keys.length > 0 || !target.provider.needsKey) {
    return { provider: target.provider, model: target.model, baseUrl, keys, keySource: source };
  }
  const detour = ownUrl === undefined ? viaOpenRouter(target, context.settings) : undefined;
  if (detour) return detour;
  throw keyMissing(target.provider);
}

/** The providers' own settings as a route, for failover: never a key that somebody else gave. */
export function ownRoute(provider: ProviderSettings, model: string): Route | undefined {
  if (provider.baseUrl === undefined || (provider.needsKey && provider.keys.length === 0)) return undefined;
  const keys = settingsKeys(provider);
  return { provider, model, baseUrl: provider.baseUrl, keys, keySource: keys.length > 0 ? "environment" : "none" };
}

/** Names the variables that would give the key. */
export function keyMissing(provider: ProviderSettings): Fault {
  const places = [...provider.keyVariables, `models.providers.${provider.id}.apiKey in the configuration file`];
  return fault("model_key_missing", `There is no key for ${provider.id}: set ${places.join(" or ")}.`, {
    details: { provider: provider.id, variables: [...provider.keyVariables] },
  });
}

function targetOf(seat: RouteFields, agency: RouteFields, context: RouteContext): Target {
  const { providers } = context.settings;
  const isOwnModel = Object.hasOwn(seat, "model");
  const effective = Object.hasOwn(seat, "provider") ? seat.provider : agency.provider;
  const own = isOwnModel ? seat.provider : effective;
  const text = isOwnModel ? seat.model : agency.model;
  const parts = text === undefined ? undefined : splitModelId(text, { own, effective, providers });
  const named = parts?.provider ?? effective;
  if (named === undefined && text?.includes(":")) throw unknownPrefix(text, providers);
  const provider = named === undefined ? detected(text, context) : providerOf(named, providers);
  const model = parts?.model ?? provider.defaultModel;
  if (model === undefined) {
    throw fault("model_unknown", `${provider.id} has no usual model: name one as ${provider.id}:MODEL.`);
  }
  return { provider, model, isDetected: named === undefined };
}

/** The provider an agency's own calls go to, when its fields name one. */
function namedProvider(agency: RouteFields, context: RouteContext): string | undefined {
  const { providers } = context.settings;
  const own = agency.provider;
  const parts = agency.model === undefined ? undefined : splitModelId(agency.model, { own, effective: own, providers });
  return parts?.provider ?? providerId(own, providers);
}

/** the first provider that has a key. A bare name that nobody can be asked for is as good as unknown. */
function detected(model: string | undefined, context: RouteContext): ProviderSettings {
  const { settings, defaultProvider } = context;
  if (defaultProvider?.provider !== undefined) return providerOf(defaultProvider.provider, settings.providers);
  const all = PROVIDER_KINDS.flatMap((kind) => settings.providers[kind] ?? []);
  const found = all.find((provider) => provider.needsKey && provider.keys.length > 0);
  if (found) return found;
  const variables = all.filter((provider) => provider.needsKey).flatMap((provider) => provider.keyVariables[0] ?? []);
  const places = `set one of ${variables.join(", ")}`;
  if (model === undefined) {
    throw fault("model_key_missing", `No provider has a key: ${places}.`, { details: { variables } });
  }
  throw fault(
    "model_unknown",
    `The model ${JSON.stringify(model)} names no provider, and no provider has a key: write provider:model, or ${places}.`,
    { details: { model, variables } },
  );
}

/** blank counts as not given. Undefined: the provider's own. */
function baseUrlOf(seat: RouteFields, inherited: RouteFields): string | undefined {
  const isBlocked = Object.hasOwn(seat, "baseUrl") && seat.baseUrl === undefined;
  const text = textOf(seat.baseUrl) ?? (isBlocked ? undefined : textOf(inherited.baseUrl));
  return text === undefined ? undefined : checkedUrl(text).url;
}

function checkedUrl(text: string): { url: string; origin: string } {
  const parsed = parseBaseUrl(text);
  if (!parsed) throw fault("option_type", `baseUrl: expected ${BASE_URL_EXPECTED}`);
  return parsed;
}

interface KeyFacts {
  target: Target;
  agencyProvider: string | undefined;
  baseUrl: string;
  context: RouteContext;
}

/** the seat's own, the inherited one, a default that fits, the environment's. */
function keysOf(seat: RouteFields, inherited: RouteFields, facts: KeyFacts) {
  const { provider } = facts.target;
  const home = originOf(provider.baseUrl ?? facts.baseUrl);
  const own = textOf(seat.apiKey);
  if (own !== undefined) {
    return { keys: pool(own, provider.id, originOf(facts.baseUrl)), source: "seat" } as const;
  }
  const agencyKey = Object.hasOwn(seat, "apiKey") ? undefined : textOf(inherited.apiKey);
  if (agencyKey !== undefined) {
    const agencyUrl = textOf(inherited.baseUrl);
    const origin = agencyUrl === undefined ? home : checkedUrl(agencyUrl).origin;
    return { keys: pool(agencyKey, facts.agencyProvider, origin), source: "agency" } as const;
  }
  const given = facts.context.defaultProvider;
  const defaultKey = textOf(given?.apiKey);
  const fits =
    given?.provider === undefined || providerId(given.provider, facts.context.settings.providers) === provider.id;
  if (defaultKey !== undefined && fits)
    return { keys: pool(defaultKey, provider.id, home), source: "default" } as const;
  const keys = settingsKeys(provider);
  return { keys, source: keys.length > 0 ? "environment" : "none" } as const;
}

function settingsKeys(provider: ProviderSettings): BoundKey[] {
  const origin = originOf(provider.baseUrl ?? "");
  return provider.keys.map((secret) => ({ secret, provider: provider.id, origin }));
}

function pool(text: string, provider: string | undefined, origin: string): BoundKey[] {
  const keys = text.split(",").map((key) => key.trim());
  return [...new Set(keys)].filter((key) => key !== "").map((key) => ({ secret: secretOf(key), provider, origin }));
}

/** the one exception for a missing key. */
function viaOpenRouter({ provider, model, isDetected }: Target, settings: ModelSettings): Route | undefined {
  const router = settings.providers.openrouter;
  if (provider.id !== "anthropic" || isDetected || !router || router.keys.length === 0) return undefined;
  return ownRoute(router, `anthropic/${model}`);
}

function noAddress(provider: ProviderSettings): Fault {
  const variable = provider.id === "openai-compatible" ? "OPENAI_COMPATIBLE_BASE_URL or " : "";
  return fault(
    "model_unknown",
    `${provider.id} has no base URL: set ${variable}models.providers.${provider.id}.baseUrl.`,
    {
      next: "Give the provider a base URL in the configuration.",
    },
  );
}

function originOf(baseUrl: string): string {
  return parseBaseUrl(baseUrl)?.origin ?? "";
}

function textOf(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed ? trimmed : undefined;
}

function definedOf(fields: RouteFields): RouteFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The route of a plain call, or undefined when it cannot be had: for a list that leaves such entries out. */
export function routeIfPossible(fields: RouteFields, settings: ModelSettings): Route | undefined {
  try {
    return resolveRoute(fields, {}, { settings });
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
