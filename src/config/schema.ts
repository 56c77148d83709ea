// The shape of the configuration file (C-001, C-003, C-010). It refuses what is wrong; clamping and
// defaults belong to resolve.ts. Every error text here is the "expected …" half of a problem line.

import { z } from "zod";
import { BUDGET_CHILDREN_MAX, BUDGET_SECONDS_MAX, BUDGET_TOKENS_MAX, BUDGET_USD_MAX } from "../contract/limits.ts";
import { RESERVED_PROVIDER_NAMES } from "../contract/providers.ts";
import {
  AGENT_FIELDS,
  CODE_MODE_FIELDS,
  DIALECT_FIELDS,
  INSTRUCTIONS_CHARS_MAX,
  LIMIT_FIELDS,
  LOG_LEVELS,
  MODEL_FIELDS,
  OFFLINE_FIELDS,
  PORT_FIELD,
  SWARM_FIELDS,
  THINKING_LEVELS,
  TOOL_FIELDS,
} from "./fields.ts";
import { clamped, flag, list, matching, objectError, oneOf, ranged, text } from "./schema-parts.ts";
import { agentToolList, mcpServers } from "./tools-schema.ts";

/** Hosts that a person may write: a name or an address, without scheme, port or path. */
const HOST = /^[A-Za-z0-9.:_[\]-]{1,253}$/;
const MODEL = /^\S{1,200}$/;
/** Ids of agents; they stand in paths, listings and keys. */
export const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const AGENT_ID_EXPECTED =
  "a name of letters, digits, dot, dash or underscore that begins with a letter or digit";

const switchError = { error: "true, false or an object" };
const model = matching(MODEL, 'the name of a model without spaces, for example "offline:echo"');
const agentId = matching(AGENT_ID, AGENT_ID_EXPECTED);

function amount(max: number, whole: boolean) {
  const error = { error: whole ? `a whole number from 1 to ${max}` : `a number above 0, at most ${max}` };
  const number = z.number(error).positive(error).max(max, error);
  return (whole ? number.int(error) : number).optional();
}

const budgetObject = z
  .strictObject(
    {
      tokens: amount(BUDGET_TOKENS_MAX, true),
      usd: amount(BUDGET_USD_MAX, false),
      seconds: amount(BUDGET_SECONDS_MAX, false),
      children: amount(BUDGET_CHILDREN_MAX, true),
    },
    objectError,
  )
  .optional();

const swarmObject = z.strictObject(
  {
    enabled: flag,
    maxConcurrent: clamped(SWARM_FIELDS.maxConcurrent),
    maxChildrenPerGroup: clamped(SWARM_FIELDS.maxChildrenPerGroup),
    maxTotalPerGroup: clamped(SWARM_FIELDS.maxTotalPerGroup),
    waitTimeoutSecondsMax: clamped(SWARM_FIELDS.waitTimeoutSecondsMax),
    defaultAgentId: z.string({ error: 'the id of an agent, or "" for the requester\'s own' }).max(100).optional(),
    maxSpawnDepth: clamped(SWARM_FIELDS.maxSpawnDepth),
    cancelUnawaited: flag,
    archiveAfterMinutes: clamped(SWARM_FIELDS.archiveAfterMinutes),
    budget: z.strictObject({ run: budgetObject, group: budgetObject }, objectError).optional(),
  },
  objectError,
);
const swarmSwitch = z.union([z.boolean(), swarmObject], switchError).optional();

const codeModeObject = z.strictObject(
  {
    enabled: flag,
    timeoutMs: clamped(CODE_MODE_FIELDS.timeoutMs),
    memoryLimitBytes: clamped(CODE_MODE_FIELDS.memoryLimitBytes),
    maxOutputBytes: clamped(CODE_MODE_FIELDS.maxOutputBytes),
    maxSnapshotBytes: clamped(CODE_MODE_FIELDS.maxSnapshotBytes),
    maxPendingToolCalls: clamped(CODE_MODE_FIELDS.maxPendingToolCalls),
    snapshotTtlSeconds: clamped(CODE_MODE_FIELDS.snapshotTtlSeconds),
    keepHistoryTurns: clamped(CODE_MODE_FIELDS.keepHistoryTurns),
  },
  objectError,
);

const agentObject = z.strictObject(
  {
    model: model.optional(),
    instructions: text(`text of 1 to ${INSTRUCTIONS_CHARS_MAX} characters`, INSTRUCTIONS_CHARS_MAX).optional(),
    allowedAgents: z.array(agentId, { error: "a list of agent ids" }).optional(),
    thinking: z.enum(THINKING_LEVELS, { error: oneOf(THINKING_LEVELS) }).optional(),
    fastMode: z.union([z.boolean(), z.literal("auto")], { error: 'true, false or "auto"' }).optional(),
    maxSteps: ranged(AGENT_FIELDS.maxSteps),
    tools: z
      .union([agentToolList, z.strictObject({ swarm: swarmSwitch, allow: agentToolList.optional() }, objectError)], {
        error: "a list of tools or an object",
      })
      .optional(),
  },
  objectError,
);

