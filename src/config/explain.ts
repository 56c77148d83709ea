// Every field's resolved value and where it came from (C-010). Secrets are masked here, so that no
// caller ever holds one to print.

import type { Json } from "../contract/json.ts";
import type { SwarmSettings } from "../contract/settings.ts";
import { toolRows } from "./explain-tools.ts";
import { type ExplainedField, fromFile, SECRET_MASK } from "./explained.ts";
import {
  AGENT_FIELDS,
  CODE_MODE_FIELDS,
  type IntegerField,
  LIMIT_FIELDS,
  MODEL_FIELDS,
  OFFLINE_FIELDS,
  SWARM_FIELDS,
} from "./fields.ts";
import type { LoadedSettings } from "./load.ts";
import { agentSwarmSwitch, resolveSwarmConfig, swarmSwitchFields } from "./resolve.ts";
import type { SwarmFileSettings } from "./schema.ts";

/** One row for each field of the configuration, agents last, in the order of docs/configuration.md. */
export function explainConfig(loaded: LoadedSettings): ExplainedField[] {
  const { settings, config } = loaded;
  const top = (path: string, value: Json, given: unknown, field?: IntegerField) =>
    fromFile(loaded, { path, value, given, field });
  return [
    { path: "dataDir", value: settings.dataDir, ...loaded.origins.dataDir },
    top("defaultModel", settings.defaultModel, config.defaultModel),
    top("logLevel", settings.logLevel, config.logLevel),
    top("offlineDelayMs", settings.offlineDelayMs, config.offlineDelayMs, OFFLINE_FIELDS.offlineDelayMs),
    top("offlineSlowMs", settings.offlineSlowMs, config.offlineSlowMs, OFFLINE_FIELDS.offlineSlowMs),
    { path: "gateway.host", value: settings.gateway.host, ...loaded.origins.host },
    { path: "gateway.port", value: settings.gateway.port, ...loaded.origins.port },
    top("gateway.allowedHosts", settings.gateway.allowedHosts, config.gateway?.allowedHosts),
    top("gateway.allowedOrigins", settings.gateway.allowedOrigins, config.gateway?.allowedOrigins),
    tokenRow(loaded),
    ...limitNames.map((name) => top(`limits.${name}`, settings[name], config.limits?.[name], LIMIT_FIELDS[name])),
    ...swarmRows(loaded, undefined),
    ...codeModeRows(loaded),
    ...modelRows(loaded),
    ...dialectRows(loaded),
    ...toolRows(loaded),
    ...Object.keys(settings.agents).flatMap((id) => agentRows(loaded, id)),
  ];
}

const limitNames = Object.keys(LIMIT_FIELDS) as (keyof typeof LIMIT_FIELDS)[];
const codeModeNames = Object.keys(CODE_MODE_FIELDS) as (keyof typeof CODE_MODE_FIELDS)[];

function tokenRow(loaded: LoadedSettings): ExplainedField {
  const row: ExplainedField = { path: "gateway.token", value: SECRET_MASK, ...loaded.origins.token };
  if (row.from === "default")
    row.note = "made at the gateway's first start; kept in the data directory, file mode 0600";
  return row;
}

function swarmRows(loaded: LoadedSettings, agentId: string | undefined): ExplainedField[] {
  const resolved = resolveSwarmConfig(loaded.config, agentId);
  const global = swarmSwitchFields(loaded.config.tools?.swarm);
  const own = swarmSwitchFields(agentSwarmSwitch(loaded.config, agentId));
  const base = agentId === undefined ? "tools.swarm" : `agents.${agentId}.tools.swarm`;
  return (Object.keys(resolved) as (keyof SwarmSettings & keyof SwarmFileSettings)[]).map((name) => {
    const field = Object.hasOwn(SWARM_FIELDS, name) ? SWARM_FIELDS[name as keyof typeof SWARM_FIELDS] : undefined;
    const given = own[name] ?? global[name];
    const row = fromFile(loaded, { path: `${base}.${name}`, value: (resolved[name] ?? null) as Json, given, field });
    if (agentId !== undefined && own[name] === undefined) row.note = row.note ?? "as tools.swarm";
    return row;
  });
}

