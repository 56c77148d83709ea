// `quickswarm submit FILE|-`: hands a script to the running gateway and comes back at once (I-003).

import { EXIT } from "../../contract/fault-table.ts";
import type { RunRecord } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { jsonText } from "../format.ts";
import { openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { inOptions } from "../option-names.ts";
import { type SubmitFlags, submitInput } from "../submission.ts";

export async function submitCommand(context: Context, file: string, options: SubmitFlags): Promise<number> {
  const { input, check } = await submitInput(context, file, options);
  try {
    const link = await openLink(context, "fail");
    try {
      const { run, created } = await link.client.submit(input).catch((error: unknown) => {
        throw inOptions(error);
      });
      sayOffline(context, run.model);
      const exitCode = printSubmitted(context, run, created);
      await check?.tell((line) => context.io.err.line(line));
      return exitCode;
    } finally {
      await link.close();
    }
  } finally {
    check?.end();
  }
}

/** The run's id alone on stdout, so that a shell can keep it. */
export function printSubmitted(context: Context, run: RunRecord, created: boolean): number {
  const { io } = context;
  if (context.json) io.out.line(jsonText({ run, created }));
  else {
    io.out.line(run.runId);
    const what = created ? "submitted" : "this idempotency key belongs to an earlier run";
    io.err.line(`${what}; follow it with \`quickswarm logs -f ${run.runId}\``);
  }
  return EXIT.ok;
}
