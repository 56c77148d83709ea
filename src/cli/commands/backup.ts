// `quickswarm backup FILE`: a consistent copy of the registry while work goes on.

import { resolve } from "node:path";
import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { byteSize, jsonText, oneLine } from "../format.ts";
import { openLink } from "../link.ts";

export async function backupCommand(context: Context, file: string): Promise<number> {
  const path = resolve(context.cwd, file);
  const link = await openLink(context, "look");
  try {
    const { bytes } = await link.client.backup(path);
    if (context.json) context.io.out.line(jsonText({ path, bytes }));
    else context.io.out.line(`wrote ${oneLine(path)}, ${byteSize(bytes)}`);
    return EXIT.ok;
  } finally {
    await link.close();
  }
}
