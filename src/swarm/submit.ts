// The way in: a script becomes a run, a task becomes a collector child (S-001). Everything that can be
// refused is refused before a row exists.

import type { SpawnRequest, SubmitRequest } from "../contract/api.ts";
import { leastBudget } from "../contract/budget.ts";
import type { ChildOptions } from "../contract/calls.ts";
import { fault } from "../contract/fault.ts";
import { childSessionKey, defaultGroupId, newDetachedChildId, newRunId } from "../contract/ids.ts";
import { ARGS_BYTES_MAX, SAVED_WORKFLOWS_BYTES_MAX } from "../contract/limits.ts";
import type { RunRecord } from "../contract/records.ts";
import { readWorkflow } from "../contract/workflow.ts";
import type { ChildForRun, NewChild } from "../registry/port.ts";
import { runnerFor } from "./attempt.ts";
import { childAgentId, withAgentOptions } from "./commit.ts";
import type { RunLimits, SwarmContext, SwarmPolicy } from "./context.ts";

/** Who asks: identity comes from the connection. */
export interface Requester {
  sessionKey: string;
  operator: boolean;
  childId?: string | undefined;
}

const DETACHED_REQUESTER = "main";

/**
 * Compiles, then stores the run; it still has to be woken.
 * @throws Fault `code_mode_disabled`, `script_syntax`, `script_too_large`, `args_too_large`, `files_too_large`, `agent_unknown`, `model_unknown`, `idempotency_conflict`, `not_found`
 */
export async function createRun(
  context: SwarmContext,
  requester: Requester,
  request: SubmitRequest,
): Promise<{ run: RunRecord; created: boolean }> {
  const { policy, guest, registry, clock, runners } = context;
  if (!policy.codeMode.enabled)
    throw fault("code_mode_disabled", "tools.codeMode.enabled is false, so scripts cannot be submitted.");
  const args = request.args === undefined ? undefined : JSON.stringify(request.args);
  if (args !== undefined && Buffer.byteLength(args) > ARGS_BYTES_MAX) {
    throw fault(
      "args_too_large",
      `args has ${Buffer.byteLength(args)} bytes as JSON; at most ${ARGS_BYTES_MAX} are accepted.`,
    );
  }
  const agent = request.agentId === undefined ? undefined : policy.agent(request.agentId);
  if (request.agentId !== undefined && !agent) {
    throw fault("agent_unknown", `No agent ${JSON.stringify(request.agentId)} is configured.`, {
      details: { agentId: request.agentId },
    });
  }
  const model = request.model ?? agent?.model ?? policy.defaultModel;
  runnerFor(runners, model);
  if (request.reuse !== undefined) await mustBeReusable(context, requester, request.reuse);
  const { script: text, language, fileName } = request;
  const workflow = readWorkflow(text, fileName);
  const code = await guest.compile({ text, language, fileName });
  const runId = newRunId();
  const limits = limitsOf(policy, request, workflow !== undefined);
  const workflows = workflow && workflowsText(request);
  return registry.createRun({
    runId,
    sessionKey: requester.sessionKey,
    parentSessionKey: null,
    groupId: request.groupId ?? defaultGroupId(requester.sessionKey, runId),
    name: request.name ?? workflow?.meta.name ?? request.fileName,
    language: request.language,
    fileName: request.fileName,
    sourceText: request.script,
    code,
    args,
    workflows,
    model,
    agentId: request.agentId,
    idempotencyKey: request.idempotencyKey,
    limits: JSON.stringify(limits),
    reuseFrom: request.reuse,
    budget: leastBudget(request.budget, limits.swarm.budget?.run),
    groupBudget: limits.swarm.budget?.group,
    at: clock.now(),
  });
}

/** D-009. A run of somebody else is answered like one that does not exist (S-014). Throws `not_found`. */
export async function mustBeReusable(context: SwarmContext, requester: Requester, runId: string): Promise<void> {
  const viewer = { sessionKey: requester.sessionKey, all: requester.operator };
  const run = await context.registry.run(runId, viewer);
  const shown = JSON.stringify(runId.slice(0, 100));
  if (!run) throw fault("not_found", `There is no run ${shown} that you may see, so nothing of it can be reused.`);
  if (run.archivedAt === undefined) return;
  throw fault("not_found", `The run ${shown} was archived; its results are not kept any more and cannot be reused.`);
}

