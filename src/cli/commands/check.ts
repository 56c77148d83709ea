// `quickswarm check FILE|-`: what is wrong with a script as far as its text shows, without running it.

import { EXIT } from "../../contract/fault-table.ts";
import { checkNow, warningLines } from "../check/check.ts";
import type { Context } from "../context.ts";
import { jsonText } from "../format.ts";
import { readScript } from "../input/script.ts";

/** Exits with `usage` when there is something to say. */
export async function checkCommand(context: Context, file: string, { ts }: { ts?: boolean }): Promise<number> {
  const { io } = context;
  const script = await readScript(file, ts === true, io, context.cwd);
  const diagnostics = await checkNow(context, script);
  const ok = diagnostics.length === 0;
  if (context.json) io.out.line(jsonText({ ok, diagnostics }));
  else if (ok) io.err.line(`${script.fileName}: no warnings`);
  else for (const line of warningLines(diagnostics, io.out.paint)) io.out.line(line);
  return ok ? EXIT.ok : EXIT.usage;
}
