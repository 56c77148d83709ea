import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/contract/clock.ts";
import { ANSWER_TIMEOUT_MS } from "../../src/gateway/client/http.ts";
import { RECONNECT_TRIES_MAX } from "../../src/gateway/client/retry.ts";
import { createClient, type GatewayClient } from "../../src/gateway/client.ts";
import { EagerClock } from "../support/eager-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type TestGateway, type TestGatewayOptions, testGateway } from "../support/test-gateway.ts";

const faultCode = (code: string): unknown => expect.objectContaining({ name: "Fault", code });

function clientOf({ gateway }: TestGateway, clock = systemClock): GatewayClient {
  const client = createClient({ url: gateway.url, token: gateway.token, clock });
  onTestFinished(() => client.close());
  return client;
}

/** Ends with the test; answers every connection with `text` and counts them. */
async function rawServer(text: string): Promise<{ url: string; connections: () => number; server: Server }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on("error", () => {});
    socket.once("data", () => socket.end(text));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => count, server };
}

function answerOf(status: string, body: string, type = "application/problem+json"): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Stops and starts the gateway on its port, with the same runtime behind it. */
async function restart(here: TestGateway, more: TestGatewayOptions = {}): Promise<TestGateway> {
  await here.gateway.close();
  const { runtime, settings, gateway } = here;
  return testGateway({ runtime, dataDir: settings.dataDir, gateway: { port: gateway.port }, ...more });
}

const PASSING_STEP_MS = 100;

/** Lets the client's time pass while it is looked at something else. */
function passing<Value>(clock: ManualClock, value: Value): Value {
  clock.advance(PASSING_STEP_MS);
  return value;
}

test("I-002 every method of the client reaches its route", async () => {
  const here = await testGateway();
  const client = clientOf(here);
  const { run, created } = await client.submit({ script: "return 1", args: { a: 1 } });
  const child = await client.spawn({ task: "t", collect: true, groupId: "a/b ?#%", requesterRunId: run.runId });
  expect([created, child.status]).toEqual([true, "accepted"]);
  expect((await client.run(run.runId)).runId).toBe(run.runId);
  expect((await client.runDetail(run.runId)).children).toHaveLength(1);
  expect((await client.runs({ limit: 5, state: "waiting" })).rows).toHaveLength(1);
  expect((await client.children({ groupId: "a/b ?#%" }, { limit: 1 })).rows[0]?.runId).toBe(child.runId);
  expect((await client.groups()).rows.map((group) => group.groupId)).toEqual(["a/b ?#%"]);
  expect((await client.group("a/b ?#%")).group.total).toBe(1);
  expect((await client.resume(run.runId)).state).toBe("waiting");
  expect(await client.stop(child.runId, "enough")).toEqual({ stopped: child.runId, cancelledChildren: 1 });
  expect((await client.wait([child.runId], 5)).completed[0]?.status).toBe("killed");
  expect((await client.stop(run.runId)).stopped).toBe(run.runId);
  expect((await client.runEnded(run.runId)).state).toBe("killed");
  expect((await client.backup("/x")).bytes).toBe(2);
  expect((await client.health()).version).toBe("0.0.0");
});

test("I-005 the gateway's fault arrives as it was, with place and details", async () => {
  const client = clientOf(await testGateway());
  await expect(client.submit({ script: "return )", fileName: "bad.js" })).rejects.toMatchObject({
    name: "Fault",
    code: "script_syntax",
    place: { file: "bad.js", line: 1 },
    next: expect.stringContaining("submit it again"),
  });
  await expect(client.submit({ script: "" })).rejects.toMatchObject({
    code: "bad_request",
    details: { issues: [{ path: "body.script", message: expect.any(String) }] },
  });
});

test("I-005 a wrong token is unauthorized", async () => {
  const { gateway } = await testGateway();
  const client = createClient({ url: gateway.url, token: "wrong-wrong-wrong" });
  await expect(client.runs()).rejects.toEqual(faultCode("unauthorized"));
  client.close();
});

test("I-005 where nothing answers, the gateway is unreachable and the address is named", async () => {
  const here = await testGateway();
  const client = clientOf(here);
  await here.gateway.close();
  await expect(client.submit({ script: "return 1" })).rejects.toEqual(faultCode("gateway_unreachable"));
  await expect(client.runs()).rejects.toThrow(here.gateway.url);
});

test("I-005 a code that this client does not know is internal, with the gateway's words", async () => {
  const body = JSON.stringify({ code: "from_the_future", detail: "New trouble.", next: "Do the new thing." });
  const { url } = await rawServer(answerOf("418 x", body));
  const client = createClient({ url, token: "t" });
  await expect(client.runs()).rejects.toMatchObject({
    code: "internal",
    message: "New trouble.",
    next: "Do the new thing.",
  });
  client.close();
});

test.each([
  ["a page of something else", answerOf("404 Not Found", "<html>", "text/html")],
  ["an answer that is no JSON", answerOf("200 OK", "<html>", "text/html")],
  ["a problem that is none", answerOf("500 x", "null")],
])("I-005 %s is no gateway, and what came is told", async (_name, text) => {
  const { url } = await rawServer(text);
  const client = createClient({ url, token: "t" });
  await expect(client.runs()).rejects.toMatchObject({
    code: "gateway_unreachable",
    message: expect.stringMatching(/is no quickswarm gateway: HTTP status \d+, \S+, it begins "(<html>|null)"/),
  });
  client.close();
});

