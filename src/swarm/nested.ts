// What a script's `workflow(name)` is answered with: the code of a saved workflow, out of those that the
// run was submitted with, so that a restart or an edited file changes nothing (D-005, D-008). Answered in
// the commit of the turn that asked (L1).

import type { SavedWorkflow } from "../contract/api.ts";
import type { Call, WorkflowArgs } from "../contract/calls.ts";
import { fault, toFaultData } from "../contract/fault.ts";
import { nearest } from "../contract/nearest.ts";
import { readWorkflow } from "../contract/workflow.ts";
import type { TurnCommit } from "../registry/port.ts";
import type { SwarmContext } from "./context.ts";

type Answer = TurnCommit["settled"][number];
type Parts = Pick<SwarmContext, "registry" | "guest">;

/** Workflows that an error names. */
const NAMED_MAX = 20;

/** One answer for each call of a saved workflow among `calls`; what is wrong with one is its answer. */
export async function answerWorkflows(parts: Parts, runId: string, calls: Call[]): Promise<Answer[]> {
  const asked = calls.filter((call) => call.method === "workflow");
  if (asked.length === 0) return [];
  const saved = JSON.parse((await parts.registry.workflowsOf(runId)) ?? "[]") as SavedWorkflow[];
  const answers: Answer[] = [];
  for (const { callId, method, args, line, column } of asked) {
    const end = await codeOf(parts, saved, args);
    answers.push({ callId, method, line, column, ...end });
  }
  return answers;
}

async function codeOf(
  parts: Parts,
  saved: SavedWorkflow[],
  args: WorkflowArgs,
): Promise<Pick<Answer, "ok" | "payload">> {
  try {
    const { script: text, language, path: fileName } = find(saved, args);
    if (!readWorkflow(text, fileName)) throw fault("workflow_unknown", `${fileName} has no meta: it is no workflow.`);
    const code = await parts.guest.compile({ text, language, fileName, isNested: true });
    return { ok: true, payload: JSON.stringify({ code, path: fileName }) };
  } catch (error) {
    const { code, message, next } = toFaultData(error);
    const data = { name: "Error", message: `workflow: ${message} ${next}`, data: { code } };
    return { ok: false, payload: JSON.stringify(data) };
  }
}

/** @throws Fault `workflow_unknown` that says what there is */
function find(saved: SavedWorkflow[], args: WorkflowArgs): SavedWorkflow {
  if ("name" in args) {
    const found = saved.find(({ name }) => name === args.name) ?? saved.find(({ path }) => stem(path) === args.name);
    if (found) return found;
    throw unknown(
      args.name,
      saved.map(({ name }) => name),
    );
  }
  const wanted = args.scriptPath.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const found = saved.find(({ path }) => path === wanted || wanted.endsWith(`/${path.replace(/^~\//, "")}`));
  if (found) return found;
  throw unknown(
    args.scriptPath,
    saved.map(({ path }) => path),
  );
}

/** A file's name without its folder and its ending. */
function stem(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
}

function unknown(wanted: string, known: string[]) {
  const near = nearest(wanted, known);
  const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  const some = known.slice(0, NAMED_MAX).map((name) => JSON.stringify(name));
  const all = known.length > NAMED_MAX ? [...some, `${known.length - NAMED_MAX} more`] : some;
  const there = known.length === 0 ? "none is saved" : `there are ${all.join(", ")}`;
  return fault(
    "workflow_unknown",
    `There is no saved workflow ${JSON.stringify(wanted)}.${hint} This run was submitted with what was saved then: ${there}.`,
  );
}
