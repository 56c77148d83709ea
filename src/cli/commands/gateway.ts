// `quickswarm gateway`: the gateway in the foreground, until SIGINT or SIGTERM.

import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { withFolder } from "../data-dir.ts";
import { jsonText, oneLine, plural } from "../format.ts";
import { type Interrupt, watchInterrupt } from "../interrupt.ts";
import { isLoopback } from "../link.ts";
import { sayOffline } from "../offline.ts";

export async function gatewayCommand(context: Context): Promise<number> {
  const { io } = context;
  const { settings, warnings } = await context.load();
  for (const warning of warnings) io.err.line(`warning: ${warning}`);
  const { serveGateway } = await import("../../gateway/serve.ts");
  // Watched from here on: a signal that comes while the gateway opens ends it cleanly too.
  const interrupt = watchInterrupt();
  try {
    const gateway = await serveGateway(settings).catch(async (error: unknown) => {
      throw await withFolder(error, settings.dataDir);
    });
    const { version, recovered } = gateway.runtime.health();
    const { url } = gateway;
    if (context.json) io.out.line(jsonText({ url, dataDir: settings.dataDir, pid: process.pid, version }, 0));
    else io.out.line(`quickswarm ${version} answers at ${url}, data in ${oneLine(settings.dataDir)}`);
    if (recovered.runs > 0) io.err.line(`went on with ${plural(recovered.runs, "unfinished run")}`);
    if (!isLoopback(settings.gateway.host)) {
      io.err.line(`warning: ${settings.gateway.host} can be reached from other machines, without encryption`);
    }
    sayOffline(context, settings.defaultModel);
    await interrupted(interrupt);
    await gateway.close();
    return EXIT.ok;
  } finally {
    interrupt.end();
  }
}

function interrupted({ signal }: Interrupt): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
