// `quickswarm workflows`: the saved workflows that can be run by name here, and those that cannot, with
// the reason (D-008). Needs no gateway.

import { EXIT } from "../../contract/fault-table.ts";
import type { WorkflowListing } from "../../contract/workflow.ts";
import type { Context } from "../context.ts";
import { jsonText, oneLine } from "../format.ts";
import { foundWorkflows } from "../saved.ts";
import { table } from "../table.ts";

export async function workflowsCommand(context: Context): Promise<number> {
  const rows = (await foundWorkflows(context)).map(({ listing }) => listing);
  if (context.json) context.io.out.line(jsonText({ rows }));
  else await print(context, rows);
  return EXIT.ok;
}

async function print({ io }: Context, rows: WorkflowListing[]): Promise<void> {
  const good = rows.filter(({ problem }) => problem === undefined);
  if (good.length === 0) {
    io.err.line(
      "There is no saved workflow. Save one as .quickswarm/workflows/NAME.js; it begins with export const meta = {…}.",
    );
  } else {
    const columns = [{ head: "NAME" }, { head: "DESCRIPTION", shrinks: true }, { head: "FILE" }];
    const cells = good.map(({ name, description, path }) => [name, oneLine(description ?? "", 200), path]);
    io.out.line(await table(io.out, columns, cells));
    for (const { name, whenToUse } of good) {
      if (whenToUse !== undefined) io.out.line(`\n${oneLine(name)}: use it ${oneLine(whenToUse, 300)}`);
    }
  }
  for (const { path, problem } of rows) {
    if (problem !== undefined) io.err.line(`${oneLine(path, 200)} cannot run: ${oneLine(problem, 300)}`);
  }
}
