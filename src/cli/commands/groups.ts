// `quickswarm groups`: the groups with their children by state.

import { EXIT } from "../../contract/fault-table.ts";
import type { GroupRecord } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { jsonText, moment } from "../format.ts";
import { openLink } from "../link.ts";
import { nextPage } from "../next-page.ts";
import { table } from "../table.ts";
import type { ListOptions } from "./ls.ts";

export async function groupsCommand(context: Context, options: ListOptions): Promise<number> {
  const link = await openLink(context, "look");
  try {
    const { limit, after } = options;
    const { rows, next } = await link.client.groups({ limit, after });
    if (context.json) context.io.out.line(jsonText({ rows, next: next ?? null }));
    else await print(context, rows);
    if (!context.json && next !== undefined) context.io.err.line(nextPage(context, "groups", { limit, after: next }));
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

async function print({ io }: Context, rows: GroupRecord[]): Promise<void> {
  if (rows.length === 0) {
    io.err.line("There are no groups yet. A group appears with the first child that a run spawns: quickswarm run FILE");
    return;
  }
  const right = "right" as const;
  const states = ["queued", "running", "done", "failed", "killed", "timeout"] as const;
  const columns = [
    { head: "GROUP", shrinks: true },
    { head: "CHILDREN", align: right },
    ...states.map((state) => ({ head: state.toUpperCase(), align: right })),
    { head: "CREATED" },
    { head: "ARCHIVED" },
  ];
  const cells = rows.map((group) => [
    group.groupId,
    String(group.total),
    ...states.map((state) => String(group.counts[state])),
    moment(group.createdAt),
    group.archivedAt === undefined ? "-" : moment(group.archivedAt),
  ]);
  io.out.line(await table(io.out, columns, cells));
}