/** @throws Fault `files_too_large` */
function workflowsText({ workflows }: SubmitRequest): string | undefined {
  if (!workflows || workflows.length === 0) return undefined;
  const text = JSON.stringify(workflows);
  const bytes = Buffer.byteLength(text);
  if (bytes <= SAVED_WORKFLOWS_BYTES_MAX) return text;
  const message = `The saved workflows have ${bytes} bytes; at most ${SAVED_WORKFLOWS_BYTES_MAX} go with a run.`;
  throw fault("files_too_large", message, { next: "Keep fewer or shorter workflows in the folders that are read." });
}

/** A workflow may start as many agents as the dialect says, all of them at the same time in line (D-006). */
function limitsOf(policy: SwarmPolicy, request: SubmitRequest, isWorkflow: boolean): RunLimits {
  const keepHistoryTurns = request.keepHistory ?? policy.codeMode.keepHistoryTurns;
  const codeMode = { ...policy.codeMode, keepHistoryTurns };
  const limits: RunLimits = { codeMode, swarm: policy.swarmFor(request.agentId) };
  if (!isWorkflow) return limits;
  const dialect = policy.dialect(request.strict === true);
  const { maxChildrenPerGroup, maxTotalPerGroup } = limits.swarm;
  const swarm = {
    ...limits.swarm,
    maxChildrenPerGroup: Math.max(maxChildrenPerGroup, dialect.agentsMax),
    maxTotalPerGroup: Math.max(maxTotalPerGroup, dialect.agentsMax),
  };
  return { ...limits, swarm, dialect };
}

/**
 * Stores a collector child that no script asked for; it still has to be put in line.
 * @throws Fault `swarm_disabled`, `agent_unknown`, `model_unknown`, `spawn_depth_limit`, `child_limit`, `group_total_limit`
 */
export async function createDetachedChild(
  context: SwarmContext,
  requester: Requester,
  request: SpawnRequest,
): Promise<{ child: ChildForRun; created: boolean; groupMax: number }> {
  const { policy, registry, clock, runners } = context;
  const parent = requester.childId === undefined ? undefined : await registry.childForRun(requester.childId);
  const requesterAgent = parent?.record.agentId;
  const swarm = policy.swarmFor(requesterAgent);
  if (!swarm.enabled)
    throw fault(
      "swarm_disabled",
      "tools.swarm.enabled is false: collect, outputSchema, fastMode and groupId are refused.",
    );
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > swarm.maxSpawnDepth) {
    throw fault(
      "spawn_depth_limit",
      `This child would be ${depth} levels deep; tools.swarm.maxSpawnDepth is ${swarm.maxSpawnDepth}.`,
      { details: { depth, maxSpawnDepth: swarm.maxSpawnDepth } },
    );
  }
  const agentId = childAgentId(policy, request.agentId, requesterAgent, swarm.defaultAgentId);
  const agent = agentId === undefined ? undefined : policy.agent(agentId);
  const model = request.model ?? agent?.model ?? parent?.record.model ?? policy.defaultModel;
  runnerFor(runners, model, request.outputSchema);
  const sessionKey = requester.childId === undefined ? requester.sessionKey : childSessionKey(requester.childId);
  const child: NewChild = {
    childId: newDetachedChildId(),
    callId: 0,
    agentId,
    model,
    prompt: request.task,
    options: withAgentOptions(optionsOf(request), agent),
    groupId: request.groupId ?? defaultGroupId(sessionKey, request.requesterRunId ?? DETACHED_REQUESTER),
    sessionKey,
    depth,
    admitted: false,
    deadlineAt: null,
  };
  const stored = await registry.spawnDetached({
    child,
    parentRunId: requester.childId ?? null,
    groupLimits: swarm,
    idempotencyKey: request.idempotencyKey,
    at: clock.now(),
  });
  return { ...stored, groupMax: swarm.maxConcurrent };
}

function optionsOf(request: SpawnRequest): ChildOptions {
  const options: ChildOptions = {};
  if (request.label !== undefined) options.label = request.label;
  if (request.thinking !== undefined) options.thinking = request.thinking;
  if (request.fastMode !== undefined) options.fastMode = request.fastMode;
  if (request.outputSchema !== undefined) options.schema = request.outputSchema;
  if (request.timeoutMs !== undefined) options.timeoutMs = request.timeoutMs;
  if (request.retries !== undefined) options.retries = request.retries;
  if (request.budget !== undefined) options.budget = request.budget;
  return options;
}
