// `quickswarm event RUN NAME [JSON|-]`: what a program tells a run that waits for it, or will (G-009).

import { EXIT } from "../../contract/fault-table.ts";
import type { Json } from "../../contract/json.ts";
import { EVENT_PAYLOAD_BYTES_MAX } from "../../contract/limits.ts";
import type { Context } from "../context.ts";
import { jsonText, plural } from "../format.ts";
import { parseArgs } from "../input/args.ts";
import { decodeText } from "../input/text.ts";
import { openLink } from "../link.ts";
import { sayParked } from "../parked.ts";

/** Faults: `args_not_json`, and those of the gateway (`not_found`, `wrong_state`, `event_inbox_full`). */
export async function eventCommand(
  context: Context,
  runId: string,
  name: string,
  given: string | undefined,
): Promise<number> {
  const payload = await payloadOf(context, given);
  const link = await openLink(context, "look");
  try {
    const answer = await link.client.sendEvent(runId, name, payload);
    if (context.json) context.io.out.line(jsonText(answer));
    else if (answer.delivered) context.io.out.line(`${runId} waited for ${name} and has it`);
    else
      context.io.out.line(
        `kept for ${runId}: ${plural(answer.kept, "event", "events")} ${name} until its script waits`,
      );
    if (link.embedded) sayParked(context, runId);
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

async function payloadOf({ io }: Context, given: string | undefined): Promise<Json> {
  if (given === undefined) return null;
  if (given !== "-") return parseArgs(given, "the event");
  // One byte more than fits is read, so that the gateway says how much it is.
  return parseArgs(decodeText(await io.readInput(EVENT_PAYLOAD_BYTES_MAX), "standard input"), "standard input");
}
