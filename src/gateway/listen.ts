// One gateway process on one port: binds, opens the runtime, serves, and ends all of it again (law L7).
// The port is taken before the runtime opens, so that a port in use costs no recovery.

import { setMaxListeners } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Clock, randomHex, systemClock } from "../contract/clock.ts";
import { fault, isFault } from "../contract/fault.ts";
import type { Settings } from "../contract/settings.ts";
import type { Caller, Runtime } from "../runtime/api.ts";
import { asStorageFault, makeDataDir } from "../runtime/data-dir.ts";
import type { WorkScope } from "../runtime/open.ts";
import { createApp } from "./app.ts";
import { findGateway } from "./discovery.ts";
import { removeGatewayFile, writeGatewayFile } from "./gateway-file.ts";
import { addressRules, reachableHost } from "./guard.ts";
import { InFlight, type Listener } from "./in-flight.ts";
import { createLog, type Log } from "./log.ts";
import { createMcpEndpoint } from "./mcp/endpoint.ts";
import { openPatiently } from "./patience.ts";
import { malformedRequest } from "./problem.ts";
import { bearerAuthenticator, keepToken } from "./token.ts";

export type OpenRuntime = (
  settings: Settings,
  options: { clock: Clock; log: Log; work?: WorkScope },
) => Promise<Runtime>;

/** Bounds of the HTTP server. Waits and streams are answers, and answers may take as long as they like. */
export interface HttpLimits {
  /** From the connection's first byte to the end of the head. */
  headersTimeoutMs: number;
  /** From the connection's first byte to the end of the body. */
  requestTimeoutMs: number;
  /** How often the two above are looked at. */
  timeoutCheckMs: number;
  /** An idle connection is closed after this time. */
  keepAliveTimeoutMs: number;
  headBytesMax: number;
  connectionsMax: number;
  /** At close: how long answers on their way out may take. */
  closeGraceMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  timeoutCheckMs: 5_000,
  keepAliveTimeoutMs: 5_000,
  headBytesMax: 16_384,
  connectionsMax: 4_096,
  closeGraceMs: 2_000,
};

export interface GatewayOptions {
  clock?: Clock;
  log?: Log;
  /** Goes before `settings.gateway.token` and the data directory's own. */
  token?: string | undefined;
  /** Further callers and their tokens; the gateway's own token is the operator's. */
  callers?: { token: string; caller: Caller }[];
  limits?: Partial<HttpLimits>;
  /**
   * It ends with the command that it is part of, which gateway.json says, and works on what is submitted, resumed
   * or waited for there. A passive one only looks: no turn and no child starts, and nobody else is told where it is.
   */
  embedded?: "active" | "passive";
}

export interface Gateway {
  /** For clients on this machine. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly runtime: Runtime;
  /** Ends waits and streams, lets other answers finish, closes the runtime. The process can exit then. */
  close(): Promise<void>;
}

/** What a gateway works on. */
const WORK = { serving: "all", active: "own", passive: "none" } as const;

/** The session of the gateway's own token. */
export const OPERATOR: Caller = { sessionKey: "operator", operator: true };
const INSTANCE_BYTES = 8;

/** Throws `port_in_use`, `database_locked`, `config_invalid`, and what `open` throws. */
export async function startGateway(
  settings: Settings,
  open: OpenRuntime,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createLog(settings.logLevel, clock);
  makeDataDir(settings.dataDir);
  const token = options.token ?? settings.gateway.token ?? (await keptToken(settings.dataDir));
  const door = await openDoor(settings, clock, { ...HTTP_LIMITS, ...options.limits });
  try {
    const runtimeOptions = { clock, log, work: WORK[options.embedded ?? "serving"] };
    const runtime = await openPatiently(() => open(settings, runtimeOptions), { dataDir: settings.dataDir, clock });
    try {
      const callers = options.callers ?? [];
      const { embedded } = options;
      return await answerBehind(door, { settings, runtime, clock, log, token, callers, embedded });
    } catch (error) {
      await runtime.close();
      throw error;
    }
  } catch (error) {
    await door.shut();
    throw error;
  }
}

