// `quickswarm fork RUN`: a new run that begins with a kept turn of another one, with other answers if wanted
// followed to its end unless it is detached.

import type { ForkInput } from "../../contract/api.ts";
import { fault } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { Json } from "../../contract/json.ts";
import type { Context } from "../context.ts";
import { followToEnd } from "../follow.ts";
import { parseArgs } from "../input/args.ts";
import { watchInterrupt } from "../interrupt.ts";
import { openLink } from "../link.ts";
import { sayOffline } from "../offline.ts";
import { printSubmitted } from "./submit.ts";

export interface ForkOptions {
  at?: number | undefined;
  setAnswer?: string[] | undefined;
  name?: string | undefined;
  group?: string | undefined;
  keepHistory?: number | undefined;
  reuse?: string | undefined;
  idempotencyKey?: string | undefined;
  detach?: boolean | undefined;
}

export async function forkCommand(context: Context, runId: string, options: ForkOptions): Promise<number> {
  const input = forkInput(options);
  const interrupt = watchInterrupt();
  try {
    const link = await openLink(context, options.detach === true ? "fail" : "work");
    try {
      if (interrupt.signal.aborted) return EXIT.interrupted;
      const { run, created } = await link.client.fork(runId, input);
      sayOffline(context, run.model);
      if (options.detach === true) return printSubmitted(context, run, created);
      context.io.err.line(`forked ${runId} after turn ${run.forkedFrom?.turn ?? run.turn} as ${run.runId}`);
      return await followToEnd(context, { link, run, interrupt });
    } finally {
      await link.close();
    }
  } finally {
    interrupt.end();
  }
}

function forkInput(options: ForkOptions): ForkInput {
  const input: ForkInput = {};
  if (options.at !== undefined) input.at = options.at;
  if (options.setAnswer !== undefined) input.answers = options.setAnswer.map(answerOf);
  if (options.name !== undefined) input.name = options.name;
  if (options.group !== undefined) input.groupId = options.group;
  if (options.keepHistory !== undefined) input.keepHistory = options.keepHistory;
  if (options.reuse !== undefined) input.reuse = options.reuse;
  if (options.idempotencyKey !== undefined) input.idempotencyKey = options.idempotencyKey;
  return input;
}

/** `12={"ok":true}`. Throws `option_type`, `args_not_json` that shows where the JSON broke. */
function answerOf(text: string): { callId: number; value: Json } {
  const match = /^([1-9]\d{0,8})=(.*)$/s.exec(text);
  if (!match) {
    throw fault("option_type", `--set-answer: got ${JSON.stringify(text)}, expected CALL=JSON, for example 12='"yes"'`);
  }
  return { callId: Number(match[1]), value: parseArgs(match[2] ?? "", `--set-answer ${match[1]}`) };
}
