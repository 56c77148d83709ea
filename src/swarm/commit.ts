// A guest's report becomes one commit (L1): every call is either stored, or answered with its refusal
// in the same transaction. Pure but for the places that are reserved in the lanes.

import type { GuestTurnReport } from "../bridge/port.ts";
import type { Call, ChildOptions } from "../contract/calls.ts";
import { type FaultData, fault, isFault, toFaultData } from "../contract/fault.ts";
import { childIdOf } from "../contract/ids.ts";
import type { AgentSettings } from "../contract/settings.ts";
import type { NewChild, TurnCommit, UndeliveredAnswer } from "../registry/port.ts";
import { refusedSpawnPayload } from "./answers.ts";
import { runnerFor } from "./attempt.ts";
import type { SwarmPolicy } from "./context.ts";
import type { HotRun } from "./hot-runs.ts";
import type { ChildRunner } from "./runner.ts";
import { refusedCallPayload } from "./script-calls.ts";
import type { ScriptTools } from "./tool-port.ts";

export interface TurnFacts extends HotRun {
  /** The number of this turn. */
  turn: number;
  /** It began in another process. */
  isInherited: boolean;
  answers: UndeliveredAnswer[];
  /** What the saved workflows that it called are answered with. */
  nested: TurnCommit["settled"];
  at: number;
}

const DEADLOCK = toFaultData(
  fault("deadlock", "The script waits, but for nothing that an agent, a timer or anybody outside could settle."),
);

type ToolCall = Extract<Call, { method: "toolCall" }>;
type SpawnCall = Extract<Call, { method: "agentSpawn" }>;

/** What is needed to decide about one spawn. */
export interface SpawnParts {
  policy: SwarmPolicy;
  runners: ChildRunner[];
  tools: ScriptTools;
  /** Takes a place in line; true when the child may run at once. */
  reserve: (childId: string, groupId: string, groupMax: number) => boolean;
}

/** @throws Fault `model_key_missing` of an inherited run; what was reserved until then is the caller's to give back */
export function planCommit(parts: SpawnParts, facts: TurnFacts, report: GuestTurnReport): TurnCommit {
  const commit: TurnCommit = {
    runId: facts.run.runId,
    epoch: facts.epoch,
    turn: facts.turn,
    consumed: facts.answers.map(({ callId, settleNumber }) => ({ callId, settleNumber })),
    calls: [],
    children: [],
    groupLimits: facts.limits.swarm,
    settled: [
      ...report.refused.map(({ error, ...call }) => ({ ...call, ok: false, payload: JSON.stringify(error) })),
      ...facts.nested,
    ],
    notes: report.notes,
    notesDropped: report.notesDropped,
    snapshot: report.snapshot,
    outcome: report.outcome,
    deadlock: deadlock(report),
    keepHistoryTurns: facts.limits.codeMode.keepHistoryTurns,
    // A run that failed leaves nobody to read its children; one that completed leaves them to finish (S-016).
    cancelChildren: report.outcome?.state === "failed" || facts.limits.swarm.cancelUnawaited,
    at: facts.at,
  };
  const refused = new Map<string, { label: string | undefined; fault: FaultData }>();
  for (const call of report.calls) {
    if (call.method === "workflow") continue;
    if (call.method === "agentSpawn") {
      const childId = childIdOf(facts.run.runId, call.callId);
      try {
        commit.children.push(newChild(parts, facts, call, childId));
        commit.calls.push(call);
      } catch (error) {
        // The key was there when the run began: that is no matter of the script (L6).
        if (facts.isInherited && isFault(error) && error.code === "model_key_missing") throw error;
        refused.set(childId, { label: call.args.options.label, fault: toFaultData(error) });
      }
      continue;
    }
    if (call.method === "toolCall") {
      const refusal = toolRefusal(parts, facts, call);
      if (refusal === undefined) commit.calls.push(call);
      else commit.settled.push({ ...call, ok: false, payload: refusal });
      continue;
    }
    const only = call.method === "agentWait" && call.args.mode === "one" ? call.args.ids[0] : undefined;
    const refusal = only === undefined ? undefined : refused.get(only);
    if (only === undefined || !refusal) commit.calls.push(call);
    else {
      const payload = refusedSpawnPayload(only, refusal.label, refusal.fault);
      commit.settled.push({
        callId: call.callId,
        method: call.method,
        ok: false,
        payload,
        line: call.line,
        column: call.column,
      });
    }
  }
  return commit;
}

