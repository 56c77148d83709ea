// Server and transport of one session, connected. Loads the protocol, which takes a while.

import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { HTTP_BODY_BYTES_MAX } from "../../contract/limits.ts";
import { replayStore } from "./replay.ts";
import { createMcpServer } from "./server.ts";
import type { McpContext } from "./tool.ts";

export interface SessionLife {
  sessionId: string;
  /** The client has introduced itself. */
  begun(): void;
  /** The client has said that it is done. */
  ended(): void;
}

export async function openSession(
  context: McpContext,
  { sessionId, begun, ended }: SessionLife,
): Promise<{ server: McpServer; transport: WebStandardStreamableHTTPServerTransport }> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => sessionId,
    onsessioninitialized: begun,
    onsessionclosed: ended,
    eventStore: replayStore(),
    maxRequestBodySize: HTTP_BODY_BYTES_MAX,
  });
  const server = createMcpServer(context);
  await server.connect(transport);
  return { server, transport };
}
