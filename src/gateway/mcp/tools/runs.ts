// Runs over MCP: submit a script and come back at once, wait for its end, look, stop (I-001, B-034, B-037).

import { fault } from "../../../contract/fault.ts";
import type { Json } from "../../../contract/json.ts";
import {
  groupsInputSchema,
  groupsOutputSchema,
  runInputSchema,
  runOutputSchema,
  runWaitInputSchema,
  runWaitOutputSchema,
  statusInputSchema,
  statusOutputSchema,
  stopInputSchema,
  stopOutputSchema,
} from "../../../contract/mcp.ts";
import type { ChildRecord, RunRecord } from "../../../contract/records.ts";
import type { Runtime } from "../../../runtime/api.ts";
import { savedNamed } from "../../saved.ts";
import { waiting, waitSeconds } from "../patience.ts";
import { defineTool, type ToolSpec } from "../tool.ts";

/** Notes of a run that are shown; the others stand in its resource. */
const NOTES_SHOWN_MAX = 20;
/** Live children that are shown. */
const LIVE_SHOWN_MAX = 50;

const run = defineTool({
  name: "swarm_run",
  title: "Run an orchestration script",
  description: [
    "Runs a script that orchestrates many agents, and returns its runId at once. Then call swarm_wait until it has ended.",
    "The script is the body of an async JavaScript function: `await agents.run(prompt, { label, schema })` runs one agent, Promise.all runs many, and what it returns is the result.",
    "It has no imports, files or network. Read quickswarm://guest/agents.d.ts before you write one; hand data in by `args`.",
    "It survives crashes and restarts, so never submit the same work twice: use idempotencyKey, and look with swarm_status.",
  ].join(" "),
  input: runInputSchema,
  output: runOutputSchema,
  readOnly: false,
  async handle({ gateway, caller, input }) {
    const { language = "js", args, script, workflow, ...rest } = input;
    const text = await textOf(gateway.runtime, { language, script, workflow });
    const request = { ...rest, ...text, args: args as Json | undefined };
    const { run, created } = await gateway.runtime.submit(caller, request);
    return { run: summaryOf(run), created };
  },
});

const wait = defineTool({
  name: "swarm_wait",
  title: "Wait for a run",
  description: [
    "Waits until a run has ended and returns its result or error, and a census of how its agents ended.",
    "`ended: false` means that the time is over and the run goes on: `live` says what its agents are doing. Wait again; do not stop it or submit it again for that.",
    "Waiting costs nothing, so prefer a long timeoutSeconds.",
  ].join(" "),
  input: runWaitInputSchema,
  output: runWaitOutputSchema,
  readOnly: true,
  async handle(call) {
    const { runtime } = call.gateway;
    const { runId } = call.input;
    const seconds = waitSeconds(call, call.input.timeoutSeconds);
    await waiting(call, seconds, `waiting for ${runId}`, (signal) => runtime.runEnded(call.caller, runId, signal));
    const { run, census, children } = await runtime.runDetail(call.caller, runId);
    const ended = isFinal(run);
    return { ended, run: summaryOf(run), census: ended ? census : undefined, live: liveOf(children) };
  },
});

const status = defineTool({
  name: "swarm_status",
  title: "Look at runs",
  description: [
    "Without runId: the runs of this session, newest first. With runId: what one run is waiting at, its live agents, its last notes, its result or error.",
    "To learn when a run ends use swarm_wait, not this in a loop.",
  ].join(" "),
  input: statusInputSchema,
  output: statusOutputSchema,
  readOnly: true,
  async handle({ gateway, caller, input }) {
    const { runId, state, ...page } = input;
    if (runId === undefined) {
      const { rows, next } = await gateway.runtime.runs(caller, page, state);
      return { runs: rows.map(({ result: _result, ...row }) => summaryOf(row)), next };
    }
    const { run, census, pending, children, notes } = await gateway.runtime.runDetail(caller, runId);
    const last = notes.slice(-NOTES_SHOWN_MAX).map(({ kind, level, text, at }) => ({ kind, level, text, at }));
    return { runs: [summaryOf(run)], census, waitingAt: pending, live: liveOf(children), notes: last };
  },
});

const stop = defineTool({
  name: "swarm_stop",
  title: "Stop a run or an agent",
  description: "Stops a run or one agent with everything that it started. Use it when the result is no longer wanted.",
  input: stopInputSchema,
  output: stopOutputSchema,
  readOnly: false,
  handle: ({ gateway, caller, input }) => gateway.runtime.stop(caller, input.id, input.reason),
});

const groups = defineTool({
  name: "swarm_groups",
  title: "List groups",
  description: "Lists groups of agents with their counts by status and phase. A run's agents are one group.",
  input: groupsInputSchema,
  output: groupsOutputSchema,
  readOnly: true,
  async handle({ gateway, caller, input }) {
    const { groupId, ...page } = input;
    if (groupId === undefined) {
      const { rows, next } = await gateway.runtime.groups(caller, page);
      return { groups: rows, next };
    }
    const { group } = await gateway.runtime.group(caller, groupId);
    return { groups: [group] };
  },
});

export const RUN_TOOLS: readonly ToolSpec[] = [run, wait, status, stop, groups];

/** Of the script, or of the saved workflow that is named (D-008). */
async function textOf(
  runtime: Runtime,
  { language, script, workflow }: { language: "js" | "ts"; script: string | undefined; workflow: string | undefined },
): Promise<{ script: string; language: "js" | "ts"; fileName: string }> {
  if ((script === undefined) === (workflow === undefined)) {
    throw fault("bad_request", "Give either a script or the name of a saved workflow.");
  }
  if (script !== undefined) return { script, language, fileName: `script.${language}` };
  const saved = await savedNamed(runtime, workflow ?? "");
  return { script: saved.script, language: saved.language, fileName: saved.path };
}

function summaryOf(run: RunRecord) {
  const { runId, name, state, phase, turn, groupId, children, pendingApprovals } = run;
  const { createdAt, endedAt, result, error } = run;
  return { runId, name, state, phase, turn, groupId, children, pendingApprovals, createdAt, endedAt, result, error };
}

/** B-037: what is not over, so that nobody takes it for dead. */
function liveOf(children: readonly ChildRecord[]) {
  return children
    .filter(({ status }) => status === "queued" || status === "running")
    .slice(0, LIVE_SHOWN_MAX)
    .map(({ runId, status, label, phase, attempts, startedAt }) => ({
      runId,
      status,
      label,
      phase,
      attempts,
      startedAt,
    }));
}

function isFinal({ state }: RunRecord): boolean {
  return state !== "running" && state !== "waiting";
}
