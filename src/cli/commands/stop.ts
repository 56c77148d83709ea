// `quickswarm stop ID`: stops a run or one child, with its descendants (S-016).

import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { jsonText, plural } from "../format.ts";
import { openLink } from "../link.ts";

export async function stopCommand(
  context: Context,
  id: string,
  options: { reason?: string | undefined },
): Promise<number> {
  const link = await openLink(context, "look");
  try {
    const answer = await link.client.stop(id, options.reason);
    if (context.json) context.io.out.line(jsonText(answer));
    else
      context.io.out.line(
        `stopped ${answer.stopped}, ${plural(answer.cancelledChildren, "child", "children")} cancelled`,
      );
    return EXIT.ok;
  } finally {
    await link.close();
  }
}
