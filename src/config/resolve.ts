// From a checked configuration to the values that the floors use: defaults, field-by-field override and
// clamping (C-002 to C-007). Pure functions; nothing here reads a file, the environment or a clock.

import type { AgentSettings, CodeModeSettings, SwarmSettings } from "../contract/settings.ts";
import { AGENT_FIELDS, CODE_MODE_FIELDS, type IntegerField, SWARM_FIELDS } from "./fields.ts";
import type { AgentToolsSwitch, Config, SwarmFileSettings, SwarmSwitch } from "./schema.ts";

/**
 * tools.swarm for one agent (C-005): the agent's own fields over the global ones over the defaults, each
 * clamped to its range. Per agent, `false` disables, `true` enables even when global is off, and an
 * object without `enabled` inherits it (C-004). Enabled when nobody says otherwise (C-006).
 */
export function resolveSwarmConfig(config: Config, agentId: string | undefined): SwarmSettings {
  const merged = { ...swarmSwitchFields(config.tools?.swarm), ...swarmSwitchFields(agentSwarmSwitch(config, agentId)) };
  const number = (name: keyof typeof SWARM_FIELDS): number => clampInteger(merged[name], SWARM_FIELDS[name]);
  return {
    enabled: merged.enabled ?? true,
    maxConcurrent: number("maxConcurrent"),
    maxChildrenPerGroup: number("maxChildrenPerGroup"),
    maxTotalPerGroup: number("maxTotalPerGroup"),
    waitTimeoutSecondsMax: number("waitTimeoutSecondsMax"),
    defaultAgentId: merged.defaultAgentId ?? "",
    maxSpawnDepth: number("maxSpawnDepth"),
    cancelUnawaited: merged.cancelUnawaited ?? false,
    archiveAfterMinutes: number("archiveAfterMinutes"),
    ...(merged.budget ? { budget: merged.budget } : {}),
  };
}

/** tools.codeMode with defaults and ranges (C-007); enabled when nobody says otherwise. */
export function resolveCodeModeConfig(config: Config): CodeModeSettings {
  const given = config.tools?.codeMode;
  const fields = typeof given === "object" ? given : {};
  const number = (name: keyof typeof CODE_MODE_FIELDS): number => clampInteger(fields[name], CODE_MODE_FIELDS[name]);
  return {
    enabled: typeof given === "boolean" ? given : (fields.enabled ?? true),
    timeoutMs: number("timeoutMs"),
    memoryLimitBytes: number("memoryLimitBytes"),
    maxOutputBytes: number("maxOutputBytes"),
    maxSnapshotBytes: number("maxSnapshotBytes"),
    maxPendingToolCalls: number("maxPendingToolCalls"),
    snapshotTtlSeconds: number("snapshotTtlSeconds"),
    keepHistoryTurns: number("keepHistoryTurns"),
  };
}

/** The configured agents by id; without a prototype, so that no inherited name looks like an agent. */
export function resolveAgents(config: Config): { [id: string]: AgentSettings } {
  const agents: { [id: string]: AgentSettings } = Object.create(null);
  for (const [id, agent] of Object.entries(config.agents ?? {})) {
    agents[id] = {
      id,
      model: agent.model,
      instructions: agent.instructions,
      allowedAgents: agent.allowedAgents ? [...agent.allowedAgents] : undefined,
      thinking: agent.thinking,
      fastMode: agent.fastMode,
      maxSteps: agent.maxSteps ?? AGENT_FIELDS.maxSteps.default,
      tools: toolListOf(agent.tools),
    };
  }
  return agents;
}

/** An agent's list of tools, which may stand for the whole of `tools`; undefined when there is none. */
export function toolListOf(tools: AgentToolsSwitch): string[] | undefined {
  const list = Array.isArray(tools) ? tools : tools?.allow;
  return list && [...list];
}

/** The switch as its object form: `true` means `{ enabled: true }` (C-001). Fields that are undefined are left out. */
export function swarmSwitchFields(given: SwarmSwitch): SwarmFileSettings {
  if (given === undefined) return {};
  if (typeof given === "boolean") return { enabled: given };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export function agentSwarmSwitch(config: Config, agentId: string | undefined): SwarmSwitch {
  if (agentId === undefined || !config.agents || !Object.hasOwn(config.agents, agentId)) return undefined;
  const tools = config.agents[agentId]?.tools;
  return Array.isArray(tools) ? undefined : tools?.swarm;
}

export function clampInteger(given: number | undefined, field: IntegerField): number {
  return given === undefined ? field.default : Math.min(Math.max(given, field.min), field.max);
}
