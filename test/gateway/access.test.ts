import { expect, test } from "vitest";
import { createApp } from "../../src/gateway/app.ts";
import { addressRules } from "../../src/gateway/guard.ts";
import { createMcpEndpoint } from "../../src/gateway/mcp/endpoint.ts";
import { ROUTES } from "../../src/gateway/routes/all.ts";
import { bearerAuthenticator } from "../../src/gateway/token.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryRuntime } from "../support/memory-runtime.ts";
import { type Sent, send, testGateway, testSettings } from "../support/test-gateway.ts";

/** What the router really holds, not what a list says. */
function routedPaths(): [string, string][] {
  const clock = new ManualClock();
  const runtime = new MemoryRuntime(clock);
  const gateway = { runtime, clock, log: () => {}, closing: new AbortController().signal, instance: "i" };
  const app = createApp({
    gateway,
    mcp: createMcpEndpoint(gateway, testSettings("/nowhere").swarmFor.bind(undefined, undefined)),
    rules: addressRules({ host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] }, 1),
    authenticate: bearerAuthenticator([]),
  });
  return app.routes.filter((route) => route.method !== "ALL").map((route) => [route.method, route.path]);
}

const ROUTED = routedPaths();
const GUARDED = ROUTED.filter(([, path]) => path !== "/healthz");

test("I-002 every route of the router is one of the table, and the other way round", () => {
  const table = ROUTES.map((route) => [route.method, route.path]);
  expect(ROUTED).toEqual([...table, ...["GET", "POST", "DELETE"].map((method) => [method, "/mcp"])]);
  expect(ROUTED.length).toBeGreaterThan(15);
});

const BODIES: { [path: string]: object } = { "/v1/approvals/:id": { decision: "approve" } };

const strangers: [string, number, Sent][] = [
  ["no token", 401, { token: false }],
  ["a wrong token", 401, { token: false, headers: { authorization: `Bearer ${"0".repeat(64)}` } }],
  ["the token with another scheme", 401, { token: false, headers: { authorization: "Basic b3BlcmF0b3I6eA==" } }],
  ["a foreign Host", 403, { headers: { host: "rebound.example" } }],
  ["the right name with another port", 403, { headers: { host: "127.0.0.1:1" } }],
  ["a foreign Origin", 403, { headers: { origin: "https://evil.example" } }],
  ["an opaque Origin", 403, { headers: { origin: "null" } }],
  ["a cross-site request", 403, { headers: { "sec-fetch-site": "cross-site" } }],
  ["a same-site request of another port", 403, { headers: { "sec-fetch-site": "same-site" } }],
];

const matrix = GUARDED.flatMap(([method, path]) =>
  strangers.map(([name, status, sent]) => [method, path, name, status, sent] as const),
);

test.each(matrix)("I-002 %s %s refuses %s with %i", async (method, path, _name, status, sent) => {
  const { gateway, runtime } = await testGateway();
  const answer = await send(gateway, path.replace(":id", "run_x"), { method, ...sent });
  expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([status, undefined]);
  expect(answer.json).toMatchObject({ code: status === 401 ? "unauthorized" : "forbidden" });
  expect(runtime.listenerCount + runtime.waitCount).toBe(0);
});

const simple = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", ""];
const posts = GUARDED.filter(([method]) => method === "POST").flatMap(([, path]) =>
  simple.map((type) => [path, type] as const),
);

test.each(posts)("I-002 POST %s refuses the content type '%s' with 415", async (path, type) => {
  const { gateway } = await testGateway();
  const body = '{"script":"return 1"}';
  const answer = await send(gateway, path.replace(":id", "run_x"), { body, headers: { "content-type": type } });
  expect([answer.status, answer.json]).toEqual([415, expect.objectContaining({ code: "bad_content_type" })]);
});

