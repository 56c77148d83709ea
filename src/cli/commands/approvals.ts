// `quickswarm approvals`: what runs ask of people, the longest waiting first (B-002).

import type { ApprovalRecord } from "../../contract/approvals.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { block, duration, jsonText, moment, oneLine } from "../format.ts";
import type { Output } from "../io.ts";
import { openLink } from "../link.ts";
import { nextPage } from "../next-page.ts";
import { paintState } from "../states.ts";
import { table } from "../table.ts";

export interface ApprovalsOptions {
  all?: boolean | undefined;
  run?: string | undefined;
  limit?: number | undefined;
  after?: string | undefined;
}

export async function approvalsCommand(context: Context, options: ApprovalsOptions): Promise<number> {
  const { limit, after } = options;
  const link = await openLink(context, "look");
  try {
    const query = { runId: options.run, state: options.all ? undefined : ("pending" as const) };
    const listing = await link.client.approvals(query, { limit, after });
    if (context.json) context.io.out.line(jsonText({ rows: listing.rows, next: listing.next ?? null }));
    else await print(context, listing.rows, options.all === true);
    if (!context.json && listing.next !== undefined) {
      const { all, run } = options;
      context.io.err.line(nextPage(context, "approvals", { all, run, limit, after: listing.next }));
    }
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

/** One approval with what the script gave along. Faults: `not_found`. */
export async function approvalCommand(context: Context, approvalId: string): Promise<number> {
  const link = await openLink(context, "look");
  try {
    const approval = await link.client.approval(approvalId);
    if (context.json) context.io.out.line(jsonText(approval));
    else printOne(context.io.out, approval, context.clock.now());
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

function printOne(out: Output, approval: ApprovalRecord, now: number): void {
  const { approvalId, title, state, details, data } = approval;
  const due =
    approval.dueAt !== undefined && state === "pending" ? `, expires in ${duration(approval.dueAt - now)}` : "";
  out.line(`${out.paint.bold(oneLine(title))}  ${approvalId}`);
  out.line(`state     ${paintState(out.paint, state)}${due}`);
  out.line(`run       ${oneLine(approval.runName)}  ${approval.runId}`);
  out.line(`asked     ${moment(approval.createdAt)}`);
  if (approval.decidedAt !== undefined) {
    out.line(
      `decided   ${moment(approval.decidedAt)}${approval.by === undefined ? "" : ` by ${oneLine(approval.by)}`}`,
    );
  }
  if (approval.comment !== undefined) out.line(`comment   ${oneLine(approval.comment)}`);
  if (data !== undefined) out.line(`data      ${jsonText(data, 0)}`);
  if (details !== undefined) out.line(`\n${typeof details === "string" ? block(details) : jsonText(details)}`);
  if (state === "pending") out.line(`\nanswer with  quickswarm approve ${approvalId} [--reject] [--comment TEXT]`);
}

async function print({ io, clock }: Context, rows: ApprovalRecord[], all: boolean): Promise<void> {
  if (rows.length === 0) {
    io.err.line(
      all ? "No run has asked for an approval." : "No approval waits. Those of before: quickswarm approvals --all",
    );
    return;
  }
  const { out } = io;
  const now = clock.now();
  const columns = [
    { head: "APPROVAL" },
    { head: "TITLE", shrinks: true },
    { head: "STATE", paint: (text: string) => paintState(out.paint, text) },
    { head: "BY" },
    { head: "RUN" },
    { head: "ASKED", align: "right" as const },
    { head: "EXPIRES IN", align: "right" as const },
  ];
  const cells = rows.map((row) => [
    row.approvalId,
    row.title,
    row.state,
    row.by ?? "-",
    row.runName,
    `${duration(now - row.createdAt)} ago`,
    row.dueAt === undefined || row.state !== "pending" ? "-" : duration(Math.max(0, row.dueAt - now)),
  ]);
  out.line(await table(out, columns, cells));
  if (!all) io.err.line("One with its details: quickswarm approvals ID");
}
