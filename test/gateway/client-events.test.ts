import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../src/contract/clock.ts";
import type { SwarmEvent } from "../../src/contract/events.ts";
import { FRAME_CHARS_MAX, newFrameParser, SILENCE_MS_MAX } from "../../src/gateway/client/events.ts";
import { createClient, type GatewayClient } from "../../src/gateway/client.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { EagerClock } from "../support/eager-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type TestGateway, testGateway } from "../support/test-gateway.ts";

const SEED = 20_261_130;

async function withRun(
  here: TestGateway,
  clock: Clock = new EagerClock(),
): Promise<{ client: GatewayClient; runId: string }> {
  const client = createClient({ url: here.gateway.url, token: here.gateway.token, clock });
  onTestFinished(() => client.close());
  const { run } = await client.submit({ script: "return 1" });
  return { client, runId: run.runId };
}

test("I-002 a stream that is cut 100 times at random bytes gives each event once and in order", async () => {
  const here = await testGateway({ gateway: { allowedHosts: ["127.0.0.1"] } });
  const { runId } = await withRun(here);
  const total = 2_000;
  for (let index = 1; index < total; index += 1) here.runtime.note(runId, `${index}`.repeat((index % 7) + 1));
  const cuts = fc.sample(fc.integer({ min: 0, max: 8_000 }), { seed: SEED, numRuns: 100 });
  // The heads of an answer are some 450 bytes, so that many connections are cut before their first event.
  const proxy = await cuttingProxy(here.gateway.port, (connection) => cuts[connection] ?? Number.POSITIVE_INFINITY);
  const client = createClient({ url: proxy.url, token: here.gateway.token, clock: new EagerClock() });
  const seen: number[] = [];
  for await (const event of client.events({ runId })) {
    seen.push(event.seq);
    if (seen.length === total) break;
  }
  client.close();
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  expect(proxy.connections()).toBeGreaterThan(50);
});

test("I-002 events go on over a restart of the gateway, and those in between are not missed", async () => {
  const here = await testGateway();
  const clock = new ManualClock();
  const { client, runId } = await withRun(here, clock);
  const events = client.events({ runId })[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ seq: 1 });
  const next = events.next();
  await restartedWithNews(here, runId, clock);
  expect((await next).value).toMatchObject({ seq: 2, text: "while it was down" });
  await events.return?.();
});

test("I-002 a stream of everything that was cut before its first event begins where it had begun", async () => {
  const here = await testGateway();
  const clock = new ManualClock();
  const { client, runId } = await withRun(here, clock);
  const events = client.events()[Symbol.asyncIterator]();
  const next = events.next();
  await expect.poll(() => here.clock.timerCount).toBe(1);
  await restartedWithNews(here, runId, clock);
  expect((await next).value).toMatchObject({ text: "while it was down" });
  await events.return?.();
});

test("I-005 events end with gateway_unreachable when the gateway stays away", async () => {
  const here = await testGateway();
  const { client, runId } = await withRun(here);
  const events = client.events({ runId })[Symbol.asyncIterator]();
  await events.next();
  const next = events.next();
  const outcome = expect(next).rejects.toMatchObject({ code: "gateway_unreachable" });
  await here.gateway.close();
  await outcome;
});

test("I-005 events of a run that does not exist are not_found, and are not asked for again", async () => {
  const { client } = await withRun(await testGateway());
  const events = client.events({ runId: "run_nobody" })[Symbol.asyncIterator]();
  await expect(events.next()).rejects.toMatchObject({ code: "not_found" });
});

test("I-002 a break and an abort both end the stream at the gateway", async () => {
  const here = await testGateway();
  const { client, runId } = await withRun(here);
  for await (const _event of client.events({ runId })) break;
  await expect.poll(() => here.runtime.listenerCount).toBe(0);
  const controller = new AbortController();
  const seen: SwarmEvent[] = [];
  const following = (async () => {
    for await (const event of client.events({ runId, signal: controller.signal })) seen.push(event);
  })();
  await expect.poll(() => seen.length).toBe(1);
  controller.abort();
  await following;
  await expect.poll(() => here.runtime.listenerCount).toBe(0);
});

test("I-002 a stream without a byte for three heartbeats is cut and begun again", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\nid: 5\n\n\r\n"));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const clock = new ManualClock();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, token: "t", clock });
  const controller = new AbortController();
  const next = client.events({ signal: controller.signal })[Symbol.asyncIterator]().next();
  // In small steps, because the connections between them are made in real time.
  const step = (): number => {
    clock.advance(SILENCE_MS_MAX / 20);
    return connections;
  };
  await expect.poll(step, { interval: 5, timeout: 30_000 }).toBeGreaterThan(2);
  controller.abort();
  expect((await next).done).toBe(true);
  client.close();
});

test("I-002 frames come out the same in whatever pieces their text comes in", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => JSON.stringify(text));
  const frames = fc.array(fc.record({ id: fc.nat(), data: line }), { maxLength: 20 });
  fc.assert(
    fc.property(frames, fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 50 }), (given, sizes) => {
      const text = given.map(({ id, data }) => `id: ${id}\nevent: x\ndata: ${data}\n\n: heartbeat\n\n`).join("");
      const parse = newFrameParser();
      const found = [];
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
        found.push(...parse(text.slice(at, at + size)));
        at += size;
      }
      const events = found.filter((frame) => frame.data !== "");
      expect(events).toEqual(given.map(({ id, data }) => ({ id: `${id}`, data })));
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("I-002 a frame without end is refused at its bound", () => {
  const parse = newFrameParser();
  parse("data: ".padEnd(FRAME_CHARS_MAX, "x"));
  expect(() => parse("x")).toThrow(expect.objectContaining({ code: "internal" }));
});

/** Stops the gateway, commits an event, starts it again, and lets the client's time pass until it is back. */
async function restartedWithNews(here: TestGateway, runId: string, clock: ManualClock): Promise<void> {
  await here.gateway.close();
  here.runtime.note(runId, "while it was down");
  const { runtime, settings, gateway } = here;
  await testGateway({ runtime, dataDir: settings.dataDir, gateway: { port: gateway.port } });
  const step = (): number => {
    clock.advance(100);
    return runtime.listenerCount;
  };
  await expect.poll(step).toBe(1);
}