function codeModeRows(loaded: LoadedSettings): ExplainedField[] {
  const given = loaded.config.tools?.codeMode;
  const fields = typeof given === "object" ? given : {};
  const enabled = typeof given === "boolean" ? given : fields.enabled;
  const resolved = loaded.settings.codeMode;
  return [
    fromFile(loaded, { path: "tools.codeMode.enabled", value: resolved.enabled, given: enabled }),
    ...codeModeNames.map((name) =>
      fromFile(loaded, {
        path: `tools.codeMode.${name}`,
        value: resolved[name],
        given: fields[name],
        field: CODE_MODE_FIELDS[name],
      }),
    ),
  ];
}

function dialectRows(loaded: LoadedSettings): ExplainedField[] {
  const { dialect } = loaded.settings;
  if (!dialect) return [];
  const given = loaded.config.dialect;
  const mapRows = (path: string, names: { [name: string]: string }) =>
    Object.entries(names).map(([name, value]) =>
      fromFile(loaded, { path: `dialect.${path}[${JSON.stringify(name)}]`, value, given: value }),
    );
  const { agentsMax, workflowFolders } = dialect;
  return [
    ...mapRows("models", dialect.models),
    ...mapRows("agentTypes", dialect.agentTypes),
    fromFile(loaded, { path: "dialect.agentsMax", value: agentsMax, given: given?.agentsMax }),
    fromFile(loaded, { path: "dialect.workflowFolders", value: [...workflowFolders], given: given?.workflowFolders }),
  ];
}

/** Providers that have a key, or whose address or number of requests was set; the others are as documented. */
function modelRows(loaded: LoadedSettings): ExplainedField[] {
  const { models } = loaded.settings;
  if (!models) return [];
  const given = loaded.config.models;
  const fallback = models.fallbackProviders === "default" ? "default" : [...models.fallbackProviders];
  return [
    fromFile(loaded, { path: "models.fallbackProviders", value: fallback, given: given?.fallbackProviders }),
    fromFile(loaded, {
      path: "models.progressTimeoutMs",
      value: models.progressTimeoutMs,
      given: given?.progressTimeoutMs,
      field: MODEL_FIELDS.progressTimeoutMs,
    }),
    ...Object.keys(models.providers).flatMap((id) => providerRows(loaded, id)),
    ...Object.entries(models.prices).map(([model, price]) =>
      fromFile(loaded, { path: `models.prices[${JSON.stringify(model)}]`, value: { ...price } as Json, given: price }),
    ),
  ];
}

function providerRows(loaded: LoadedSettings, id: string): ExplainedField[] {
  const provider = loaded.settings.models?.providers[id];
  const origins = loaded.modelOrigins[id];
  if (!provider || !origins) return [];
  const given = loaded.config.models?.providers?.[id];
  const path = `models.providers.${id}`;
  const rows: ExplainedField[] = [];
  if (provider.keys.length > 0) {
    const note = provider.keys.length === 1 ? "1 key" : `${provider.keys.length} keys, used in turn`;
    rows.push({ path: `${path}.apiKey`, value: SECRET_MASK, ...origins.keys, note });
  }
  if (rows.length > 0 || origins.baseUrl.from !== "default") {
    rows.push({ path: `${path}.baseUrl`, value: provider.baseUrl ?? null, ...origins.baseUrl });
  }
  if (rows.length > 0 || given?.maxConcurrent !== undefined) {
    const value = provider.maxConcurrent;
    rows.push(fromFile(loaded, { path: `${path}.maxConcurrent`, value, given: given?.maxConcurrent }));
  }
  return rows;
}

function agentRows(loaded: LoadedSettings, id: string): ExplainedField[] {
  const agent = loaded.settings.agents[id];
  const row = (name: string, value: Json | undefined, note: string) => {
    const made = fromFile(loaded, { path: `agents.${id}.${name}`, value: value ?? null, given: value });
    return value === undefined ? { ...made, note } : made;
  };
  return [
    row("model", agent?.model, "as defaultModel"),
    row("instructions", agent?.instructions, "none"),
    row("allowedAgents", agent?.allowedAgents, "any configured agent"),
    row("thinking", agent?.thinking, "the model's own way"),
    row("fastMode", agent?.fastMode, "the model's own way"),
    fromFile(loaded, {
      path: `agents.${id}.maxSteps`,
      value: agent?.maxSteps ?? AGENT_FIELDS.maxSteps.default,
      given: loaded.config.agents?.[id]?.maxSteps,
    }),
    row("tools.allow", agent?.tools, "those that a call names"),
    ...swarmRows(loaded, id),
  ];
}