/** What is known at once to be no tool that this run may call, as the error that the call gets. */
function toolRefusal(parts: SpawnParts, facts: TurnFacts, call: ToolCall): string | undefined {
  const { server, tool } = call.args;
  const allowed = facts.agentId === undefined ? undefined : parts.policy.agent(facts.agentId)?.tools;
  try {
    parts.tools.check({ allowed, asked: [`${server}.${tool}`] });
    return undefined;
  } catch (error) {
    return refusedCallPayload(call.args, toFaultData(error));
  }
}

/** How the run ends when this turn leaves nothing that could wake it. */
function deadlock(report: GuestTurnReport): FaultData {
  const last = report.calls.at(-1);
  return last?.line === undefined ? DEADLOCK : { ...DEADLOCK, place: { line: last.line, column: last.column } };
}

/** @throws Fault `swarm_disabled`, `agent_unknown`, `agent_not_allowed`, `model_unknown`, `model_key_missing`, `schema_unsupported`, `tool_unknown`, `tool_not_allowed` */
function newChild(parts: SpawnParts, facts: TurnFacts, call: SpawnCall, childId: string): NewChild {
  const { options, prompt } = call.args;
  const { swarm } = facts.limits;
  if (!swarm.enabled) throw fault("swarm_disabled", "tools.swarm.enabled is false, so a script cannot spawn children.");
  const agentId = childAgentId(parts.policy, options.agentId, facts.agentId, swarm.defaultAgentId);
  const agent = agentId === undefined ? undefined : parts.policy.agent(agentId);
  const model = options.model ?? agent?.model ?? facts.run.model;
  runnerFor(parts.runners, model, options.schema);
  parts.tools.check({ allowed: agent?.tools, asked: options.tools });
  const groupId = options.groupId ?? facts.run.groupId;
  return {
    childId,
    callId: call.callId,
    agentId,
    model,
    prompt,
    options: withAgentOptions(inOwnSession(facts.run.runId, options), agent),
    groupId,
    sessionKey: facts.run.sessionKey,
    depth: 1,
    admitted: parts.reserve(childId, groupId, swarm.maxConcurrent),
    deadlineAt: null,
  };
}

/** A conversation that a fork took over goes on as one of its own (G-005, R-008). */
function inOwnSession(runId: string, options: SpawnCall["args"]["options"]): SpawnCall["args"]["options"] {
  if (!options.session) return options;
  const id = options.session.id.replace(/^ses_[0-9a-f]{32}/, `ses_${runId.slice(4)}`);
  return { ...options, session: { ...options.session, id } };
}

/** S-006: what a call leaves out is as its agent has it. */
export function withAgentOptions(options: ChildOptions, agent: AgentSettings | undefined): ChildOptions {
  if (!agent || (agent.thinking === undefined && agent.fastMode === undefined)) return options;
  const inherited: ChildOptions = {};
  if (agent.thinking !== undefined) inherited.thinking = agent.thinking;
  if (agent.fastMode !== undefined) inherited.fastMode = agent.fastMode;
  return { ...inherited, ...options };
}

/**
 * S-005: the call's agent, else the configured default, else the requester's own; never a fallback for an unknown one.
 * @throws Fault `agent_unknown`, `agent_not_allowed`
 */
export function childAgentId(
  policy: SwarmPolicy,
  asked: string | undefined,
  requester: string | undefined,
  configuredDefault: string,
): string | undefined {
  const chosen = asked ?? (configuredDefault === "" ? undefined : configuredDefault);
  if (chosen === undefined) return requester;
  if (!policy.agent(chosen))
    throw fault("agent_unknown", `No agent ${JSON.stringify(chosen)} is configured.`, { details: { agentId: chosen } });
  const allowed = requester === undefined ? undefined : policy.agent(requester)?.allowedAgents;
  if (allowed && !allowed.includes(chosen)) {
    throw fault(
      "agent_not_allowed",
      `The agent ${JSON.stringify(requester)} may spawn ${allowed.join(", ") || "no agent"}, not ${JSON.stringify(chosen)}.`,
      {
        details: { agentId: chosen },
      },
    );
  }
  return chosen;
}
