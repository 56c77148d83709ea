import { request } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { problemSchema } from "../../src/contract/api.ts";
import { faultRow, isFaultCode } from "../../src/contract/fault.ts";
import { HTTP_BODY_BYTES_MAX, SCRIPT_BYTES_MAX } from "../../src/contract/limits.ts";
import { JSON_DEPTH_MAX } from "../../src/gateway/body.ts";
import type { Gateway } from "../../src/gateway/listen.ts";
import { ROUTES } from "../../src/gateway/routes/all.ts";
import { type Received, send, testGateway } from "../support/test-gateway.ts";

const POSTS = ROUTES.filter((route) => route.method === "POST").map((route) => route.path.replace(":id", "run_x"));
/** An event is any JSON, so its body has no form to miss. */
const STRICT_POSTS = POSTS.filter((path) => !path.endsWith("/events/:name"));
const BY_ID = ROUTES.filter((route) => route.path.includes(":id"));

/** The problem's code, after its form has been checked. */
function codeOf(answer: Received): string {
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  const problem = problemSchema.strict().parse(answer.json);
  expect(isFaultCode(problem.code) && faultRow(problem.code).httpStatus).toBe(answer.status);
  expect([problem.status, problem.type]).toEqual([answer.status, `urn:quickswarm:fault:${problem.code}`]);
  expect(problem.detail.length * problem.next.length * problem.title.length).toBeGreaterThan(0);
  return problem.code;
}

test.each(BY_ID.map((route) => [route.method, route.path]))(
  "I-005 an id that nobody knows is not_found: %s %s",
  async (method, path) => {
    const { gateway } = await testGateway();
    // Ids are looked at after bodies, so this one is right.
    const body = path === "/v1/approvals/:id" && method === "POST" ? { decision: "approve" } : undefined;
    const answer = await send(gateway, path.replace(":id", "run_nobody"), { method, ...(body && { body }) });
    expect(answer.status).toBe(404);
    // A workflow is known by its name, and an unknown one may get a suggestion.
    expect(codeOf(answer)).toBe(path.startsWith("/v1/workflows/") ? "workflow_unknown" : "not_found");
  },
);

test.each(POSTS)("I-005 a body that is no JSON is a bad request: %s", async (path) => {
  const { gateway } = await testGateway();
  expect(codeOf(await send(gateway, path, { body: "{'script': 1" }))).toBe("bad_request");
});

test.each(STRICT_POSTS)("I-005 a body that is JSON and no object is a bad request: %s", async (path) => {
  const { gateway } = await testGateway();
  for (const body of ["null", "[]", '"x"', "7"]) {
    expect(codeOf(await send(gateway, path, { body }))).toBe("bad_request");
  }
});

test.each(STRICT_POSTS)("I-005 a field that nobody knows is a bad request that names it: %s", async (path) => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, path, { body: { surprise: 1 } });
  expect(codeOf(answer)).toBe("bad_request");
  expect(answer.text).toContain("surprise");
});

test.each(POSTS)("I-005 a body that is declared too large is refused before it is sent: %s", async (path) => {
  const { gateway } = await testGateway();
  const { status, text } = await headOnly(gateway, path, { "content-length": String(HTTP_BODY_BYTES_MAX + 1) });
  expect([status, JSON.parse(text)]).toEqual([413, expect.objectContaining({ code: "body_too_large" })]);
});

test("I-005 a body without a declared length is refused once it is too large, while it is sent", async () => {
  const { gateway } = await testGateway();
  const outgoing = request({
    host: "127.0.0.1",
    port: gateway.port,
    path: "/v1/runs",
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
  });
  // As much as may come, and when that has left one byte more; the body is never ended.
  const status = await new Promise((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (response) => resolve(response.statusCode));
    outgoing.write(Buffer.alloc(HTTP_BODY_BYTES_MAX, 32), () => outgoing.write(" "));
  });
  outgoing.destroy();
  expect(status).toBe(413);
});

test("I-005 a script that is too long says so by its own code", async () => {
  const { gateway } = await testGateway();
  const answer = await send(gateway, "/v1/runs", { body: { script: " ".repeat(SCRIPT_BYTES_MAX + 1) } });
  expect(codeOf(answer)).toBe("script_too_large");
});

test("I-005 args of any shape and the deepest allowed nesting pass; one level more is a bad request", async () => {
  const { gateway } = await testGateway();
  const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const post = (args: string): Promise<Received> =>
    send(gateway, "/v1/runs", { body: `{"script":"return 1","args":${args}}` });
  expect((await post(nested(JSON_DEPTH_MAX - 1))).status).toBe(201);
  expect(codeOf(await post(nested(JSON_DEPTH_MAX + 1)))).toBe("bad_request");
  expect(codeOf(await post(nested(1_000_000)))).toBe("bad_request");
});

