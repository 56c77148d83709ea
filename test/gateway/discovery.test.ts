import { once } from "node:events";
import { readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findGateway, isGone, PROBE_TIMEOUT_MS } from "../../src/gateway/discovery.ts";
import { gatewayFilePath, readGatewayFile, writeGatewayFile } from "../../src/gateway/gateway-file.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { send, tempFolder, testGateway } from "../support/test-gateway.ts";

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test("I-003 a running gateway is found by its data directory, and no more after its close", async () => {
  const { gateway, settings } = await testGateway();
  expect(await modeOf(gatewayFilePath(settings.dataDir))).toBe(0o600);
  const found = await findGateway(settings.dataDir);
  expect(found).toMatchObject({ url: gateway.url, token: gateway.token, pid: process.pid, version: "0.0.0" });
  await gateway.close();
  expect(await findGateway(settings.dataDir)).toBeUndefined();
  expect(await readdir(settings.dataDir)).toEqual(["token"]);
});

test("I-003 a close leaves the file of a gateway that came after it", async () => {
  const { gateway, settings } = await testGateway();
  const file = await readGatewayFile(settings.dataDir);
  if (!file) throw new Error("no file");
  const later = { ...file, instance: "0123456789abcdef" };
  await writeGatewayFile(settings.dataDir, later);
  await gateway.close();
  expect(await readGatewayFile(settings.dataDir)).toEqual(later);
});

test("I-003 a file that names a dead process is no gateway", async () => {
  const { settings, gateway } = await testGateway();
  const file = await readGatewayFile(settings.dataDir);
  if (!file) throw new Error("no file");
  // The highest process id that Linux gives out is far below this.
  await writeGatewayFile(settings.dataDir, { ...file, pid: 2_000_000_000 });
  expect(await findGateway(settings.dataDir)).toBeUndefined();
  expect((await send(gateway, "/v1/runs")).status).toBe(200);
});

test("I-003 a port that another gateway answers on now is not mistaken for the one in the file", async () => {
  const other = await testGateway();
  const dataDir = await tempFolder();
  const file = await readGatewayFile(other.settings.dataDir);
  if (!file) throw new Error("no file");
  await writeGatewayFile(dataDir, { ...file, instance: "0123456789abcdef" });
  expect(await findGateway(dataDir)).toBeUndefined();
});

test("I-003 a port that something else answers on is no gateway, and neither is a closed one", async () => {
  const dataDir = await tempFolder();
  const stranger = createServer((_incoming, outgoing) => outgoing.end("hello")).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const { port } = stranger.address() as AddressInfo;
  const file = { url: `http://127.0.0.1:${port}`, pid: process.pid, startedAt: 1, version: "1", instance: "i" };
  await writeGatewayFile(dataDir, file);
  expect(await findGateway(dataDir)).toBeUndefined();
  stranger.close();
  stranger.closeAllConnections();
  await once(stranger, "close");
  expect(await findGateway(dataDir)).toBeUndefined();
});

test("I-005 a gateway that lives and does not answer is named with its process, and is not counted as none", async () => {
  const dataDir = await tempFolder();
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await writeGatewayFile(dataDir, { url, pid: process.pid, startedAt: 1, version: "1", instance: "i" });
  const clock = new ManualClock();
  const found = findGateway(dataDir, { clock });
  const outcome = expect(found).rejects.toMatchObject({
    code: "gateway_unreachable",
    message: expect.stringContaining(`process ${process.pid}, does not answer`),
    next: expect.stringContaining(`kill -CONT ${process.pid}`),
  });
  await once(silent, "request");
  clock.advance(PROBE_TIMEOUT_MS);
  await outcome;
});

test("I-003 a gateway that closed, died or was followed by another one is gone", async () => {
  const { settings, gateway } = await testGateway();
  const found = await findGateway(settings.dataDir);
  if (!found) throw new Error("none found");
  expect(await isGone(settings.dataDir, found)).toBe(false);
  await writeGatewayFile(settings.dataDir, { ...found, pid: 2_000_000_000 });
  expect(await isGone(settings.dataDir, found)).toBe(true);
  await writeGatewayFile(settings.dataDir, { ...found, instance: "0123456789abcdef" });
  expect(await isGone(settings.dataDir, found)).toBe(true);
  await writeGatewayFile(settings.dataDir, found);
  await gateway.close();
  expect(await isGone(settings.dataDir, found)).toBe(true);
});

test.each(["", "{", "null", "[]", '{"url":"not a url","pid":1}', '{"url":"http://127.0.0.1:1"}'])(
  "I-003 a gateway file that is none is no gateway: %s",
  async (text) => {
    const dataDir = await tempFolder();
    await writeFile(gatewayFilePath(dataDir), text);
    expect(await findGateway(dataDir)).toBeUndefined();
  },
);
