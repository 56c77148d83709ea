// MCP at one path of the gateway, by Streamable HTTP: a server and a transport for each session, found by the
// session's id and only by the token that opened it. Sessions live in memory; what they spawned does not
// depend on them. No timer: sessions that nobody uses are ended when others come (L7, L10).

import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { randomHex } from "../../contract/clock.ts";
import { fault } from "../../contract/fault.ts";
import type { SwarmSettings } from "../../contract/settings.ts";
import type { Caller } from "../../runtime/api.ts";
import type { GatewayContext } from "../route.ts";
import { SESSION_HEADER, sessionCaller } from "./identity.ts";

export const MCP_PATH = "/mcp";
/** Most sessions at once; the one that is idle longest gives way. */
export const MCP_SESSIONS_MAX = 256;
/** A session that was not used for this long may be ended. */
export const MCP_IDLE_MS_MAX = 24 * 3_600_000;
const SESSION_ID_BYTES = 16;
const SESSION_ID_HEADER = "mcp-session-id";

export interface McpEndpoint {
  /** Throws `not_found` for a session that there is not, `bad_content_type`, `bad_request`. */
  answer(request: Request, connection: Caller): Promise<Response>;
  /** Ends every session. */
  close(): Promise<void>;
  readonly sessionCount: number;
}

interface Session {
  /** Of the token that opened it. */
  owner: string;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  end(): Promise<void>;
}

export function createMcpEndpoint(gateway: GatewayContext, swarm: () => SwarmSettings): McpEndpoint {
  const sessions = new Map<string, Session>();
  const endStreams = (): void => {
    for (const { transport } of sessions.values()) transport.closeStandaloneSSEStream();
  };
  gateway.closing.addEventListener("abort", endStreams, { once: true });

  async function begin(request: Request, connection: Caller): Promise<Session> {
    await makeRoom(sessions, gateway.clock.monotonic());
    const sessionId = randomHex(SESSION_ID_BYTES);
    const caller = sessionCaller(connection, request.headers.get(SESSION_HEADER) ?? undefined, sessionId);
    // Loaded by the first session: most gateways, and every short run, have none.
    const { openSession } = await import("./session.ts");
    const { transport, server } = await openSession(
      { gateway, caller, swarm },
      {
        sessionId,
        begun: () => void sessions.set(sessionId, session),
        ended: () => void sessions.delete(sessionId),
      },
    );
    const session: Session = {
      owner: connection.sessionKey,
      transport,
      usedAt: gateway.clock.monotonic(),
      async end() {
        sessions.delete(sessionId);
        await server.close();
      },
    };
    return session;
  }

  return {
    async answer(request, connection) {
      refuseType(request);
      const sessionId = request.headers.get(SESSION_ID_HEADER);
      if (sessionId === null) return opening(await begin(request, connection), request);
      const session = sessions.get(sessionId);
      // Somebody else's session is not there.
      if (session?.owner !== connection.sessionKey) throw noSession();
      session.usedAt = gateway.clock.monotonic();
      return streamed(await session.transport.handleRequest(request));
    },
    async close() {
      gateway.closing.removeEventListener("abort", endStreams);
      await Promise.all([...sessions.values()].map((session) => session.end()));
    },
    get sessionCount() {
      return sessions.size;
    },
  };
}

/** The first request of a session; one that is no `initialize` is refused by the transport and leaves nothing. */
async function opening(session: Session, request: Request): Promise<Response> {
  const response = await session.transport.handleRequest(request);
  if (session.transport.sessionId === undefined) await session.end();
  return streamed(response);
}

/** As every route: what a form of a page can send is not read. */
function refuseType({ method, headers }: Request): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (method === "POST" && type !== "application/json") {
    throw fault("bad_content_type", "The body has to be application/json.");
  }
}

function noSession(): Error {
  return fault("not_found", "There is no such MCP session; the gateway may have been restarted.", {
    next: `Initialize a new session; with the same ${SESSION_HEADER} header it sees what it spawned before.`,
  });
}

async function makeRoom(sessions: Map<string, Session>, now: number): Promise<void> {
  const oldest = [...sessions.values()].sort((a, b) => a.usedAt - b.usedAt);
  const surplus = Math.max(0, sessions.size - MCP_SESSIONS_MAX + 1);
  const over = oldest.filter(({ usedAt }, index) => index < surplus || now - usedAt > MCP_IDLE_MS_MAX);
  for (const session of over) await session.end();
}

/** Said in so many words, the transfer encoding makes the adapter send the head at once, before the first event. */
function streamed(response: Response): Response {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const headers = new Headers(response.headers);
  headers.set("transfer-encoding", "chunked");
  return new Response(response.body, { status: response.status, headers });
}
