// `quickswarm resume RUN`: goes on with a parked run, or releases a quarantined one, and follows it.

import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { followToEnd, isFinal, printOutcome } from "../follow.ts";
import { type Interrupt, watchInterrupt } from "../interrupt.ts";
import { type Link, openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { liveOf } from "../states.ts";

export async function resumeCommand(context: Context, runId: string): Promise<number> {
  const interrupt = watchInterrupt();
  try {
    const link = await openLink(context, "work");
    try {
      if (interrupt.signal.aborted) return EXIT.interrupted;
      return await resume(context, link, runId, interrupt);
    } finally {
      await link.close();
    }
  } finally {
    interrupt.end();
  }
}

async function resume(context: Context, link: Link, runId: string, interrupt: Interrupt): Promise<number> {
  const before = await link.client.run(runId);
  if (isFinal(before) && before.state !== "quarantined") {
    context.io.err.line(`${runId} has ended already`);
    // Children that it did not await were parked with their gateway; this one goes on with them.
    if (link.embedded && liveOf(before.children) > 0) {
      await link.client.resume(runId);
      return followToEnd(context, { link, run: before, interrupt });
    }
    return printOutcome(context, await link.client.runDetail(runId));
  }
  const run = await link.client.resume(runId);
  sayOffline(context, run.model);
  return followToEnd(context, { link, run, interrupt });
}
