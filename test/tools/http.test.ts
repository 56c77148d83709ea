// Tools of a server that is spoken to over HTTP, tools of the host itself, and how many calls run at once.

import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import type { HostTool } from "../../src/tools/host-tool.ts";
import { fixtureProgram, rig, SECRET } from "./support.ts";

interface Seen {
  method: string;
  authorization: string | undefined;
}

/** An MCP server over Streamable HTTP with one tool, `echo`, and sessions. */
async function httpServer(): Promise<{ url: string; seen: Seen[]; changeTools(): Promise<void> }> {
  const seen: Seen[] = [];
  const names = ["echo"];
  const servers: Server[] = [];
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const server = new Server({ name: "web", version: "1" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler("tools/list", () => ({
      tools: names.map((name) => ({ name, inputSchema: { type: "object" as const } })),
    }));
    server.setRequestHandler("tools/call", ({ params }) => ({
      content: [{ type: "text", text: `${params.name} over HTTP` }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${transports.size}`,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await server.connect(transport);
    servers.push(server);
    return transport;
  };
  const listener = getRequestListener(async (request) => {
    seen.push({ method: request.method, authorization: request.headers.get("authorization") ?? undefined });
    const id = request.headers.get("mcp-session-id");
    const transport = (id === null ? undefined : transports.get(id)) ?? (await open());
    return transport.handleRequest(request);
  });
  const server: HttpServer = createServer((request: IncomingMessage, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const transport of transports.values()) await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    changeTools: async () => {
      names.push("later");
      for (const one of servers) await one.sendToolListChanged();
    },
  };
}

const signal = new AbortController().signal;

test("a server over HTTP gets its headers with every request, and its session is ended at the close", async () => {
  const { url, seen } = await httpServer();
  const { host, call } = rig({ web: { url, headers: { Authorization: `Bearer ${SECRET}` } } });
  expect(await call("web.echo")).toEqual({ ok: true, text: "echo over HTTP" });
  await host.close();
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${SECRET}`]));
  expect(seen.at(-1)?.method).toBe("DELETE");
});

test("a server that says that its tools changed is asked for them again", async () => {
  const server = await httpServer();
  const { host } = rig({ web: { url: server.url } });
  const names = async () =>
    (await host.offer({ allowed: undefined, asked: ["web.*"] }, signal)).map(({ name }) => name);
  expect(await names()).toEqual(["echo"]);
  await server.changeTools();
  await expect.poll(names, { timeout: 30_000 }).toEqual(["echo", "later"]);
});

test("a server over HTTP that is not there is named with the reason, and without its address", async () => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const { call } = rig({ web: { url: `http://127.0.0.1:${port}/mcp` } });
  expect(await call("web.echo")).toEqual({
    ok: false,
    code: "tool_unavailable",
    message: 'The server "web" is not there: nothing answers at its address.',
  });
});

function hostTool(changes: Partial<HostTool> & { name: string }): HostTool {
  return { description: "", inputSchema: { type: "object" }, run: () => "done", ...changes };
}

test("a tool of the host is called like one of a server, with its key and attempt", async () => {
  const seen: object[] = [];
  const add = hostTool({
    name: "add",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    run: ({ n }, { idempotencyKey, attempt }) => {
      seen.push({ idempotencyKey, attempt });
      return { total: Number(n) + 1 };
    },
  });
  const { host, call } = rig({}, { tools: [add] });
  expect(host.servers()).toEqual(["host"]);
  expect(await call("host.add", { n: 2 })).toEqual({ ok: true, text: '{"total":3}', value: { total: 3 } });
  expect(await call("host.add", {})).toMatchObject({ code: "tool_arguments" });
  expect(seen).toEqual([{ idempotencyKey: "key-1", attempt: 1 }]);
});

test("B-018 S-010 a tool of the host that throws, and one that needs approval", async () => {
  const { call, clock } = rig(
    {},
    {
      tools: [
        hostTool({
          name: "bad",
          run: () => {
            throw new Error(`/etc/${SECRET}`);
          },
        }),
        hostTool({ name: "ask", approval: true }),
        hostTool({ name: "slow", timeoutMs: 100, run: () => new Promise(() => {}) }),
      ],
    },
  );
  expect(await call("host.bad")).toEqual({
    ok: false,
    code: "tool_failed",
    message: "The tool host.bad failed (tool_failed).",
  });
  expect(await call("host.ask")).toMatchObject({ code: "approval_required" });
  const slow = call("host.slow");
  await expect.poll(() => clock.timerCount, { timeout: 30_000 }).toBe(1);
  clock.advance(100);
  expect(await slow).toMatchObject({ code: "tool_timeout" });
});

test("a name of a tool of the host that is none, or stands twice, is refused", () => {
  expect(() => rig({}, { tools: [hostTool({ name: "a b" })] })).toThrow('tools: the name "a b" is not of letters');
  expect(() => rig({}, { tools: [hostTool({ name: "a" }), hostTool({ name: "a" })] })).toThrow(
    'the name "a" stands twice',
  );
});

test("L10 no more calls run at once than tools.maxConcurrentCalls, and one that waits can be aborted", async () => {
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const hold = hostTool({
    name: "hold",
    run: async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      return "";
    },
  });
  const { call } = rig({}, { tools: [hold], more: { maxConcurrentCalls: 2 } });
  const stop = new AbortController();
  const calls = [call("host.hold"), call("host.hold"), call("host.hold")];
  const aborted = call("host.hold", {}, { signal: stop.signal });
  stop.abort(new DOMException("stopped", "AbortError"));
  await expect(aborted).rejects.toThrow("stopped");
  await expect.poll(() => running, { timeout: 30_000 }).toBe(2);
  for (let ended = 0; ended < 3; ended++) {
    await expect.poll(() => ends.length, { timeout: 30_000 }).toBeGreaterThan(0);
    ends.shift()?.();
  }
  expect(await Promise.all(calls)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  expect(most).toBe(2);
});

test("G-002 what a call asks for is cut to what its agent may use; what is not there or not allowed is an error", async () => {
  const tools = [hostTool({ name: "read" }), hostTool({ name: "write" })];
  const { host } = rig({ files: fixtureProgram().config }, { tools });
  const offered = async (allowed: string[] | undefined, asked: string[] | undefined) =>
    (await host.offer({ allowed, asked }, signal)).map(({ server, name }) => `${server}.${name}`);
  expect(await offered(undefined, undefined)).toEqual([]);
  expect(await offered(["host.*"], undefined)).toEqual(["host.read", "host.write"]);
  expect(await offered(["host.read"], ["host.*"])).toEqual(["host.read"]);
  expect(await offered(undefined, ["host.write", "files.echo"])).toEqual(["host.write", "files.echo"]);
  expect(await offered([], undefined)).toEqual([]);
  await expect(offered(["host.read"], ["host.write"])).rejects.toMatchObject({ code: "tool_not_allowed" });
  await expect(offered(["host.*"], ["host.wirte"])).rejects.toMatchObject({ code: "tool_unknown" });
  await expect(offered(undefined, ["nowhere.x"])).rejects.toMatchObject({ code: "tool_unknown" });
  expect(() => host.check({ allowed: undefined, asked: ["read"] })).toThrow('There is no tool "read"');
});
