// Collector children over MCP: spawn at once, wait for the first completion, list (S-001, S-011 to S-014, S-018).

import { fault } from "../../../contract/fault.ts";
import type { Json } from "../../../contract/json.ts";
import {
  spawnInputSchema,
  spawnOutputSchema,
  subagentsInputSchema,
  subagentsOutputSchema,
  waitInputSchema,
  waitOutputSchema,
} from "../../../contract/mcp.ts";
import type { ChildCounts, ChildRecord } from "../../../contract/records.ts";
import { waiting, waitSeconds } from "../patience.ts";
import { defineTool, type ToolSpec } from "../tool.ts";

/** What only a collector has (C-006). */
const COLLECTOR_OPTIONS = ["collect", "outputSchema", "fastMode", "groupId"] as const;

const spawn = defineTool({
  name: "sessions_spawn",
  title: "Start an agent",
  description: [
    "Starts one agent on `task` in the background and returns its runId at once, without a result.",
    "Start several that do not depend on each other, then call agents_wait with all their runIds until none is pending.",
    "The agent sees nothing but `task`: put everything it needs into it. With `outputSchema` its result is a JSON value that fits.",
    "`label` is what people see. The same idempotencyKey gives the first agent again instead of a second one.",
    "For more than a handful of agents, or steps that depend on each other, write a script and use swarm_run.",
  ].join(" "),
  input: spawnInputSchema,
  output: spawnOutputSchema,
  readOnly: false,
  async handle({ gateway, caller, swarm, input }) {
    if (!swarm().enabled) {
      const given = COLLECTOR_OPTIONS.filter((name) => name === "collect" || input[name] !== undefined);
      throw fault("swarm_disabled", `tools.swarm.enabled is false, so ${given.join(", ")} cannot be used.`);
    }
    const outputSchema = input.outputSchema as { [key: string]: Json } | undefined;
    return gateway.runtime.spawn(caller, { ...input, outputSchema, collect: true });
  },
});

const wait = defineTool({
  name: "agents_wait",
  title: "Wait for agents",
  description: [
    "Waits until at least one of the given agents or runs has ended, and returns all that have.",
    "Call it in a loop: take `completed`, go on with `pending`, until `pending` is empty.",
    "`completed: []` means that the time is over, not that anything failed: each entry of `pendingDetail` is still at work; wait again and do not start it anew.",
    "Waiting costs nothing, so prefer a long timeoutSeconds. A completed id gives its record again whenever it is asked for.",
    "Ids that are not yours are listed in `errors`.",
  ].join(" "),
  input: waitInputSchema,
  output: waitOutputSchema,
  readOnly: true,
  needsSwarm: true,
  async handle(call) {
    const { ids } = call.input;
    const seconds = waitSeconds(call, call.input.timeoutSeconds);
    const answer = await waiting(call, seconds, `waiting for ${ids.length} agents`, (signal) =>
      call.gateway.runtime.wait(call.caller, ids, seconds, signal),
    );
    return { ...answer, completed: answer.completed.map(resultOf) };
  },
});

const list = defineTool({
  name: "subagents",
  title: "List agents",
  description: [
    "Lists agents of this session: label, status, model, phase, tokens, cost, time. Filter by runId, groupId or status.",
    "For results use agents_wait; do not call this in a loop to find out when something ends.",
  ].join(" "),
  input: subagentsInputSchema,
  output: subagentsOutputSchema,
  readOnly: true,
  async handle({ gateway, caller, input }) {
    const { limit, after, ...filter } = input;
    const { rows, next } = await gateway.runtime.children(caller, filter, { limit, after });
    const now = gateway.clock.now();
    return { children: rows.map((row) => rowOf(row, now)), counts: countsOf(rows), next };
  },
});

export const CHILD_TOOLS: readonly ToolSpec[] = [spawn, wait, list];

/** S-012: the record without what its owner sent. */
function resultOf({ prompt: _prompt, callId: _callId, ...record }: ChildRecord) {
  return record;
}

function rowOf(child: ChildRecord, now: number) {
  const { runId, label, status, model, phase, usage, costUsd, startedAt, endedAt, error } = child;
  const elapsedMs = startedAt === undefined ? undefined : (endedAt ?? now) - startedAt;
  const tokens = { inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 };
  return { runId, label, status, model, phase, ...tokens, costUsd, elapsedMs, error };
}

/** Of this page. */
function countsOf(rows: readonly ChildRecord[]): ChildCounts {
  const counts: ChildCounts = { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };
  for (const { status } of rows) counts[status] += 1;
  return counts;
}
