// Sessions of MCP over HTTP: who they are, how they begin and end, and streams that are cut.

import { expect, test } from "vitest";
import { MCP_SESSIONS_MAX } from "../../src/gateway/mcp/endpoint.ts";
import { open, send, testGateway } from "../support/test-gateway.ts";
import { call, mcpClient, untilWaiting } from "./mcp-client.ts";

test("S-014 a named session is the same after it connects again, and its key does not tell its name", async () => {
  const { gateway } = await testGateway();
  const session = "harness-session-1";
  const first = await mcpClient({ url: gateway.url, token: gateway.token, session });
  const { runId, sessionKey } = await call(first, "sessions_spawn", { task: "t" });
  expect(sessionKey).not.toContain(session);
  await first.close();
  const again = await mcpClient({ url: gateway.url, token: gateway.token, session });
  expect(await call(again, "subagents")).toMatchObject({ children: [{ runId }] });
  const impostor = await mcpClient({ url: gateway.url, token: gateway.token, session: String(sessionKey) });
  expect(await call(impostor, "subagents")).toMatchObject({ children: [] });
});

test("I-001 a client that looks for a newer protocol first is served as well", async () => {
  const { gateway } = await testGateway();
  const client = await mcpClient({ url: gateway.url, token: gateway.token, negotiation: "auto" });
  expect(await call(client, "swarm_status")).toEqual({ runs: [] });
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const ACCEPT = { accept: "application/json, text/event-stream" };

test("I-001 a stream that was cut goes on behind the last event that was seen", async () => {
  const made = await testGateway();
  const { gateway, runtime } = made;
  const begun = await send(gateway, "/mcp", { body: INITIALIZE, headers: ACCEPT });
  const headers = { ...ACCEPT, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
  const versioned = { ...headers, "mcp-protocol-version": "2025-11-25" };
  await send(gateway, "/mcp", { body: { jsonrpc: "2.0", method: "notifications/initialized" }, headers: versioned });
  const tool = (id: number, name: string, args: object) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const spawned = await send(gateway, "/mcp", { body: tool(2, "sessions_spawn", { task: "t" }), headers: versioned });
  const runId = /"runId":"(agt_\w+)"/.exec(spawned.text)?.[1] ?? "";
  const cut = await open(gateway, "/mcp", { body: tool(3, "agents_wait", { ids: [runId] }), headers: versioned });
  const [first] = await cut.setEncoding("utf8").take(1).toArray();
  const lastId = /id: (\d+)/.exec(String(first))?.[1] ?? "";
  cut.destroy();
  await untilWaiting(made);
  runtime.endChild(runId, "came later");
  const resumed = await open(gateway, "/mcp", { headers: { ...versioned, "last-event-id": lastId } });
  let text = "";
  for await (const chunk of resumed.setEncoding("utf8")) {
    text += String(chunk);
    if (text.includes("came later")) break;
  }
  expect(text).toContain('"id":3');
});

test("I-001 a session that does not exist is told with 404, and another token's session does not exist", async () => {
  const other = { sessionKey: "other", operator: false };
  const { gateway } = await testGateway({ callers: [{ token: "t".repeat(64), caller: other }] });
  const begun = await send(gateway, "/mcp", { body: INITIALIZE, headers: ACCEPT });
  const sessionId = String(begun.headers["mcp-session-id"]);
  const body = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const asked = async (id: string, token?: string) => {
    const headers = { ...ACCEPT, "mcp-session-id": id, ...(token && { authorization: `Bearer ${token}` }) };
    return (await send(gateway, "/mcp", { body, headers, token: token === undefined })).status;
  };
  expect([await asked(sessionId), await asked("none"), await asked(sessionId, "t".repeat(64))]).toEqual([
    200, 404, 404,
  ]);
});

test("I-001 what begins no session leaves none, and sessions are bounded", async () => {
  const { gateway } = await testGateway();
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await send(gateway, "/mcp", { body, headers: ACCEPT })).status).toBe(400);
  const first = await send(gateway, "/mcp", { body: INITIALIZE, headers: ACCEPT });
  for (let count = 0; count < MCP_SESSIONS_MAX; count++) {
    await send(gateway, "/mcp", { body: INITIALIZE, headers: ACCEPT });
  }
  const headers = { ...ACCEPT, "mcp-session-id": String(first.headers["mcp-session-id"]) };
  expect((await send(gateway, "/mcp", { body, headers })).status).toBe(404);
});

test("I-001 a gateway that closes answers open waits with what is pending, and ends every stream", async () => {
  const { gateway, runtime, clock } = await testGateway();
  const client = await mcpClient(gateway);
  const { runId } = await call(client, "sessions_spawn", { task: "t" });
  const answer = call(client, "agents_wait", { ids: [runId] });
  await untilWaiting({ runtime });
  // The client holds a stream for what the server may say by itself as well.
  await gateway.close();
  expect(await answer).toMatchObject({ completed: [], pending: [runId] });
  expect(runtime.waitCount + clock.timerCount).toBe(0);
});
