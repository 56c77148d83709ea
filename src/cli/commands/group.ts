// `quickswarm group ID`: one group, its phases and all of its children (S-018).

import { EXIT } from "../../contract/fault-table.ts";
import type { ChildRecord, GroupRecord } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { jsonText, moment, oneLine } from "../format.ts";
import { openLink } from "../link.ts";
import { spendingText } from "../spending.ts";
import { childrenTable, countsText } from "../states.ts";

export async function groupCommand(context: Context, groupId: string): Promise<number> {
  const link = await openLink(context, "look");
  try {
    const found = await link.client.group(groupId);
    if (context.json) context.io.out.line(jsonText(found));
    else await print(context, found.group, found.children);
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

async function print({ io, clock }: Context, group: GroupRecord, children: ChildRecord[]): Promise<void> {
  const { out } = io;
  out.line(out.paint.bold(oneLine(group.groupId)));
  out.line(`created   ${moment(group.createdAt)}`);
  out.line(`children  ${group.total} in all; ${countsText(group.counts)}`);
  const seconds = (clock.now() - group.createdAt) / 1000;
  const spending = spendingText({ spent: group.spent, budget: group.budget, children: group.total, seconds });
  if (spending !== undefined) out.line(`spent     ${spending}`);
  for (const { phase, counts } of group.phases) out.line(`phase     ${oneLine(phase, 40)}: ${countsText(counts)}`);
  if (group.archivedAt !== undefined) out.line(`archived  ${moment(group.archivedAt)}`);
  if (group.summary !== undefined) out.line(`summary   ${oneLine(group.summary)}`);
  out.line();
  if (children.length > 0) out.line(await childrenTable(out, children, clock.now()));
  else io.err.line("No child is left in this group.");
}
