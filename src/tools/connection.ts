// One connection to an MCP server: opened under a deadline, asked for its tools, and ended with whatever it
// holds (L7). The packages are imported by the first connection that is made.

import type { Client, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import type { McpServerSettings } from "../contract/tool-settings.ts";
import type { OfferedTool } from "../contract/tools.ts";
import { endedAfter } from "./deadline.ts";

/** Most tools of one server. */
export const TOOLS_COUNT_MAX = 1_000;
const DESCRIPTION_CHARS_MAX = 8_000;
/** The package's own deadline; ours is shorter. */
const NEVER_MS = 2_147_483_647;
/** How long a server may take to hear that its session is over. */
const FAREWELL_MS = 1_000;

export interface Connection {
  readonly client: Client;
  /** Asked anew when the server has said that they changed. */
  tools(signal: AbortSignal): Promise<OfferedTool[]>;
  isOpen(): boolean;
  /** How the program ended, if it is one and did. */
  exit(): number | string | undefined;
  stderr(): string;
  close(): Promise<void>;
}

export interface Opening {
  settings: McpServerSettings;
  clock: Clock;
  version: string;
  /** Aborted when the host closes. */
  signal: AbortSignal;
}

/** Rejects with what went wrong, and leaves nothing behind then. */
export async function openConnection(opening: Opening): Promise<Connection> {
  const { settings, clock, version, signal } = opening;
  const { Client } = await import("@modelcontextprotocol/client");
  const link = await linkTo(settings);
  const client = new Client(
    { name: "quickswarm", version },
    // A schema of a server is never compiled in this thread; arguments are checked in one that can be ended.
    {
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  let open = true;
  let listed: Promise<OfferedTool[]> | undefined;
  client.onclose = () => {
    open = false;
  };
  client.onerror = () => {};
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    listed = undefined;
  });
  const close = async (): Promise<void> => {
    open = false;
    if (link.farewell) await endedAfter(link.farewell(), FAREWELL_MS);
    await client.close();
    await link.transport.close();
  };
  const tools = (within: AbortSignal): Promise<OfferedTool[]> => {
    listed ??= listTools(client, settings.id, within).catch((error: unknown) => {
      listed = undefined;
      throw error;
    });
    return listed;
  };
  const deadline = new AbortController();
  const timer = clock.setTimer(settings.startTimeoutMs, () =>
    deadline.abort(fault("tool_timeout", `it was not ready within ${settings.startTimeoutMs} ms`)),
  );
  const within = AbortSignal.any([signal, deadline.signal]);
  try {
    await aborting(client.connect(link.transport, { signal: within, timeout: NEVER_MS }), within);
    await aborting(tools(within), within);
  } catch (error) {
    const exit = link.exit();
    await close().catch(() => {});
    throw within.aborted ? within.reason : new Unready(error, exit, link.stderr());
  } finally {
    timer.cancel();
  }
  return { client, tools, isOpen: () => open, exit: link.exit, stderr: link.stderr, close };
}

/** What went wrong before a server was ready, and how its program ended. */
export class Unready {
  readonly cause: unknown;
  readonly exit: number | string | undefined;
  readonly stderr: string;

  constructor(cause: unknown, exit: number | string | undefined, stderr: string) {
    this.cause = cause;
    this.exit = exit;
    this.stderr = stderr;
  }
}

/** As `work`, or a rejection as soon as `signal` aborts. */
export function aborting<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

interface Link {
  transport: Transport;
  exit(): number | string | undefined;
  stderr(): string;
  /** Says goodbye, where there is a session to end. */
  farewell?: () => Promise<void>;
}

async function linkTo({ transport: settings }: McpServerSettings): Promise<Link> {
  if (settings.kind === "stdio") {
    const { ProgramTransport } = await import("./program-transport.ts");
    const { command, args, cwd } = settings;
    const transport = new ProgramTransport({ command, args, cwd, env: revealed(settings.env) });
    return { transport, exit: () => transport.exit, stderr: () => transport.stderr };
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
    requestInit: { headers: revealed(settings.headers) },
  });
  return {
    transport,
    exit: () => undefined,
    stderr: () => "",
    farewell: async () => {
      if (transport.sessionId !== undefined) await transport.terminateSession();
    },
  };
}

function revealed(secrets: { readonly [name: string]: { reveal(): string } }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));
}

async function listTools(client: Client, server: string, signal: AbortSignal): Promise<OfferedTool[]> {
  const { tools } = await client.listTools(undefined, { signal, timeout: NEVER_MS, cacheMode: "refresh" });
  return tools.slice(0, TOOLS_COUNT_MAX).map(({ name, description, title, inputSchema, outputSchema }) => ({
    server,
    name,
    description: (description ?? title ?? "").slice(0, DESCRIPTION_CHARS_MAX),
    inputSchema: inputSchema as { [key: string]: Json },
    outputSchema: outputSchema as { [key: string]: Json } | undefined,
  }));
}
