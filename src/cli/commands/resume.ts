// `quickswarm resume RUN`: goes on with a parked run, or releases a quarantined one, and follows it.

import type { Context } from "../context.ts";
import { followToEnd, isFinal, printOutcome } from "../follow.ts";
import { openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { liveOf } from "../states.ts";

export async function resumeCommand(context: Context, runId: string): Promise<number> {
  const link = await openLink(context, "work");
  try {
    const before = await link.client.run(runId);
    if (isFinal(before) && before.state !== "quarantined") {
      context.io.err.line(`${runId} has ended already`);
      // Children that it did not await were parked with their gateway; this one goes on with them.
      if (link.embedded && liveOf(before.children) > 0) return await followToEnd(context, link, before);
      return printOutcome(context, await link.client.runDetail(runId));
    }
    const run = await link.client.resume(runId);
    sayOffline(context, run.model);
    return await followToEnd(context, link, run);
  } finally {
    await link.close();
  }
}
