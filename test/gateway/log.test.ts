import { expect, test } from "vitest";
import { createLog, framesOf, LOG_TEXT_CHARS_MAX, safeText } from "../../src/gateway/log.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { send, testGateway } from "../support/test-gateway.ts";

const CANARY = "canary-7f3a";

test("I-005 a request is one JSON line with id, method, route, status, code and milliseconds", async () => {
  const { gateway, lines } = await testGateway();
  const answer = await send(gateway, "/v1/runs/run_nobody?x=1");
  const row = JSON.parse(lines.at(-1) ?? "") as object;
  expect(row).toMatchObject({
    msg: "request",
    request: answer.headers["x-request-id"],
    method: "GET",
    route: "/v1/runs/:id",
    status: 404,
    code: "not_found",
    ms: expect.any(Number),
    time: 1_800_000_000_000,
  });
});

test("I-005 the log holds no token, no prompt, no script, no id and no path of what was asked", async () => {
  const { gateway, settings, lines } = await testGateway();
  await send(gateway, "/v1/runs", { body: { script: `return "${CANARY}"`, args: CANARY } });
  await send(gateway, "/v1/runs", { body: { script: `${CANARY} )` } });
  await send(gateway, "/v1/runs", { body: `{"${CANARY}"` });
  await send(gateway, "/v1/children", { body: { task: CANARY, collect: true, label: CANARY, groupId: CANARY } });
  await send(gateway, `/v1/groups/${CANARY}`);
  await send(gateway, `/${CANARY}?q=${CANARY}`);
  await send(gateway, "/v1/runs", { token: false, headers: { authorization: `Bearer ${CANARY}` } });
  await send(gateway, "/v1/runs", { headers: { host: CANARY } });
  await send(gateway, "/v1/backup", { body: { path: `/${CANARY}` } });
  const text = lines.join("");
  expect(lines.length).toBeGreaterThan(9);
  for (const secret of [CANARY, gateway.token, settings.dataDir]) expect(text).not.toContain(secret);
});

test("I-005 an unexpected error is logged with where it came from and answered without its message", async () => {
  const { gateway, runtime, lines } = await testGateway();
  runtime.runs = () => Promise.reject(new TypeError(`cannot read ${CANARY} of /secret/file`));
  const answer = await send(gateway, "/v1/runs");
  expect([answer.status, answer.json]).toEqual([500, expect.objectContaining({ code: "internal" })]);
  expect(answer.text).not.toContain(CANARY);
  const row = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "unexpected error");
  expect(row).toMatchObject({ request: answer.headers["x-request-id"], at: expect.stringContaining("log.test.ts:") });
  expect(lines.join("")).not.toContain(CANARY);
  expect(row.at).not.toContain("/");
});

test("I-005 control, ESC and bidi characters are shown as escapes, and long text is cut", () => {
  const lines: string[] = [];
  const log = createLog("info", new ManualClock(), (line) => void lines.push(line));
  log("info", "a\u001b[2Jb\u202ec\u2066d\u0085e\nf", { text: "x\u0000\u200f", count: 1, long: "y".repeat(5_000) });
  const raw = lines.join("").trimEnd();
  expect(raw).toMatch(/^[\x20-\x7e…]*$/);
  const row = JSON.parse(raw);
  expect([row.msg, row.text]).toEqual(["a\\u001b[2Jb\\u202ec\\u2066d\\u0085e\\u000af", "x\\u0000\\u200f"]);
  expect(row.long.length).toBe(LOG_TEXT_CHARS_MAX + 1);
  expect(safeText("plain text, äöü, 日本")).toBe("plain text, äöü, 日本");
});

test("I-005 the level decides what is written", () => {
  const lines: string[] = [];
  const log = createLog("warn", new ManualClock(), (line) => void lines.push(line));
  log("info", "no");
  log("debug", "no");
  log("warn", "yes");
  log("error", "yes");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["yes", "yes"]);
});

test("I-005 frames of a stack keep names and lines and lose folders", () => {
  const error = new Error("secret");
  error.stack = [
    "Error: secret /a/b",
    "    at run (/private/place/file.ts:10:5)",
    "    at async Object.next (file:///private/place/other.ts:7:1)",
    "    at /private/place/third.ts:3:2",
  ].join("\n");
  expect(framesOf(error)).toBe("run file.ts:10 < Object.next other.ts:7 < third.ts:3");
  expect(framesOf("no error")).toBe("");
});
