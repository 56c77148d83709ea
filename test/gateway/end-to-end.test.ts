import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { endedAnswerSchema } from "../../src/contract/api.ts";
import type { SwarmEvent } from "../../src/contract/events.ts";
import { runDetailSchema, waitAnswerSchema } from "../../src/contract/records.ts";
import {
  childrenAnswerSchema,
  groupAnswerSchema,
  groupsAnswerSchema,
  healthAnswerSchema,
  runsAnswerSchema,
  spawnAnswerSchema,
  stopAnswerSchema,
  submitAnswerSchema,
} from "../../src/gateway/answers.ts";
import { createClient, type GatewayClient } from "../../src/gateway/client.ts";
import { findGateway } from "../../src/gateway/discovery.ts";
import { openEmbeddedGateway } from "../../src/gateway/embedded.ts";
import { type Gateway, serveGateway } from "../../src/gateway/serve.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { send, tempFolder, testSettings } from "../support/test-gateway.ts";

/** A gateway over the real runtime: SQLite on disk, VMs in worker threads. Ended with the test. */
async function realGateway(dataDir?: string): Promise<{ gateway: Gateway; client: GatewayClient }> {
  const address = { allowedHosts: ["127.0.0.1"] };
  const settings = { ...testSettings(dataDir ?? (await tempFolder()), address), logLevel: "silent" as const };
  const gateway = await serveGateway(settings);
  onTestFinished(() => gateway.close());
  const client = createClient({ url: gateway.url, token: gateway.token });
  onTestFinished(() => client.close());
  return { gateway, client };
}

const FAN_OUT = 'return await Promise.all(["a", "b", "c"].map((name) => agents.run(name, { label: name })))';

test("I-002, S-001 answers of the real runtime are what the schemas say, on every route that has a body", async () => {
  const { gateway, client } = await realGateway();
  const get = async (path: string): Promise<unknown> => (await send(gateway, path)).json;
  const post = async (path: string, body: object): Promise<unknown> => (await send(gateway, path, { body })).json;
  const { run } = submitAnswerSchema.parse(await post("/v1/runs", { script: FAN_OUT, groupId: "g" }));
  const ended = endedAnswerSchema.parse(await get(`/v1/runs/${run.runId}/ended`));
  expect([ended.ended, ended.run.state]).toEqual([true, "done"]);
  const spawned = spawnAnswerSchema.parse(await post("/v1/children", { task: "d", collect: true, groupId: "h" }));
  const waited = waitAnswerSchema.parse(await post("/v1/wait", { ids: [spawned.runId, "agt_nobody"] }));
  expect(waited.completed.map((child) => child.status)).toEqual(["done"]);
  expect(runsAnswerSchema.parse(await get("/v1/runs")).rows).toHaveLength(1);
  expect(runDetailSchema.parse(await get(`/v1/runs/${run.runId}/detail`)).children).toHaveLength(3);
  expect(childrenAnswerSchema.parse(await get(`/v1/children?runId=${run.runId}&limit=2`)).rows).toHaveLength(2);
  expect(
    groupsAnswerSchema
      .parse(await get("/v1/groups"))
      .rows.map((row) => row.groupId)
      .sort(),
  ).toEqual(["g", "h"]);
  expect(groupAnswerSchema.parse(await get("/v1/groups/g")).group.counts.done).toBe(3);
  healthAnswerSchema.parse(await get("/v1/health"));
  const asleep = await client.submit({ script: 'await sleep("1h")' });
  stopAnswerSchema.parse(await post(`/v1/runs/${asleep.run.runId}/stop`, {}));
  expect((await client.runEnded(asleep.run.runId)).state).toBe("killed");
});

