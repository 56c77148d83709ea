// Finds the gateway that serves a data directory. A file that a crash left behind counts for nothing: the
// process must live and must answer /healthz as the instance that wrote the file. Light: no schema, no framework.

import { type Clock, systemClock } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import { openChannel } from "./client/http.ts";
import { type GatewayFile, readGatewayFile, readToken } from "./gateway-file.ts";

/** How long a gateway on this machine may take to say that it lives. */
export const PROBE_TIMEOUT_MS = 2_000;

export interface FoundGateway extends GatewayFile {
  token: string;
}

export interface FindOptions {
  /** Goes before the data directory's own token. */
  token?: string | undefined;
  clock?: Clock;
}

/** Undefined when no gateway serves `dataDir` now. Throws `unauthorized` when one does and its token cannot be read. */
export async function findGateway(dataDir: string, options: FindOptions = {}): Promise<FoundGateway | undefined> {
  const file = await readGatewayFile(dataDir);
  if (!file || !isAlive(file.pid) || !(await answersAs(file, options.clock ?? systemClock))) return undefined;
  const token = options.token ?? (await readToken(dataDir));
  if (token === undefined) {
    throw fault("unauthorized", `A gateway runs at ${file.url}, and its token is not in ${dataDir}.`, {
      next: "Give the token that the gateway was started with, in QUICKSWARM_TOKEN.",
    });
  }
  return { ...file, token };
}

async function answersAs(file: GatewayFile, clock: Clock): Promise<boolean> {
  const channel = openChannel({ url: file.url, clock });
  try {
    const alive = await channel.json<{ service?: unknown; instance?: unknown }>("GET", "/healthz", {
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    return alive?.service === "quickswarm" && alive.instance === file.instance;
  } catch {
    return false;
  } finally {
    channel.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to somebody else.
    return (error as { code?: unknown }).code === "EPERM";
  }
}
