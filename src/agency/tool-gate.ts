// Approval of tool calls: of every loop that a team runs, its manager's included, and of those inside the agencies
// that are nested in it. The outermost team is asked first (H-018, H-031).

import { namedError } from "./errors.ts";
import type { ToolRequest } from "./port.ts";
import type { Run } from "./run.ts";

export interface GatedCall {
  call: ToolRequest;
  /** Who calls. */
  agent: string;
  path: string;
  index: number;
  signal: AbortSignal;
}

/** Undefined: it may run. Otherwise what the model is told in the place of a result. */
export async function refusalOf(run: Run, gated: GatedCall): Promise<string | undefined> {
  const outer = run.parent ? await refusalOf(run.parent, gated) : undefined;
  if (outer !== undefined) return outer;
  const listed = run.team.hitl?.approvals?.beforeTool ?? [];
  if (!listed.includes(gated.call.name) && !listed.includes("*")) return undefined;
  return askFor(run, gated);
}

/** Never rejects but by abort: a handler that fails skips the tool, and fails the run once its strategy is done. */
async function askFor(run: Run, { call, agent, path, index, signal }: GatedCall): Promise<string | undefined> {
  const failed = `The approval handler failed, so ${call.name} was not run.`;
  // H-026: nobody is asked any more.
  if (run.approvalFailure) return failed;
  try {
    const { approved, reason, modifications } = await run.approve(
      {
        type: "tool",
        agent,
        action: `call ${call.name}`,
        description: `Let ${agent} call the tool ${call.name}.`,
        details: { tool: call.name, arguments: call.input },
      },
      // Each team that is asked has a decision of its own.
      `${path}.${index}${":outer".repeat(depthOf(run))}`,
      signal,
    );
    if (!approved) return `${call.name} was not approved${reason ? `: ${reason}` : "."}`;
    // H-021: the tool would run with the arguments that the approver meant to replace.
    const { toolArgs } = modifications ?? {};
    return toolArgs === undefined || toolArgs === null ? undefined : `${call.name} was not approved as it was called.`;
  } catch (error) {
    if (signal.aborted) throw error;
    run.approvalFailure = { error };
    run.host.log("warn", "agency_approval_failed", {
      agency: run.team.name,
      tool: call.name,
      error: namedError(error),
    });
    run.failed(run.team.name, error);
    return failed;
  }
}

function depthOf(run: Run): number {
  return run.parent ? 1 + depthOf(run.parent) : 0;
}
