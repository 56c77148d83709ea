// MCP over standard input and output, with the SDK's own client: the built command against real gateways.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { type Place, start, startGateway, startNode } from "./support/command.ts";
import { folderWith } from "./support/folder.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

function place(): Place {
  const cwd = folderWith({});
  return { cwd, dataDir: `${cwd}/data` };
}

/** Closed, with its process, when the test is over. */
async function connected({ cwd, dataDir }: Place, ...args: string[]): Promise<Client> {
  const env = { PATH: process.env.PATH ?? "", HOME: cwd, QUICKSWARM_DATA_DIR: dataDir };
  const command = { command: process.execPath, args: [MAIN, "mcp", ...args], env, cwd };
  const transport = new StdioClientTransport({ ...command, stderr: "ignore" });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Waited {
  completed: { runId: string; status: string; result: string }[];
  pending: string[];
  pendingDetail: { runId: string; label?: string; status: string }[];
  errors: { runId: string; error: string }[];
}

async function call<Value>(client: Client, name: string, args: { [name: string]: unknown }): Promise<Value> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent as Value;
}

async function spawn(client: Client, label: string, model = "offline:echo"): Promise<string> {
  return (await call<{ runId: string }>(client, "sessions_spawn", { task: `work of ${label}`, label, model })).runId;
}

test("I-001 S-011 S-012 over stdio, without a gateway, three agents are spawned and waited for to the last", async () => {
  const client = await connected(place());
  const ids = [await spawn(client, "a"), await spawn(client, "b"), await spawn(client, "c")];
  const done: string[] = [];
  let pending = ids;
  while (pending.length > 0) {
    const answer = await call<Waited>(client, "agents_wait", { ids: pending });
    for (const { runId, status, result } of answer.completed) {
      expect([status, result.length > 0]).toEqual(["done", true]);
      done.push(runId);
    }
    pending = answer.pending;
  }
  expect(done.sort()).toEqual(ids.sort());
});

test("I-001 a script is run over stdio, and a mistake in it is told with its place", async () => {
  const client = await connected(place());
  const script = "const texts = await Promise.all(args.map((one) => agents.run(one)));\nreturn texts.length;";
  const { run } = await call<{ run: { runId: string } }>(client, "swarm_run", { script, args: ["x", "y"] });
  const ended = await call(client, "swarm_wait", { runId: run.runId });
  expect(ended).toMatchObject({ ended: true, run: { state: "done", result: 2 }, census: { done: 2 }, live: [] });
  const wrong = await client.callTool({ name: "swarm_run", arguments: { script: "const a = 1;\nreturn a +;" } });
  expect(wrong.isError).toBe(true);
  expect(JSON.stringify(wrong.content)).toMatch(/script_syntax.*script\.js:2:11/);
});

test("I-001 S-011 B-037 a wait that is over says what each agent is doing, and another session sees none of it", async () => {
  const at = place();
  await startGateway(at);
  const [client, stranger] = [await connected(at), await connected(at)];
  const id = await spawn(client, "slow one", "offline:hang");
  const late = await call<Waited>(client, "agents_wait", { ids: [id], timeoutSeconds: 0.2 });
  expect(late).toMatchObject({
    completed: [],
    pending: [id],
    pendingDetail: [{ runId: id, label: "slow one", status: "running" }],
  });
  const foreign = await call<Waited>(stranger, "agents_wait", { ids: [id], timeoutSeconds: 0.2 });
  expect(foreign.errors).toEqual([{ runId: id, error: "not_found" }]);
});

test("I-001 R-004 a gateway that is killed and started again in the middle of a wait changes nothing for the client", async () => {
  const at = place();
  const gateway = await startGateway(at);
  const { port } = new URL(gateway.url);
  const client = await connected(at);
  const id = await spawn(client, "survivor", "offline:slow");
  const answer = call<Waited>(client, "agents_wait", { ids: [id] });
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  const again = start(at, ["gateway", "--port", port]);
  await again.says("answers at");
  expect((await answer).completed).toMatchObject([{ runId: id, status: "done" }]);
  const { children } = await call<{ children: { runId: string }[] }>(client, "subagents", {});
  expect(children.map(({ runId }) => runId)).toEqual([id]);
});

test("I-001 a bridge whose gateway was part of another bridge goes on with one of its own when that ends", async () => {
  const at = place();
  const first = await connected(at);
  const second = await connected(at);
  const id = await spawn(second, "orphan");
  await first.close();
  expect((await call<Waited>(second, "agents_wait", { ids: [id] })).completed).toMatchObject([{ runId: id }]);
});

test("I-001 S-014 a session with a name sees after its own end what it spawned", async () => {
  const at = place();
  const first = await connected(at, "--session", "my-harness");
  const id = await spawn(first, "kept");
  await first.close();
  const second = await connected(at, "--session", "my-harness");
  expect((await call<Waited>(second, "agents_wait", { ids: [id] })).completed).toMatchObject([{ runId: id }]);
});

test("I-001 nothing but protocol is written to stdout, a line that is none is answered, and the end of the input ends it", async () => {
  const at = place();
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const mcp = startNode(at, ["-e", FEED, process.execPath, MAIN, JSON.stringify(initialize)]);
  const { code, out } = await mcp.ended;
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(lines).toHaveLength(2);
  expect(lines.find(({ id }) => id === null)).toMatchObject({ error: { code: -32_700 } });
  expect(lines.find(({ id }) => id === 1)).toMatchObject({
    result: { serverInfo: { name: "quickswarm", version: JSON.parse(readFileSync("package.json", "utf8")).version } },
  });
});

/** Ends the input of the command when it has answered twice. */
const FEED = `
const { spawn } = require("node:child_process");
const [node, main, message] = process.argv.slice(1);
const child = spawn(node, [main, "mcp"], { stdio: ["pipe", "pipe", "inherit"] });
let lines = 0;
child.stdout.on("data", (chunk) => {
  process.stdout.write(chunk);
  lines += String(chunk).split("\\n").length - 1;
  if (lines === 2) child.stdin.end();
});
child.on("close", (code) => { process.exitCode = code; });
child.stdin.write("no json\\n" + message + "\\n");
`;