test("I-002 a missing, a wrong and a malformed token get the same answer, byte for byte", async () => {
  const { gateway } = await testGateway();
  const texts = await Promise.all(
    [{}, { authorization: `Bearer ${"0".repeat(64)}` }, { authorization: "Bearer" }, { authorization: "x" }].map(
      async (headers) => {
        const { text, headers: given } = await send(gateway, "/v1/runs", { token: false, headers });
        return [text, given["www-authenticate"], given["content-length"]];
      },
    ),
  );
  for (const answer of texts) expect(answer).toEqual(texts[0]);
});

test("I-002 a token in the URL is no token", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, `/v1/runs?access_token=${gateway.token}`, { token: false });
  expect(answer.status).toBe(401);
});

test("I-002 without a token a path that does not exist is refused like one that does", async () => {
  const { gateway } = await testGateway();
  const [known, unknown] = [
    await send(gateway, "/v1/runs", { token: false }),
    await send(gateway, "/v1/nothing", { token: false }),
  ];
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
});

test.each([
  ["host", "rebound.example"],
  ["origin", "https://evil.example"],
])("I-002 even the open route refuses a foreign %s", async (name, value) => {
  const { gateway } = await testGateway();
  expect((await send(gateway, "/healthz", { token: false, headers: { [name]: value } })).status).toBe(403);
});

test("I-002 the loopback names and the operator's own hosts and origins are let in", async () => {
  const { gateway } = await testGateway({
    gateway: { allowedHosts: ["swarm.example"], allowedOrigins: ["https://dash.example"] },
  });
  const { port } = gateway;
  const good: Sent["headers"][] = [
    { host: `127.0.0.1:${port}` },
    { host: `LOCALHOST:${port}` },
    { host: `[::1]:${port}` },
    { host: "swarm.example" },
    { host: "swarm.example:8443" },
    { origin: `http://localhost:${port}`, "sec-fetch-site": "same-origin" },
    { origin: "https://dash.example" },
    { "sec-fetch-site": "none" },
  ];
  for (const headers of good) {
    const answer = await send(gateway, "/v1/runs", { headers: headers ?? {} });
    expect([headers, answer.status]).toEqual([headers, 200]);
  }
});

test("S-014 another session's runs, children and groups answer as if they did not exist, byte for byte", async () => {
  const token = "b".repeat(64);
  const { gateway } = await testGateway({ callers: [{ token, caller: { sessionKey: "other", operator: false } }] });
  const made = await send(gateway, "/v1/runs", { body: { script: "return 1" } });
  const { runId } = (made.json as { run: { runId: string } }).run;
  const other = { token: false, headers: { authorization: `Bearer ${token}` } };
  const byId = GUARDED.filter(([, path]) => path.includes(":id") && !path.startsWith("/v1/groups"));
  for (const [method, path] of byId) {
    // Where a body is asked for, a good one: it is looked at before anything that it is about.
    const body = method === "POST" ? BODIES[path] : undefined;
    const sent = { method, ...other, ...(body && { body }) };
    const foreign = await send(gateway, path.replace(":id", runId), sent);
    const absent = await send(gateway, path.replace(":id", "run_nobody"), sent);
    expect([path, foreign.status, foreign.text]).toEqual([path, 404, absent.text]);
  }
  const list = await send(gateway, "/v1/runs", other);
  expect(list.json).toEqual({ rows: [] });
  const wait = await send(gateway, "/v1/wait", { ...other, body: { ids: [runId] } });
  expect(wait.json).toMatchObject({ errors: [{ runId, error: "not_found" }] });
});

test("I-002 a session that is not the operator's writes no backup", async () => {
  const token = "b".repeat(64);
  const { gateway } = await testGateway({ callers: [{ token, caller: { sessionKey: "other", operator: false } }] });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await send(gateway, "/v1/backup", { token: false, headers, body: { path: "/tmp/x.db" } });
  expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ code: "forbidden" })]);
});

test("I-002 every answer, good or bad, carries the safe headers and a request id", async () => {
  const { gateway } = await testGateway();
  const answers = [
    await send(gateway, "/healthz", { token: false }),
    await send(gateway, "/v1/runs"),
    await send(gateway, "/v1/nothing"),
    await send(gateway, "/v1/runs", { token: false }),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-request-id": expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  }
});