async function keptToken(dataDir: string): Promise<string> {
  try {
    return await keepToken(dataDir);
  } catch (error) {
    throw asStorageFault(error, "writing the token file");
  }
}

interface Inside {
  settings: Settings;
  runtime: Runtime;
  clock: Clock;
  log: Log;
  token: string;
  callers: { token: string; caller: Caller }[];
  embedded: GatewayOptions["embedded"];
}

/** Opens the door to the runtime behind it, and says where it is. */
async function answerBehind(door: Door, inside: Inside): Promise<Gateway> {
  const { settings, runtime, clock, log, token } = inside;
  const { port } = door;
  const instance = randomHex(INSTANCE_BYTES);
  const gateway = { runtime, clock, log, closing: door.closing, instance };
  const mcp = createMcpEndpoint(gateway, () => settings.swarmFor(undefined));
  const app = createApp({
    gateway,
    mcp,
    rules: addressRules(settings.gateway, port),
    authenticate: bearerAuthenticator([{ token, caller: OPERATOR }, ...inside.callers]),
  });
  const errorHandler = malformedRequest;
  door.serve(getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: "localhost", errorHandler }));
  const url = `http://${reachableHost(settings.gateway.host)}:${port}`;
  const { version, startedAt } = runtime.health();
  if (inside.embedded !== "passive") {
    const about = { url, pid: process.pid, startedAt, version, instance, ...(inside.embedded && { embedded: true }) };
    await writeGatewayFile(settings.dataDir, about);
  }
  log("info", "the gateway answers", { port, version });
  const close = async (): Promise<void> => {
    // A file that stays behind is harmless: it names a process that is gone.
    await removeGatewayFile(settings.dataDir, instance).catch(() => {});
    await door.shut();
    await mcp.close();
    await runtime.close();
    log("info", "the gateway is closed", { port });
  };
  let closed: Promise<void> | undefined;
  return {
    url,
    port,
    token,
    runtime,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** The port, taken; every request is told to come back until `serve`. */
interface Door {
  readonly port: number;
  readonly closing: AbortSignal;
  serve(listener: Listener): void;
  shut(): Promise<void>;
}

async function openDoor(settings: Settings, clock: Clock, limits: HttpLimits): Promise<Door> {
  const server = newServer(limits);
  const answers = new InFlight(server);
  const port = await listen(server, settings);
  const closing = new AbortController();
  // Every open wait and stream listens; the connections bound how many there are.
  setMaxListeners(0, closing.signal);
  return {
    port,
    closing: closing.signal,
    serve: (listener) => answers.serve(listener),
    async shut() {
      closing.abort();
      await answers.finished(clock, limits.closeGraceMs);
      await closeServer(server);
    },
  };
}

function newServer(limits: HttpLimits): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headBytesMax,
    keepAlive: true,
    noDelay: true,
  });
  server.maxConnections = limits.connectionsMax;
  return server;
}

async function listen(server: Server, settings: Settings): Promise<number> {
  const { host, port } = settings.gateway;
  const failure = await new Promise<(Error & { code?: string }) | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(port, host, () => {
      server.off("error", resolve);
      resolve(undefined);
    });
  });
  if (!failure) return (server.address() as AddressInfo).port;
  if (failure.code !== "EADDRINUSE") {
    throw fault(
      "config_invalid",
      `The gateway cannot listen on ${host}, port ${port} (${failure.code ?? "unknown"}).`,
      {
        next: "Choose an address and a port of this machine with gateway.host and gateway.port.",
        cause: failure,
      },
    );
  }
  // Most often it is this very gateway, started twice: then its advice is the better one.
  const other = await findGateway(settings.dataDir).catch((error: unknown) => {
    if (isFault(error) && error.code === "gateway_unreachable") throw error;
    return undefined;
  });
  if (other) {
    const message = `A gateway with process id ${other.pid} already serves this data directory at ${other.url}.`;
    throw fault("database_locked", message, { details: { pid: other.pid, url: other.url } });
  }
  throw fault("port_in_use", `Port ${port} on ${host} is in use.`, { details: { host, port } });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
