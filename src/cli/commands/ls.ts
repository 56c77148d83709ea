// `quickswarm ls`: the runs, newest first as the gateway lists them.

import { fault } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import { type RunRecord, type RunState, runStateSchema } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { duration, jsonText, moment } from "../format.ts";
import { openLink } from "../link.ts";
import { nextPage } from "../next-page.ts";
import { tokensCell } from "../spending.ts";
import { countsText, paintState, stateText } from "../states.ts";
import { table } from "../table.ts";

export interface ListOptions {
  limit?: number | undefined;
  after?: string | undefined;
  state?: string | undefined;
}

export async function lsCommand(context: Context, options: ListOptions): Promise<number> {
  const state = stateOf(options.state);
  const link = await openLink(context, "look");
  try {
    const { limit, after } = options;
    const listing = await link.client.runs({ limit, after, state });
    if (context.json) context.io.out.line(jsonText({ rows: listing.rows, next: listing.next ?? null }));
    else await print(context, listing.rows, state);
    if (!context.json && listing.next !== undefined) {
      context.io.err.line(nextPage(context, "ls", { state, limit, after: listing.next }));
    }
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

function stateOf(text: string | undefined): RunState | undefined {
  if (text === undefined) return undefined;
  const parsed = runStateSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw fault(
    "option_type",
    `--state: got ${JSON.stringify(text)}, expected one of ${runStateSchema.options.join(", ")}`,
  );
}

async function print({ io, clock }: Context, rows: RunRecord[], state: RunState | undefined): Promise<void> {
  if (rows.length === 0) {
    io.err.line(
      state === undefined
        ? "There are no runs yet. Start one: quickswarm run FILE"
        : `There is no run in the state ${state}. All of them: quickswarm ls`,
    );
    return;
  }
  const { out } = io;
  const columns = [
    { head: "RUN" },
    { head: "NAME", shrinks: true },
    { head: "STATE", paint: (text: string) => paintState(out.paint, text) },
    { head: "PHASE" },
    { head: "CHILDREN" },
    { head: "TOKENS", align: "right" as const },
    { head: "CREATED" },
    { head: "TOOK", align: "right" as const },
  ];
  const now = clock.now();
  const cells = rows.map((run) => [
    run.runId,
    run.name,
    stateText(run),
    run.phase ?? "-",
    countsText(run.children),
    tokensCell(run.spent, run.budget),
    moment(run.createdAt),
    duration((run.endedAt ?? now) - run.createdAt),
  ]);
  out.line(await table(out, columns, cells));
}
