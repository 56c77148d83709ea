// The settings as the swarm asks for them.

import type { Settings } from "../contract/settings.ts";
import type { SwarmPolicy } from "../swarm/context.ts";

export function policyOf(settings: Settings): SwarmPolicy {
  return {
    codeMode: settings.codeMode,
    swarmFor: (agentId) => settings.swarmFor(agentId),
    agent: (agentId) => (Object.hasOwn(settings.agents, agentId) ? settings.agents[agentId] : undefined),
    defaultModel: settings.defaultModel,
    maxConcurrentGlobal: settings.maxConcurrentGlobal,
  };
}
