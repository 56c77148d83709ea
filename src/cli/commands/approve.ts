// `quickswarm approve ID`: decides what a run asks, once (B-002, I-003).

import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { jsonText, oneLine } from "../format.ts";
import { parseArgs } from "../input/args.ts";
import { openLink } from "../link.ts";
import { sayParked } from "../parked.ts";

export interface ApproveOptions {
  reject?: boolean | undefined;
  comment?: string | undefined;
  answer?: string | undefined;
}

/** Faults: `args_not_json` for --answer, and those of the gateway (`not_found`, `wrong_state`). */
export async function approveCommand(context: Context, approvalId: string, options: ApproveOptions): Promise<number> {
  const data = options.answer === undefined ? undefined : parseArgs(options.answer, "--answer");
  const link = await openLink(context, "look");
  try {
    const approval = await link.client.decide(approvalId, {
      decision: options.reject ? "reject" : "approve",
      ...(options.comment !== undefined && { comment: options.comment }),
      ...(data !== undefined && { data }),
    });
    if (context.json) context.io.out.line(jsonText(approval));
    else context.io.out.line(`${approval.state} ${approval.approvalId}: ${oneLine(approval.title)}`);
    if (link.embedded) sayParked(context, approval.runId);
    return EXIT.ok;
  } finally {
    await link.close();
  }
}
