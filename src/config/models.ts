// The models section and the providers' variables become one resolved object (A-050, C-010). Keys may stand
// in the environment or in the file; the environment goes first. A key never stands in a message.

import { BASE_URL_EXPECTED, parseBaseUrl } from "../contract/base-url.ts";
import { type ModelPrice, type ModelSettings, type ProviderSettings, secretOf } from "../contract/model-settings.ts";
import { isProviderKind, PROVIDER_KINDS, type ProviderKind, providerRow } from "../contract/providers.ts";
import { type ConfigProblem, gotText } from "./check.ts";
import { MODEL_FIELDS } from "./fields.ts";
import type { Config, ProviderFileSettings } from "./schema.ts";

export type Environment = { readonly [name: string]: string | undefined };

/** Where a value that may come from a variable came from. */
export interface ModelOrigin {
  from: "default" | "file" | "env";
  name?: string;
}

export interface ResolvedModels {
  models: ModelSettings;
  /** By provider id: where its keys and its base URL came from. */
  origins: { [id: string]: { keys: ModelOrigin; baseUrl: ModelOrigin } };
}

/** Most keys of one pool. */
export const KEYS_COUNT_MAX = 100;
const KEY = /^[\x21-\x7e]{1,1000}$/;

interface Source {
  env: Environment;
  /** The configuration file's name, for origins. */
  file: string | undefined;
  problems: ConfigProblem[];
}

/** All known providers, and those that the file adds. What is wrong is added to `problems`. */
export function resolveModels(
  config: Config,
  env: Environment,
  file: string | undefined,
  problems: ConfigProblem[],
): ResolvedModels {
  const source: Source = { env, file, problems };
  const section = config.models ?? {};
  const providers: { [id: string]: ProviderSettings } = Object.create(null);
  const origins: ResolvedModels["origins"] = Object.create(null);
  const named = Object.keys(section.providers ?? {}).filter((id) => !isProviderKind(id));
  for (const id of [...PROVIDER_KINDS, ...named]) {
    const given = section.providers?.[id] ?? {};
    const kind: ProviderKind = isProviderKind(id) ? id : "openai-compatible";
    const keys = keysOf(id, kind, given, source);
    const baseUrl = baseUrlOf(id, kind, given, source);
    const row = providerRow(kind);
    providers[id] = {
      id,
      kind,
      keys: keys.value.map(secretOf),
      keyVariables: variablesOf(id, kind, given),
      needsKey: row.needsKey || given.apiKeyVariable !== undefined,
      baseUrl: baseUrl.value,
      defaultModel: isProviderKind(id) ? row.defaultModel : undefined,
      maxConcurrent: given.maxConcurrent ?? MODEL_FIELDS.maxConcurrent.default,
    };
    origins[id] = { keys: keys.origin, baseUrl: baseUrl.origin };
  }
  const prices: { [model: string]: ModelPrice } = Object.create(null);
  Object.assign(prices, section.prices);
  const models: ModelSettings = {
    providers,
    fallbackProviders: section.fallbackProviders ?? [],
    progressTimeoutMs: section.progressTimeoutMs ?? MODEL_FIELDS.progressTimeoutMs.default,
    maxOutputTokens: section.maxOutputTokens,
    prices,
  };
  return { models, origins };
}

function variablesOf(id: string, kind: ProviderKind, given: ProviderFileSettings): readonly string[] {
  if (given.apiKeyVariable !== undefined) return [given.apiKeyVariable];
  return isProviderKind(id) ? providerRow(kind).keyVariables : [];
}

function keysOf(id: string, kind: ProviderKind, given: ProviderFileSettings, source: Source) {
  for (const name of variablesOf(id, kind, given)) {
    const text = source.env[name];
    if (!text?.trim()) continue;
    return { value: poolOf(text, name, source.problems), origin: { from: "env", name } satisfies ModelOrigin };
  }
  if (given.apiKey === undefined) return { value: [], origin: { from: "default" } satisfies ModelOrigin };
  const pool = poolOf(given.apiKey, `models.providers.${id}.apiKey`, source.problems);
  return { value: pool, origin: fileOrigin(source) };
}

/** The keys of a comma-separated value, without what is empty or doubled. */
function poolOf(text: string, path: string, problems: ConfigProblem[]): string[] {
  const keys = [...new Set(text.split(",").map((key) => key.trim()))].filter((key) => key !== "");
  if (keys.some((key) => !KEY.test(key)) || keys.length > KEYS_COUNT_MAX) {
    problems.push({
      kind: "wrong_value",
      path,
      got: `${keys.length} of up to ${Math.max(...keys.map((key) => key.length))} characters (not shown)`,
      expected: `at most ${KEYS_COUNT_MAX} keys of visible ASCII characters, separated by commas`,
    });
  }
  return keys;
}

function baseUrlOf(id: string, kind: ProviderKind, given: ProviderFileSettings, source: Source) {
  const row = providerRow(kind);
  const variable = isProviderKind(id) ? row.baseUrlVariable : undefined;
  const fromEnv = variable === undefined ? undefined : source.env[variable];
  if (variable !== undefined && fromEnv?.trim()) {
    return { value: read(fromEnv, variable, kind, source.problems), origin: { from: "env", name: variable } as const };
  }
  if (given.baseUrl?.trim()) {
    const path = `models.providers.${id}.baseUrl`;
    return { value: read(given.baseUrl, path, kind, source.problems), origin: fileOrigin(source) };
  }
  return { value: row.baseUrl, origin: { from: "default" } as const };
}

function read(text: string, path: string, kind: ProviderKind, problems: ConfigProblem[]): string | undefined {
  const parsed = parseBaseUrl(text.trim());
  if (!parsed) {
    // An address may hold a password, so only its kind is said.
    const got = text.includes("@") ? "an address with a user (not shown)" : gotText(text);
    problems.push({ kind: "wrong_value", path, got, expected: BASE_URL_EXPECTED });
  }
  // Ollama is usually named by its host alone.
  if (kind === "ollama" && parsed?.url === parsed?.origin) return parsed && `${parsed.url}/api`;
  return parsed?.url;
}

function fileOrigin(source: Source): ModelOrigin {
  return source.file === undefined ? { from: "default" } : { from: "file", name: source.file };
}