test("I-002 a run's stream is the same over a connection that keeps being cut as over one that is not", async () => {
  const { gateway, client } = await realGateway();
  const cutAfter = (connection: number): number => (connection < 20 ? 500 + connection * 50 : 1e9);
  const proxy = await cuttingProxy(gateway.port, cutAfter);
  const cut = createClient({ url: proxy.url, token: gateway.token });
  onTestFinished(() => cut.close());
  const { run } = await client.submit({ script: `log("begin"); ${FAN_OUT}` });
  const [viaProxy, direct] = await Promise.all([wholeRun(cut, run.runId), wholeRun(client, run.runId)]);
  expect(viaProxy).toEqual(direct);
  expect(direct.map((event) => event.seq)).toEqual(
    [...new Set(direct.map((event) => event.seq))].sort((a, b) => a - b),
  );
  expect(direct.filter((event) => event.type === "child.ended")).toHaveLength(3);
  expect(proxy.connections()).toBeGreaterThan(3);
});

test("I-003 an embedded gateway is found from outside while it runs", async () => {
  const dataDir = await tempFolder();
  const embedded = await openEmbeddedGateway({ ...testSettings(dataDir), logLevel: "silent" });
  const found = await findGateway(dataDir);
  expect(found?.url).toBe(embedded.url);
  const outside = createClient({ url: found?.url ?? "", token: found?.token ?? "" });
  const { run } = await outside.submit({ script: "return 6 * 7" });
  expect((await embedded.client.runEnded(run.runId)).result).toBe(42);
  outside.close();
  await embedded.close();
  expect(await findGateway(dataDir)).toBeUndefined();
});

test("I-005 a second gateway on the same data directory is refused, and the first one goes on", async () => {
  const dataDir = await tempFolder();
  const { client } = await realGateway(dataDir);
  await expect(openEmbeddedGateway({ ...testSettings(dataDir), logLevel: "silent" })).rejects.toMatchObject({
    code: "database_locked",
  });
  expect((await client.health()).storage.ok).toBe(true);
  expect(await findGateway(dataDir)).toBeDefined();
});

test("I-002, R-004 a client waits for a run's end over kill -9 of the gateway", async () => {
  const dataDir = await tempFolder();
  const first = await gatewayProcess(dataDir, 0);
  const port = Number(new URL(first.url).port);
  const client = createClient({ url: first.url, token: (await findGateway(dataDir))?.token ?? "" });
  onTestFinished(() => client.close());
  const { run } = await client.submit({ script: 'return await agents.run("x", { model: "offline:slow" })' });
  const ended = client.runEnded(run.runId);
  await expect.poll(async () => (await client.runDetail(run.runId)).children[0]?.status).toBe("running");
  first.process.kill("SIGKILL");
  await once(first.process, "exit");
  const second = await gatewayProcess(dataDir, port);
  expect(await ended).toMatchObject({ state: "done", result: expect.stringContaining("[offline]") });
  expect((await client.runDetail(run.runId)).children[0]?.attempts).toBe(2);
  second.process.kill("SIGTERM");
  expect(await once(second.process, "exit")).toEqual([0, null]);
});

test("I-002 told to end, the gateway's process exits by itself, with streams and waits open", async () => {
  const dataDir = await tempFolder();
  const { process: child, url } = await gatewayProcess(dataDir, 0);
  const client = createClient({ url, token: (await findGateway(dataDir))?.token ?? "" });
  onTestFinished(() => client.close());
  const { run } = await client.submit({ script: 'await sleep("1h")' });
  const controller = new AbortController();
  const ended = client.runEnded(run.runId, controller.signal);
  const events = client.events({ runId: run.runId, signal: controller.signal })[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: "run.created" });
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  controller.abort();
  await expect(ended).rejects.toThrow();
  await events.return?.();
  expect(await findGateway(dataDir)).toBeUndefined();
});

async function wholeRun(client: GatewayClient, runId: string): Promise<SwarmEvent[]> {
  const events: SwarmEvent[] = [];
  for await (const event of client.events({ runId })) {
    events.push(event);
    if (event.type === "run.ended") break;
  }
  return events;
}

async function gatewayProcess(dataDir: string, port: number): Promise<{ process: ChildProcess; url: string }> {
  const { swarmFor, ...settings } = testSettings(dataDir, { port });
  const text = JSON.stringify({ ...settings, logLevel: "error", swarm: swarmFor(undefined) });
  const program = fileURLToPath(new URL("../fixtures/gateway-process.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, text], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  return { process: child, url: String(line).trim() };
}