test.each(["HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{", "garbage\r\n\r\n", ""])(
  "I-005 an answer that is cut or no HTTP is gateway_unreachable: %j",
  async (text) => {
    const { url } = await rawServer(text);
    const client = createClient({ url, token: "t" });
    await expect(client.runs()).rejects.toEqual(faultCode("gateway_unreachable"));
    client.close();
  },
);

test("I-005 an address that is no URL of the web is refused by its type", () => {
  for (const url of ["", "127.0.0.1:7976", "ftp://x", "file:///etc/passwd"]) {
    expect(() => createClient({ url, token: "t" })).toThrow(expect.objectContaining({ code: "option_type" }));
  }
});

test("I-002 a gateway that hangs is given up after the named time", async () => {
  const server = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const clock = new ManualClock();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, token: "t", clock });
  const asked = client.runs();
  const outcome = expect(asked).rejects.toThrow(`within ${ANSWER_TIMEOUT_MS / 1_000} seconds`);
  await once(server, "connection");
  clock.advance(ANSWER_TIMEOUT_MS);
  await outcome;
  expect(clock.timerCount).toBe(0);
  client.close();
});

test("I-002 a kept connection that the gateway has closed meanwhile is replaced", async () => {
  const body = '{"rows":[]}';
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    let requests = 0;
    socket.on("error", () => {});
    // The second request on a connection finds it dead.
    socket.on("data", () => {
      requests += 1;
      if (requests > 1) socket.resetAndDestroy();
      else socket.write(answerOf("200 OK", body, "application/json"));
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "t" });
  for (let time = 0; time < 4; time += 1) expect(await client.runs()).toEqual({ rows: [] });
  expect(connections).toBeGreaterThan(1);
  client.close();
});

test("I-002 the wait for a run's end goes on over a restart of the gateway", async () => {
  const here = await testGateway();
  const clock = new ManualClock();
  const client = clientOf(here, clock);
  const { run } = await client.submit({ script: "return 1" });
  const ended = client.runEnded(run.runId);
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  const again = await restart(here);
  await expect.poll(() => passing(clock, again.runtime.waitCount)).toBe(1);
  here.runtime.endRun(run.runId, "after all");
  expect((await ended).result).toBe("after all");
});

test("I-002, S-011 a wait goes on over a restart of the gateway with the time that is left", async () => {
  const here = await testGateway();
  const clock = new ManualClock();
  const client = clientOf(here, clock);
  const { runId } = await client.spawn({ task: "t", collect: true });
  const startedMs = clock.monotonic();
  const waited = client.wait([runId], 100);
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  const again = await restart(here);
  clock.advance(30_000);
  await expect.poll(() => passing(clock, again.runtime.waitCount)).toBe(1);
  // What the client has spent on the way is part of the hundred seconds; the gateway's own clock stood still.
  const leftMs = 100_000 - (clock.monotonic() - startedMs);
  expect(leftMs).toBeLessThan(70_000);
  here.clock.advance(leftMs + PASSING_STEP_MS);
  expect(await waited).toMatchObject({ completed: [], pending: [runId] });
});

test("I-002 waits end at once when their signal aborts", async () => {
  const here = await testGateway();
  const client = clientOf(here);
  const { run } = await client.submit({ script: "return 1" });
  const { runId } = await client.spawn({ task: "t", collect: true });
  const controller = new AbortController();
  const waits = [client.runEnded(run.runId, controller.signal), client.wait([runId], 60, controller.signal)];
  await expect.poll(() => here.runtime.waitCount).toBe(2);
  controller.abort();
  for (const wait of waits) await expect(wait).rejects.toThrow("aborted");
  await expect.poll(() => here.runtime.waitCount).toBe(0);
});

test("I-002 a wait gives up when the gateway stays away, after a bounded number of tries", async () => {
  const here = await testGateway();
  const clock = new EagerClock();
  const client = clientOf(here, clock);
  const { run } = await client.submit({ script: "return 1" });
  const ended = client.runEnded(run.runId);
  const outcome = expect(ended).rejects.toEqual(faultCode("gateway_unreachable"));
  await expect.poll(() => here.runtime.waitCount).toBe(1);
  await here.gateway.close();
  await outcome;
  expect(clock.pausesMs.length).toBe(RECONNECT_TRIES_MAX);
});

test("I-002 waits and streams end without another try when the gateway is known to be gone", async () => {
  const here = await testGateway();
  const { url, token } = here.gateway;
  const clock = new EagerClock();
  let gone = false;
  const client = createClient({ url, token, clock, isGone: async () => gone });
  onTestFinished(() => client.close());
  const { run } = await client.submit({ script: "return 1" });
  const child = await client.spawn({ task: "t", collect: true });
  const following = client.events({ runId: run.runId })[Symbol.asyncIterator]();
  await following.next();
  const ends = [client.runEnded(run.runId), client.wait([child.runId], 60), following.next()];
  const outcomes = ends.map((end) => expect(end).rejects.toEqual(faultCode("gateway_unreachable")));
  await expect.poll(() => here.runtime.waitCount).toBe(2);
  gone = true;
  await here.gateway.close();
  await Promise.all(outcomes);
  expect(clock.pausesMs).toEqual([]);
});

test("I-005 a run that does not exist is not asked for twice", async () => {
  const client = clientOf(await testGateway());
  await expect(client.runEnded("run_nobody")).rejects.toEqual(faultCode("not_found"));
});
