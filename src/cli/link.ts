// The way to a gateway: the one that --url names, else the one that serves the data directory, else, for
// commands that do work themselves, one inside this process that ends with it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fault, isFault } from "../contract/fault.ts";
import type { Settings } from "../contract/settings.ts";
import type { GatewayClient } from "../gateway/client.ts";
import type { Context } from "./context.ts";
import { withFolder } from "./data-dir.ts";

export interface Link {
  readonly client: GatewayClient;
  /** The gateway lives in this process and ends with `close`. */
  readonly embedded: boolean;
  /**
   * After `gateway_unreachable`: looks again, and starts one inside this process if need be. A gateway that was
   * started for itself is given half a minute to come back, at whatever address; one that was part of another
   * command is not. Throws `error` where there is no other way, and the signal's reason when it aborts.
   */
  renew(error: unknown, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface Way {
  client: GatewayClient;
  embedded: boolean;
  /** It may be started again when it has gone. */
  returns: boolean;
  close(): Promise<void>;
}

/**
 * What a command does when no gateway runs: fail, only look (nothing is set going), or work in this process on
 * what it is asked for, and leave other runs parked.
 */
export type WithoutGateway = "fail" | "look" | "work";

/**
 * Opens the way.
 * Faults: `gateway_unreachable` when none runs and `own` is "fail", `unauthorized`, and those of opening one.
 */
export async function openLink(context: Context, own: WithoutGateway): Promise<Link> {
  const { warnings } = await context.load();
  for (const warning of warnings) context.io.err.line(`warning: ${warning}`);
  let way = await findWay(context, own);
  return {
    get client() {
      return way.client;
    },
    get embedded() {
      return way.embedded;
    },
    async renew(error, signal) {
      await way.close();
      if (context.url !== undefined) throw error;
      way = (way.returns ? await returnedWay(context, error, signal) : undefined) ?? (await findWay(context, own));
    },
    close: () => way.close(),
  };
}

async function findWay(context: Context, own: WithoutGateway): Promise<Way> {
  const { settings } = await context.load();
  if (context.url !== undefined) return remoteWay(context.url, settings);
  const running = await runningWay(settings);
  if (running) return running;
  if (own !== "fail") return embeddedWay(settings, own === "look");
  throw fault("gateway_unreachable", `no gateway runs for the data directory ${settings.dataDir}`, {
    next: "Start one with `quickswarm gateway`; or use `quickswarm run`, which needs none.",
  });
}

/** Looks until a gateway is there again; undefined when none has come within half a minute. */
async function returnedWay({ clock, load }: Context, error: unknown, signal: AbortSignal): Promise<Way | undefined> {
  const { settings } = await load();
  const { newPatience } = await import("../gateway/client/retry.ts");
  const patience = newPatience(clock);
  for (;;) {
    // One that does not answer yet is looked for again; in the end it is told of by findWay.
    const running = await runningWay(settings).catch(() => undefined);
    if (running) return running;
    try {
      await patience.pause(error, signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }
}

async function runningWay({ dataDir, gateway }: Settings): Promise<Way | undefined> {
  const { findGateway, isGone } = await import("../gateway/discovery.ts");
  const found = await findGateway(dataDir, { token: gateway.token });
  if (!found) return undefined;
  const way = await clientWay(found.url, found.token, () => isGone(dataDir, found));
  return { ...way, returns: found.embedded !== true };
}

async function clientWay(url: string, token: string, isGone?: () => Promise<boolean>): Promise<Way> {
  const { createClient } = await import("../gateway/client.ts");
  const client = createClient({ url, token, ...(isGone && { isGone }) });
  return { client, embedded: false, returns: true, close: async () => client.close() };
}

async function embeddedWay(settings: Settings, passive: boolean): Promise<Way> {
  const { openEmbeddedGateway } = await import("../gateway/embedded.ts");
  try {
    const gateway = await openEmbeddedGateway(settings, { log: () => {}, passive });
    return { client: gateway.client, embedded: true, returns: false, close: () => gateway.close() };
  } catch (error) {
    // Somebody else was faster: then there is a gateway to talk to.
    const running = isFault(error) && error.code === "database_locked" ? await runningWay(settings) : undefined;
    if (running) return running;
    throw await withFolder(error, settings.dataDir);
  }
}

/** The data directory's token goes to this machine only; elsewhere the caller has to mean it. */
async function remoteWay(url: string, settings: Settings): Promise<Way> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    // What may be a password is not repeated.
    const shown = JSON.stringify(url.replace(/[^/\s]*@/, "…@"));
    throw fault("option_type", `--url: ${shown} is no address`, {
      next: "Give the address as the gateway prints it, for example --url http://127.0.0.1:7976.",
    });
  }
  const { username, password } = new URL(url);
  if (username !== "" || password !== "") {
    throw fault("option_type", "--url: an address with a user name or a password in it is not taken", {
      next: "Give the address alone, and the gateway's token in QUICKSWARM_TOKEN.",
    });
  }
  const token = await tokenFor(url, settings);
  // Before the token goes there.
  const { expectGateway } = await import("../gateway/discovery.ts");
  await expectGateway(url);
  return clientWay(url, token);
}

async function tokenFor(url: string, settings: Settings): Promise<string> {
  const given = settings.gateway.token;
  if (given !== undefined) return given;
  if (!isLoopback(new URL(url).hostname)) {
    throw fault("unauthorized", `${url} is not this machine, and the local token is not sent elsewhere`, {
      next: "Put that gateway's token into QUICKSWARM_TOKEN.",
    });
  }
  const token = await readFile(join(settings.dataDir, "token"), "utf8").catch(() => undefined);
  if (token === undefined) {
    throw fault("unauthorized", `there is no token for ${url} in the data directory ${settings.dataDir}`, {
      next: "Name the gateway's data directory with --data, or put its token into QUICKSWARM_TOKEN.",
    });
  }
  return token.trim();
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
