// `quickswarm run FILE|-`: submits a script, follows it to its end, prints its result (I-003).

import type { Context } from "../context.ts";
import { followToEnd } from "../follow.ts";
import { openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { type SubmitOptions, submitInput } from "../submission.ts";

export async function runCommand(context: Context, file: string, options: SubmitOptions): Promise<number> {
  const input = await submitInput(context, file, options);
  const link = await openLink(context, "work");
  try {
    const { run, created } = await link.client.submit(input);
    sayOffline(context, run.model);
    if (!created) context.io.err.line(`this idempotency key belongs to ${run.runId}; following that run`);
    return await followToEnd(context, link, run, input.script);
  } finally {
    await link.close();
  }
}
