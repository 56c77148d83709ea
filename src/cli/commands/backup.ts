// `quickswarm backup FILE`: a consistent copy of the registry while work goes on.

import { resolve } from "node:path";
import { fault, isFault } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { byteSize, jsonText, oneLine } from "../format.ts";
import { openLink } from "../link.ts";

const ABOUT_THE_TARGET: ReadonlySet<string> = new Set(["bad_request", "storage_io", "storage_full"]);

export async function backupCommand(context: Context, file: string): Promise<number> {
  const path = resolve(context.cwd, file);
  const link = await openLink(context, "look");
  try {
    const { bytes } = await link.client.backup(path).catch((error: unknown) => {
      throw withPath(error, path);
    });
    if (context.json) context.io.out.line(jsonText({ path, bytes }));
    else context.io.out.line(`wrote ${oneLine(path)}, ${byteSize(bytes)}`);
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

/** The gateway names no path in its errors; the person who gave this one may see it. */
function withPath(error: unknown, path: string): unknown {
  if (!isFault(error) || !ABOUT_THE_TARGET.has(error.code)) return error;
  const { code, next, details } = error;
  return fault(code, `${path}: ${error.message}`, { next, ...(details && { details }), cause: error });
}