const gatewayObject = z.strictObject(
  {
    host: matching(HOST, 'a host name or address without scheme or port, for example "127.0.0.1"').optional(),
    port: ranged(PORT_FIELD),
    allowedHosts: list(/^[A-Za-z0-9.:_[\]-]{1,260}$/, 'a host with or without port, for example "swarm.local:7976"'),
    allowedOrigins: list(/^https?:\/\/[^\s/?#*]+$/, 'an origin, for example "http://localhost:5173"'),
  },
  objectError,
);

/** A provider's name is the front of a model id. */
const PROVIDER_ID = /^[a-z0-9][a-z0-9-]{0,39}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const providerExpected = `a name of lower-case letters, digits and dashes other than ${RESERVED_PROVIDER_NAMES.join(", ")}`;
const providerId = z
  .string()
  .refine((id) => PROVIDER_ID.test(id) && !RESERVED_PROVIDER_NAMES.includes(id), { error: providerExpected });

const providerObject = z.strictObject(
  {
    baseUrl: z.string({ error: "an address" }).max(2000).optional(),
    apiKey: text("a key, or several separated by commas", 100_000).optional(),
    apiKeyVariable: matching(VARIABLE, "the name of an environment variable").optional(),
    maxConcurrent: ranged(MODEL_FIELDS.maxConcurrent),
  },
  objectError,
);

const priceError = { error: "US dollars per million tokens, 0 or more" };
const price = z.number(priceError).min(0, priceError).max(1_000_000, priceError);
const fallbackError = { error: '"default" or a list of models like "anthropic:claude-sonnet-5-5"' };

const modelsObject = z.strictObject(
  {
    providers: z.record(providerId, providerObject, { error: "an object of providers by name" }).optional(),
    fallbackProviders: z.union([z.literal("default"), z.array(model).max(20)], fallbackError).optional(),
    progressTimeoutMs: ranged(MODEL_FIELDS.progressTimeoutMs),
    maxOutputTokens: ranged(MODEL_FIELDS.maxOutputTokens),
    prices: z
      .record(model, z.strictObject({ input: price, output: price, cachedInput: price.optional() }, objectError), {
        error: "an object of prices by model",
      })
      .optional(),
  },
  objectError,
);

const names = z.string().min(1).max(200);

const dialectObject = z.strictObject(
  {
    models: z.record(names, model, { error: "an object of models by their names in workflows" }).optional(),
    agentTypes: z.record(names, agentId, { error: "an object of agent ids by their types in workflows" }).optional(),
    agentsMax: ranged(DIALECT_FIELDS.agentsMax),
    workflowFolders: z.array(text("a path", 4096), { error: "a list of paths" }).max(20).optional(),
  },
  objectError,
);

export const configSchema = z.strictObject(
  {
    dataDir: text("a path", 4096).optional(),
    defaultModel: model.optional(),
    logLevel: z.enum(LOG_LEVELS, { error: oneOf(LOG_LEVELS) }).optional(),
    offlineDelayMs: ranged(OFFLINE_FIELDS.offlineDelayMs),
    offlineSlowMs: ranged(OFFLINE_FIELDS.offlineSlowMs),
    gateway: gatewayObject.optional(),
    limits: z
      .strictObject(
        {
          maxConcurrentGlobal: ranged(LIMIT_FIELDS.maxConcurrentGlobal),
          vmWorkers: ranged(LIMIT_FIELDS.vmWorkers),
          hotVmsPerWorker: ranged(LIMIT_FIELDS.hotVmsPerWorker),
        },
        objectError,
      )
      .optional(),
    tools: z
      .strictObject(
        {
          swarm: swarmSwitch,
          codeMode: z.union([z.boolean(), codeModeObject], switchError).optional(),
          mcp: mcpServers.optional(),
          maxConcurrentCalls: ranged(TOOL_FIELDS.maxConcurrentCalls),
          maxConcurrentCallsPerRun: ranged(TOOL_FIELDS.maxConcurrentCallsPerRun),
        },
        objectError,
      )
      .optional(),
    models: modelsObject.optional(),
    dialect: dialectObject.optional(),
    agents: z.record(z.string(), agentObject, { error: "an object of agents by id" }).optional(),
  },
  objectError,
);

/** A configuration file that has passed the schema; nothing is filled in yet. */
export type Config = z.infer<typeof configSchema>;
export type ProviderFileSettings = z.infer<typeof providerObject>;
export type AgentToolsSwitch = z.infer<typeof agentObject>["tools"];
export type SwarmSwitch = z.infer<typeof swarmSwitch>;
export type SwarmFileSettings = z.infer<typeof swarmObject>;
