// `quickswarm resume RUN`: goes on with a parked run, or releases a quarantined one, and follows it.

import { isFault } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { RunRecord } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { expectRunId } from "../expect-run.ts";
import { followToEnd, isFinal, printOutcome } from "../follow.ts";
import { type Interrupt, watchInterrupt } from "../interrupt.ts";
import { type Link, openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { liveOf } from "../states.ts";

export async function resumeCommand(context: Context, runId: string): Promise<number> {
  expectRunId(runId);
  const begun = context.clock.now();
  const interrupt = watchInterrupt();
  try {
    const link = await openLink(context, "work");
    try {
      if (interrupt.signal.aborted) return EXIT.interrupted;
      return await resume(context, { link, interrupt, begun }, runId);
    } finally {
      await link.close();
    }
  } finally {
    interrupt.end();
  }
}

interface Resuming {
  link: Link;
  interrupt: Interrupt;
  /** When the command began, milliseconds since the Unix epoch. */
  begun: number;
}

async function resume(context: Context, { link, interrupt, begun }: Resuming, runId: string): Promise<number> {
  const before = await link.client.run(runId);
  // A run that ended since is the work of this command's own gateway, most often, and is shown like any other.
  if (isOver(before) && (before.endedAt ?? begun) < begun) {
    context.io.err.line(`${runId} has ended already`);
    // Children that it did not await were parked with their gateway; this one goes on with them.
    if (link.embedded && liveOf(before.children) > 0) {
      await link.client.resume(runId);
      return followToEnd(context, { link, run: before, interrupt });
    }
    return printOutcome(context, await link.client.runDetail(runId));
  }
  if (isOver(before) && link.embedded && liveOf(before.children) > 0) await link.client.resume(runId);
  const run = isOver(before) ? before : await resumed(link, runId);
  sayOffline(context, run.model);
  return followToEnd(context, { link, run, interrupt });
}

/** The run may end between the look at it and the order to go on: then it is what was wanted. */
async function resumed({ client }: Link, runId: string): Promise<RunRecord> {
  try {
    return await client.resume(runId);
  } catch (error) {
    if (!isFault(error) || error.code !== "wrong_state") throw error;
    const run = await client.run(runId);
    if (!isOver(run)) throw error;
    return run;
  }
}

function isOver(run: RunRecord): boolean {
  return isFinal(run) && run.state !== "quarantined";
}
