// `quickswarm run FILE|-`: submits a script, follows it to its end, prints its result (I-003).

import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { followToEnd } from "../follow.ts";
import { watchInterrupt } from "../interrupt.ts";
import { openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { inOptions } from "../option-names.ts";
import { type SubmitFlags, submitInput } from "../submission.ts";

export async function runCommand(context: Context, file: string, options: SubmitFlags): Promise<number> {
  const { input, check } = await submitInput(context, file, options);
  // Watched from here on: a signal while the gateway opens ends the command cleanly too.
  const interrupt = watchInterrupt();
  try {
    const link = await openLink(context, "work");
    try {
      if (interrupt.signal.aborted) {
        context.io.err.line("interrupted before the script was submitted; there is no run");
        return EXIT.interrupted;
      }
      const { run, created } = await link.client.submit(input).catch((error: unknown) => {
        throw inOptions(error);
      });
      sayOffline(context, run.model);
      if (!created) context.io.err.line(`this idempotency key belongs to ${run.runId}; following that run`);
      return await followToEnd(context, { link, run, interrupt, script: input.script, check });
    } finally {
      await link.close();
    }
  } finally {
    interrupt.end();
    check?.end();
  }
}
