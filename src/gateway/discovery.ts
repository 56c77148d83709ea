// Finds the gateway that serves a data directory. A file that a crash left behind counts for nothing: the
// process must live and must answer /healthz as the instance that wrote the file. Light: no schema, no framework.

import { type Clock, systemClock } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import { openChannel } from "./client/http.ts";
import { type GatewayFile, readGatewayFile, readToken } from "./gateway-file.ts";

/** How long a gateway on this machine may take to say that it lives. */
export const PROBE_TIMEOUT_MS = 4_000;

/** How long one whose address was given, wherever it is, may take for the same. */
export const ASK_TIMEOUT_MS = 10_000;

export interface FoundGateway extends GatewayFile {
  token: string;
}

export interface FindOptions {
  /** Goes before the data directory's own token. */
  token?: string | undefined;
  clock?: Clock;
}

/**
 * Undefined when no gateway serves `dataDir` now. Throws `unauthorized` when one does and its token cannot be read,
 * `gateway_unreachable` when its process lives, took the connection and does not answer.
 */
export async function findGateway(dataDir: string, options: FindOptions = {}): Promise<FoundGateway | undefined> {
  const file = await readGatewayFile(dataDir);
  if (!file || !isAlive(file.pid)) return undefined;
  const answer = await answerOf(file, options.clock ?? systemClock);
  if (answer === "none") return undefined;
  if (answer === "late") throw silent(file);
  const token = options.token ?? (await readToken(dataDir));
  if (token === undefined) {
    throw fault("unauthorized", `A gateway runs at ${file.url}, and its token is not in ${dataDir}.`, {
      next: "Give the token that the gateway was started with, in QUICKSWARM_TOKEN.",
    });
  }
  return { ...file, token };
}

/** Whether the gateway that was found has closed, has died or has been followed by another one. */
export async function isGone(dataDir: string, { instance }: GatewayFile): Promise<boolean> {
  const file = await readGatewayFile(dataDir);
  return file?.instance !== instance || !isAlive(file.pid);
}

function silent({ pid, url }: GatewayFile): Error {
  const seconds = PROBE_TIMEOUT_MS / 1_000;
  return fault(
    "gateway_unreachable",
    `The gateway of this data directory, process ${pid}, does not answer at ${url} within ${seconds} seconds.`,
    {
      details: { pid, url, reason: "silent" },
      next: `Try again; if it stays silent, look at process ${pid}: go on with a stopped one by \`kill -CONT ${pid}\`, end a hanging one by \`kill ${pid}\` or \`kill -9 ${pid}\` and start it again. Its runs lose nothing.`,
    },
  );
}

/**
 * Asks without a token whether a gateway answers at `url`. Throws `gateway_unreachable` when nothing does, or
 * something else.
 */
export async function expectGateway(url: string, clock: Clock = systemClock): Promise<void> {
  const channel = openChannel({ url, clock });
  try {
    const alive = await channel.json<{ service?: unknown } | null>("GET", "/healthz", { timeoutMs: ASK_TIMEOUT_MS });
    if (alive?.service === "quickswarm") return;
  } finally {
    channel.close();
  }
  throw fault("gateway_unreachable", `What answers at ${url} is no quickswarm gateway.`, {
    details: { url, reason: "stranger" },
    next: "Check the address; a gateway prints its own when it starts.",
  });
}

/** `late`: something took the connection, and said nothing in time. */
async function answerOf(file: GatewayFile, clock: Clock): Promise<"own" | "none" | "late"> {
  const channel = openChannel({ url: file.url, clock });
  const began = clock.monotonic();
  try {
    const alive = await channel.json<{ service?: unknown; instance?: unknown }>("GET", "/healthz", {
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    return alive?.service === "quickswarm" && alive.instance === file.instance ? "own" : "none";
  } catch {
    return clock.monotonic() - began >= PROBE_TIMEOUT_MS ? "late" : "none";
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
