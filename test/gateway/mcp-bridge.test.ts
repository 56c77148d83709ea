// The bridge from one MCP client to the gateway: what it does when an answer is cut, a session is lost, and
// the gateway stays away.

import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { fault } from "../../src/contract/fault.ts";
import { type McpBridge, type Message, openMcpBridge } from "../../src/gateway/client/mcp.ts";
import { createClient, type GatewayClient } from "../../src/gateway/client.ts";
import { testGateway } from "../support/test-gateway.ts";
import { untilWaiting } from "./mcp-client.ts";

type Sends = Pick<GatewayClient, "mcp">;

interface Bridged {
  bridge: McpBridge;
  delivered: Message[];
  renewals: () => number;
}

async function bridged(client: () => Sends): Promise<Bridged> {
  const delivered: Message[] = [];
  let renewals = 0;
  const bridge = openMcpBridge({
    clock: systemClock,
    client,
    async renew() {
      renewals += 1;
    },
    session: "bridge-test",
    deliver: (message) => void delivered.push(message),
  });
  onTestFinished(() => bridge.close());
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  await bridge.take({ jsonrpc: "2.0", id: 0, method: "initialize", params } as Message);
  await bridge.take({ jsonrpc: "2.0", method: "notifications/initialized" } as Message);
  expect(delivered.splice(0)).toMatchObject([{ id: 0, result: { serverInfo: { name: "quickswarm" } } }]);
  return { bridge, delivered, renewals: () => renewals };
}

function tool(id: number, name: string, args: Message["params"] = {}): Message {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } } as Message;
}

function clientOf(gateway: { url: string; token: string }): GatewayClient {
  const client = createClient(gateway);
  onTestFinished(() => client.close());
  return client;
}

test("I-001 a spawn whose answer was cut is sent again and starts nothing twice", async () => {
  const { gateway, runtime } = await testGateway();
  const client = clientOf(gateway);
  let cuts = 1;
  const cutting: Sends = {
    async mcp(message, headers, signal) {
      const response = await client.mcp(message, headers, signal);
      if (!JSON.stringify(message).includes("tools/call") || cuts === 0) return response;
      cuts -= 1;
      for await (const _chunk of response);
      throw fault("gateway_unreachable", "cut");
    },
  };
  const { bridge, delivered } = await bridged(() => cutting);
  await bridge.take(tool(1, "sessions_spawn", { task: "once" }));
  expect([cuts, delivered]).toEqual([0, [expect.objectContaining({ id: 1, result: expect.anything() })]]);
  const { rows } = await runtime.children({ sessionKey: "", operator: true }, {}, {});
  expect(rows).toHaveLength(1);
});

test("I-001 an event whose answer was cut is not sent again, and the answer says that it may have arrived", async () => {
  const { gateway, runtime } = await testGateway();
  const client = clientOf(gateway);
  let isCutting = false;
  const cutting: Sends = {
    async mcp(message, headers, signal) {
      const response = await client.mcp(message, headers, signal);
      if (!isCutting) return response;
      for await (const _chunk of response);
      throw fault("gateway_unreachable", "cut");
    },
  };
  const { bridge, delivered } = await bridged(() => cutting);
  await bridge.take(tool(1, "swarm_run", { script: "return 1" }));
  const { run } = (delivered.pop() as { result: { structuredContent: { run: { runId: string } } } }).result
    .structuredContent;
  isCutting = true;
  await bridge.take(tool(2, "swarm_send_event", { runId: run.runId, name: "go" }));
  expect(delivered).toEqual([
    expect.objectContaining({
      id: 2,
      error: expect.objectContaining({ message: expect.stringContaining("may have") }),
    }),
  ]);
  expect(runtime.sentEvents).toHaveLength(1);
});

test("I-001 S-014 after a restart of the gateway a wait goes on in the same session, and is answered once", async () => {
  const first = await testGateway();
  let client = clientOf(first.gateway);
  const { bridge, delivered } = await bridged(() => client);
  await bridge.take(tool(1, "sessions_spawn", { task: "long" }));
  const { runId } = (delivered.pop() as { result: { structuredContent: { runId: string } } }).result.structuredContent;
  await first.gateway.close();
  const { runtime } = first;
  const second = await testGateway({ runtime, dataDir: first.settings.dataDir });
  client = clientOf(second.gateway);
  const waited = bridge.take(tool(2, "agents_wait", { ids: [runId] }));
  await untilWaiting({ runtime });
  runtime.endChild(runId, "survived");
  await waited;
  expect(delivered).toEqual([expect.objectContaining({ id: 2, result: expect.anything() })]);
  expect(JSON.stringify(delivered)).toContain("survived");
});

test("I-001 a request is answered with an error that says what to do when the gateway refuses the connection", async () => {
  const { gateway } = await testGateway();
  const client = clientOf(gateway);
  const stranger = clientOf({ url: gateway.url, token: "wrong" });
  let used: Sends = client;
  const { bridge, delivered } = await bridged(() => used);
  used = stranger;
  await bridge.take(tool(1, "swarm_status"));
  expect(delivered).toEqual([
    expect.objectContaining({
      id: 1,
      error: expect.objectContaining({ data: expect.objectContaining({ code: "unauthorized" }) }),
    }),
  ]);
});

test("I-001 a gateway that stays away is looked for again, and the request is answered then", async () => {
  const { gateway } = await testGateway();
  const client = clientOf(gateway);
  let isAway = false;
  const leaving: Sends = {
    mcp: (message, headers, signal) => {
      if (isAway) return Promise.reject(fault("gateway_unreachable", "away"));
      return client.mcp(message, headers, signal);
    },
  };
  const { bridge, delivered, renewals } = await bridged(() => leaving);
  isAway = true;
  const lost = bridge.take(tool(1, "swarm_status"));
  while (renewals() === 0) await new Promise((resolve) => setImmediate(resolve));
  isAway = false;
  await lost;
  expect(delivered.splice(0)).toEqual([expect.objectContaining({ id: 1, result: expect.anything() })]);
});

test("I-001 a cancelled wait is ended in the gateway and not answered", async () => {
  const { gateway, runtime } = await testGateway();
  const client = clientOf(gateway);
  const { bridge, delivered } = await bridged(() => client);
  await bridge.take(tool(1, "sessions_spawn", { task: "long" }));
  const { runId } = (delivered.pop() as { result: { structuredContent: { runId: string } } }).result.structuredContent;
  const waited = bridge.take(tool(2, "agents_wait", { ids: [runId] }));
  await untilWaiting({ runtime });
  const params = { requestId: 2, reason: "enough" };
  await bridge.take({ jsonrpc: "2.0", method: "notifications/cancelled", params } as Message);
  await waited;
  while (runtime.waitCount > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(delivered).toEqual([]);
});
