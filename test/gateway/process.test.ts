import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { fault } from "../../src/contract/fault.ts";
import { tokenPath } from "../../src/gateway/gateway-file.ts";
import { startGateway } from "../../src/gateway/listen.ts";
import { keepToken } from "../../src/gateway/token.ts";
import { MemoryRuntime } from "../support/memory-runtime.ts";
import { readSse } from "../support/sse-reader.ts";
import { open, send, tempFolder, testGateway, testSettings } from "../support/test-gateway.ts";

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const faultCode = (code: string): unknown => expect.objectContaining({ name: "Fault", code });

test("I-002 the first start makes a token of 256 bits that only its owner reads; later starts keep it", async () => {
  const dataDir = join(await tempFolder(), "new");
  const first = await testGateway({ dataDir });
  expect(first.gateway.token).toMatch(/^[0-9a-f]{64}$/);
  expect([await modeOf(tokenPath(dataDir)), await modeOf(dataDir)]).toEqual([0o600, 0o700]);
  await first.gateway.close();
  const second = await testGateway({ dataDir });
  expect(second.gateway.token).toBe(first.gateway.token);
});

test("I-002 many first starts at once agree on one token and leave no drafts", async () => {
  const dataDir = await tempFolder();
  const tokens = await Promise.all(Array.from({ length: 20 }, () => keepToken(dataDir)));
  expect(new Set(tokens).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(["token"]);
});

test("I-002 a token file that others can read is closed to them", async () => {
  const dataDir = await tempFolder();
  const token = await keepToken(dataDir);
  await chmod(tokenPath(dataDir), 0o644);
  expect([await keepToken(dataDir), await modeOf(tokenPath(dataDir))]).toEqual([token, 0o600]);
});

test("I-005 a damaged token file is an error that says what to do, and is not replaced", async () => {
  const dataDir = await tempFolder();
  await writeFile(tokenPath(dataDir), "");
  await expect(keepToken(dataDir)).rejects.toEqual(faultCode("unauthorized"));
  expect(await readFile(tokenPath(dataDir), "utf8")).toBe("");
});

test("I-002 a token from the settings is used and not stored", async () => {
  const token = "given-by-the-operator";
  const { gateway, settings } = await testGateway({ gateway: { token } });
  expect(
    (await send(gateway, "/v1/runs", { token: false, headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(200);
  expect(await readdir(settings.dataDir)).toEqual(["gateway.json"]);
});

test("I-005 a port in use is refused with its number, and nothing was opened", async () => {
  const { gateway } = await testGateway();
  const settings = testSettings(await tempFolder(), { port: gateway.port });
  let opened = 0;
  const openRuntime = async (): Promise<MemoryRuntime> => {
    opened += 1;
    return new MemoryRuntime(systemClock);
  };
  const started = startGateway({ ...settings, logLevel: "silent" }, openRuntime);
  await expect(started).rejects.toEqual(faultCode("port_in_use"));
  await expect(started).rejects.toThrow(String(gateway.port));
  expect(opened).toBe(0);
});

test("I-005 the same gateway started twice is told that it runs, and where", async () => {
  const { gateway, settings } = await testGateway();
  const again = { ...settings, gateway: { ...settings.gateway, port: gateway.port }, logLevel: "silent" as const };
  const started = startGateway(again, async () => new MemoryRuntime(systemClock));
  await expect(started).rejects.toEqual(faultCode("database_locked"));
  await expect(started).rejects.toThrow(gateway.url);
});

test("I-005 an address that is not this machine's is an error of the settings", async () => {
  const settings = testSettings(await tempFolder(), { host: "192.0.2.1" });
  const started = startGateway({ ...settings, logLevel: "silent" }, async () => new MemoryRuntime(systemClock));
  await expect(started).rejects.toEqual(faultCode("config_invalid"));
});

test("I-002 a runtime that does not open gives the port back and leaves no file", async () => {
  const settings = { ...testSettings(await tempFolder()), logLevel: "silent" as const };
  const started = startGateway(settings, () => Promise.reject(fault("database_newer", "from the future")));
  await expect(started).rejects.toEqual(faultCode("database_newer"));
  expect(await readdir(settings.dataDir)).toEqual(["token"]);
});

test("I-005 while the runtime opens, every request is told to come back", async () => {
  const dataDir = await tempFolder();
  await mkdir(dataDir, { recursive: true });
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const early: { status: number; headers: object; json: unknown }[] = [];
  const settings = { ...testSettings(dataDir, { port }), logLevel: "silent" as const };
  const gateway = await startGateway(settings, async () => {
    early.push(await send({ port, token: "x" } as never, "/v1/runs"));
    return new MemoryRuntime(systemClock);
  });
  onTestFinished(() => gateway.close());
  expect(early[0]).toMatchObject({ status: 503, headers: { "retry-after": "1" }, json: { code: "overloaded" } });
});

test("I-002 a close ends streams and waits, answers the waits, and closes the runtime", async () => {
  const { gateway, runtime } = await testGateway();
  const spawned = await send(gateway, "/v1/children", { body: { task: "t", collect: true } });
  const { runId } = spawned.json as { runId: string };
  const run = await send(gateway, "/v1/runs", { body: { script: "return 1" } });
  const stream = await readSse(gateway, "/v1/events");
  await stream.frame();
  const waits = [
    send(gateway, "/v1/wait", { body: { ids: [runId] } }),
    send(gateway, `/v1/runs/${(run.json as { run: { runId: string } }).run.runId}/ended`),
  ];
  await expect.poll(() => runtime.waitCount).toBe(2);
  await gateway.close();
  expect(await stream.frame()).toBeUndefined();
  for (const answer of await Promise.all(waits)) {
    expect([answer.status, answer.json]).toEqual([503, expect.objectContaining({ code: "storage_closed" })]);
  }
  expect([runtime.closed, runtime.listenerCount, runtime.waitCount]).toEqual([true, 0, 0]);
});

test("I-002 a close does not wait longer than its grace for a reader that has stopped reading", async () => {
  const { gateway, runtime, clock } = await testGateway();
  const made = await send(gateway, "/v1/runs", { body: { script: "return 1" } });
  const { runId } = (made.json as { run: { runId: string } }).run;
  for (let index = 0; index < 20_000; index += 1) runtime.note(runId, "x".repeat(1_000));
  const response = await open(gateway, `/v1/runs/${runId}/events`);
  response.on("error", () => {});
  response.pause();
  await expect.poll(() => runtime.pagesRead).toBeGreaterThan(2);
  const closed = gateway.close();
  await expect.poll(() => clock.timerCount).toBe(1);
  clock.advance(2_000);
  await closed;
  expect(runtime.closed).toBe(true);
  response.destroy();
});

test("I-002 a client that hangs up takes its wait with it", async () => {
  const { gateway, runtime, clock, lines } = await testGateway();
  const spawned = await send(gateway, "/v1/children", { body: { task: "t", collect: true } });
  const { runId } = spawned.json as { runId: string };
  const controller = new AbortController();
  const asked = send(gateway, "/v1/wait", { body: { ids: [runId] }, signal: controller.signal });
  await expect.poll(() => runtime.waitCount).toBe(1);
  controller.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => [runtime.waitCount, clock.timerCount]).toEqual([0, 0]);
  await expect.poll(() => lines.join("")).toContain('"status":499');
});

test("I-002 a head that does not come to its end is cut off", async () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, timeoutCheckMs: 20 };
  const { gateway } = await testGateway({ limits });
  const socket = connect(gateway.port, "127.0.0.1");
  socket.write("GET /v1/runs HTTP/1.1\r\nhost: x\r\n");
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 408/);
});

test("I-002 a body that does not come to its end is cut off", async () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, timeoutCheckMs: 20 };
  const { gateway } = await testGateway({ limits });
  const socket = connect(gateway.port, "127.0.0.1");
  socket.write(
    `POST /v1/runs HTTP/1.1\r\nhost: 127.0.0.1:${gateway.port}\r\nauthorization: Bearer ${gateway.token}\r\n` +
      "content-type: application/json\r\ncontent-length: 100\r\n\r\n{",
  );
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 408/);
  expect((await send(gateway, "/v1/runs")).status).toBe(200);
});

test("I-002 a wait outlives the time that a request has to arrive", async () => {
  const limits = { headersTimeoutMs: 50, requestTimeoutMs: 100, timeoutCheckMs: 10, keepAliveTimeoutMs: 50 };
  const { gateway, runtime } = await testGateway({ limits });
  const spawned = await send(gateway, "/v1/children", { body: { task: "t", collect: true } });
  const { runId } = spawned.json as { runId: string };
  const asked = send(gateway, "/v1/wait", { body: { ids: [runId] } });
  await expect.poll(() => runtime.waitCount).toBe(1);
  // Another connection that is too slow shows that the time is over.
  const slow = connect(gateway.port, "127.0.0.1");
  slow.write("GET / HTTP/1.1\r\n");
  slow.resume();
  await once(slow, "close");
  runtime.endChild(runId, "late");
  expect((await asked).json).toMatchObject({ completed: [{ result: "late" }] });
});

test("I-002 the gateway changes no global of the process it runs in", async () => {
  const before = [globalThis.Request, globalThis.Response, globalThis.fetch];
  await testGateway();
  expect([globalThis.Request, globalThis.Response, globalThis.fetch]).toEqual(before);
});
