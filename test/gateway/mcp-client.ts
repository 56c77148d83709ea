// The MCP SDK's own client against a gateway, closed with its test.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { TestGateway } from "../support/test-gateway.ts";

export interface Asked {
  url: string;
  token: string;
  /** The name that its connection gives it; without one it is as new as its session. */
  session?: string;
  negotiation?: "legacy" | "auto";
}

export async function mcpClient({ url, token, session, negotiation }: Asked): Promise<Client> {
  const headers = { authorization: `Bearer ${token}`, ...(session !== undefined && { "quickswarm-session": session }) };
  const client = new Client(
    { name: "test", version: "1" },
    negotiation === undefined ? {} : { versionNegotiation: { mode: negotiation } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** What a tool answered, as data; its fault when it refused. */
export async function call(client: Client, name: string, args: { [name: string]: unknown } = {}): Promise<Answer> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  const value = structuredContent as Answer;
  return isError ? { refused: value.error } : value;
}

export type Answer = { [key: string]: unknown };

/** Resolves when a wait has reached the runtime. */
export async function untilWaiting({ runtime }: Pick<TestGateway, "runtime">): Promise<void> {
  while (runtime.waitCount === 0) await new Promise((resolve) => setImmediate(resolve));
}