test("I-005 bytes that are no UTF-8 are a bad request", async () => {
  const { gateway } = await testGateway();
  const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]).toString("latin1");
  const { status } = await headOnly(gateway, "/v1/runs", { "content-length": "5" }, Buffer.from(body, "latin1"));
  expect(status).toBe(400);
});

test.each([
  "/v1/runs?limit=0",
  "/v1/runs?limit=ten",
  "/v1/runs?limit=1&limit=2",
  "/v1/runs?limit=",
  "/v1/runs?state=asleep",
  "/v1/runs?colour=red",
  "/v1/children?status=asleep",
  "/v1/groups?state=done",
  "/v1/runs/run_x/ended?timeoutSeconds=-1",
  "/v1/runs/run_x/ended?timeoutSeconds=601",
  "/v1/events?after=-1",
  "/v1/events?after=1.5",
])("I-005 a query of the wrong type is a bad request: %s", async (path) => {
  const { gateway } = await testGateway();
  expect(codeOf(await send(gateway, path))).toBe("bad_request");
});

test.each(["-1", "x", "1e3", "99999999999999999999"])(
  "I-005 a Last-Event-ID that is no event's number is a bad request: %s",
  async (id) => {
    const { gateway } = await testGateway();
    const answer = await send(gateway, "/v1/events", { headers: { "last-event-id": id } });
    expect(codeOf(answer)).toBe("bad_request");
  },
);

test("I-005 a path that does not exist is not_found", async () => {
  const { gateway } = await testGateway();
  for (const path of ["/", "/v1", "/v1/run", "/v1/runs/", "/v1/runs/a/b/c", "/healthz/", "/%00"]) {
    expect(codeOf(await send(gateway, path))).toBe("not_found");
  }
});

test("I-005 a Host that makes no URL is a bad request, and the gateway goes on", async () => {
  const { gateway } = await testGateway();
  for (const host of ["a b", "[", "127.0.0.1:99999999"]) {
    expect(codeOf(await send(gateway, "/v1/runs", { headers: { host } }))).toBe("bad_request");
  }
  expect((await send(gateway, "/v1/runs")).status).toBe(200);
});

test("I-005 a method that a path does not answer is refused with the ones it does", async () => {
  const { gateway } = await testGateway();
  const put = await send(gateway, "/v1/runs", { method: "PUT" });
  expect([codeOf(put), put.headers.allow]).toEqual(["method_not_allowed", "POST, GET"]);
  const remove = await send(gateway, "/v1/runs/run_x", { method: "DELETE" });
  expect([codeOf(remove), remove.headers.allow]).toEqual(["method_not_allowed", "GET"]);
});

test("I-002 any group id comes through the path as it was", async () => {
  const { gateway } = await testGateway();
  // "." and ".." are what URLs take away, and lone surrogates have no UTF-8.
  const id = fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).filter((text) => !/^\.\.?$/.test(text));
  await fc.assert(
    fc.asyncProperty(id, async (groupId) => {
      await send(gateway, "/v1/children", { body: { task: "t", collect: true, groupId } });
      const answer = await send(gateway, `/v1/groups/${encodeURIComponent(groupId)}`);
      expect(answer.json).toMatchObject({ group: { groupId } });
    }),
    { seed: 20_261_130, numRuns: 300 },
  );
});

test("I-005 no body whatsoever makes the gateway answer with an internal error", async () => {
  const { gateway } = await testGateway();
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((args) => JSON.stringify({ script: "return 1", args })),
    fc.record({ ids: fc.jsonValue(), timeoutSeconds: fc.jsonValue() }).map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...POSTS), async (text, path) => {
      const { status } = await send(gateway, path, { body: text });
      expect(status).toBeLessThan(500);
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
});

/** Sends a head by hand, and a body if there is one; the answer is read until the gateway has sent all of it. */
async function headOnly(
  gateway: Gateway,
  path: string,
  headers: { [name: string]: string },
  body?: Buffer,
): Promise<{ status: number; text: string }> {
  const socket = connect(gateway.port, "127.0.0.1");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${gateway.port}\r\nauthorization: Bearer ${gateway.token}\r\n` +
      `content-type: application/json\r\n${lines.join("")}\r\n`,
  );
  if (body) socket.write(body);
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
    const start = text.indexOf("\r\n\r\n") + 4;
    if (start >= 4 && text.length - start >= length) break;
  }
  return { status: Number(text.slice(9, 12)), text: text.slice(text.indexOf("\r\n\r\n") + 4) };
}
