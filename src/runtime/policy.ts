// The settings as the swarm asks for them.

import { WORKFLOW_AGENTS_MAX } from "../contract/limits.ts";
import type { DialectLimits, Settings } from "../contract/settings.ts";
import type { SwarmPolicy } from "../swarm/context.ts";

export function policyOf(settings: Settings): SwarmPolicy {
  return {
    codeMode: settings.codeMode,
    swarmFor: (agentId) => settings.swarmFor(agentId),
    agent: (agentId) => (Object.hasOwn(settings.agents, agentId) ? settings.agents[agentId] : undefined),
    dialect: (strict) => dialectOf(settings, strict),
    defaultModel: settings.defaultModel,
    maxConcurrentGlobal: settings.maxConcurrentGlobal,
  };
}

/** A configured agent answers to its own id as well. */
function dialectOf({ agents, dialect }: Settings, strict: boolean): DialectLimits {
  const own = Object.fromEntries(Object.keys(agents).map((id) => [id, id]));
  return {
    models: { ...dialect?.models },
    agentTypes: { ...own, ...dialect?.agentTypes },
    strict,
    agentsMax: dialect?.agentsMax ?? WORKFLOW_AGENTS_MAX,
  };
}
