// `quickswarm approvals`: what runs ask of people, the longest waiting first (B-002).

import type { ApprovalRecord } from "../../contract/approvals.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { duration, jsonText } from "../format.ts";
import { openLink } from "../link.ts";
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
    else await print(context, listing.rows, listing.next, options.all === true);
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

async function print(
  { io, clock }: Context,
  rows: ApprovalRecord[],
  next: string | undefined,
  all: boolean,
): Promise<void> {
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
  if (next !== undefined) io.err.line(`There are more: quickswarm approvals ${all ? "--all " : ""}--after ${next}`);
}
