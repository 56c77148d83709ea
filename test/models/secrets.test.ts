// Keys go to the provider and the origin they belong to, and nowhere else: not to another address, not along
// a redirect, not into a message, a step or a prompt.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { secretOf } from "../../src/contract/model-settings.ts";
import { guardedFetch, KEY_PLACEHOLDER } from "../../src/models/send/guarded-fetch.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";
import type { Reply } from "../support/model-server/wire.ts";
import { PLACES, rig } from "./support.ts";

const CANARY = "canary-4be1d7a90c";
const VARIABLES = ["OPENAI", "ANTHROPIC", "OPENROUTER", "GEMINI", "REQUESTY", "GROQ", "TOGETHER", "MISTRAL", "XAI"];
const ENV = Object.fromEntries(
  [...VARIABLES, "OPENAI_COMPATIBLE", "OLLAMA"].map((name) => [`${name}_API_KEY`, `${CANARY}-${name}`]),
);

/** Providers echo keys in their errors; this one does it in every way it can. */
const TELLTALES: [string, Reply][] = [
  ["401", { status: 401, error: "wrong key" }],
  ["404", { status: 404, error: "wrong model" }],
  ["500", { status: 500, error: "out of order" }],
  ["a dropped connection", { text: "something that breaks off", ends: "drop" }],
  ["an answer", { text: "an answer" }],
  ["a payload that does not fit", { calls: [{ name: "structured_output", input: { no: 1 } }] }],
];

test.each(TELLTALES)("keys stand in no outcome, step or prompt after %s", async (_what, reply) => {
  for (const provider of Object.keys(PLACES)) {
    const { server, runner, work, recorded, clock } = await rig({ env: ENV });
    const key = `${CANARY}-${provider.toUpperCase().replace("-", "_")}`;
    const telling = reply.error === undefined ? reply : { ...reply, error: `${reply.error}: you sent ${key}, ${key}!` };
    server.script(...Array.from({ length: 5 }, () => telling));
    const schema = reply.calls ? { type: "object", required: ["yes"] } : undefined;
    const running = runner.run(work({ model: `${provider}:m`, schema }));
    const seen = inspect([await running, recorded, clock.pausesMs], { depth: 20, showHidden: true });
    expect(seen, provider).not.toContain(CANARY);
    expect(JSON.stringify(server.requests.map(({ body }) => body)), provider).not.toContain(CANARY);
    expect(JSON.stringify(server.requests[0]?.headers), provider).toContain(key);
  }
});

test("a missing or refused model names variables, never values", async () => {
  const { runner } = await rig({ env: { OPENAI_API_KEY: CANARY } });
  for (const model of ["groq:m", "nobody:m", "a b"]) {
    try {
      runner.check(model);
    } catch (error) {
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(CANARY);
    }
  }
  expect(inspect(runner, { depth: 20, showHidden: true })).not.toContain(CANARY);
});

async function server(): Promise<ModelServer> {
  const made = await startModelServer();
  onTestFinished(() => made.close());
  return made;
}

function keyFor(provider: string | undefined, origin: string) {
  return { secret: secretOf(CANARY), provider, origin };
}

const HEADERS = { authorization: `Bearer ${KEY_PLACEHOLDER}` };

test("B-017 a key is not sent to another origin, whoever asks for it", async () => {
  const home = await server();
  const other = await server();
  const fetchHome = guardedFetch({ provider: "openai", origin: home.url, key: keyFor("openai", home.url) });
  await expect(fetchHome(`${other.url}/v1/responses`, { headers: HEADERS })).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining(`not to ${home.url}`),
  });
  const fetchOther = guardedFetch({ provider: "openai", origin: other.url, key: keyFor("openai", home.url) });
  await expect(fetchOther(`${other.url}/v1/responses`, { headers: HEADERS })).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining(`belongs to ${home.url}`),
  });
  expect([...home.requests, ...other.requests]).toEqual([]);
});

test("B-017 A-037 a key is not sent to another provider at the same origin", async () => {
  const home = await server();
  const fetchAs = guardedFetch({ provider: "anthropic", origin: home.url, key: keyFor("openai", home.url) });
  await expect(fetchAs(`${home.url}/v1/messages`, { headers: HEADERS })).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining("a key of openai was to be sent to anthropic"),
  });
  expect(home.requests).toEqual([]);
});

test("A-039 a key whose giver named no provider goes to any at its origin", async () => {
  const home = await server();
  home.script({ text: "ok" });
  const send = guardedFetch({ provider: "openai", origin: home.url, key: keyFor(undefined, home.url) });
  const body = JSON.stringify({ model: "m" });
  const response = await send(`${home.url}/v1/responses`, { method: "POST", headers: HEADERS, body });
  await response.text();
  expect(home.requests[0]?.headers.authorization).toBe(`Bearer ${CANARY}`);
});

test("B-017 a redirect is not followed, so that no key goes along", async () => {
  const elsewhere = await server();
  const redirecting = createServer((_request, response) => {
    response.writeHead(307, { location: `${elsewhere.url}/v1/responses` }).end();
  });
  await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void redirecting.close(() => resolve())));
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  const { runner, work } = await rig({ env: { OPENAI_COMPATIBLE_API_KEY: CANARY, OPENAI_COMPATIBLE_BASE_URL: url } });
  const outcome = await runner.run(work({ model: "openai-compatible:m" }));
  expect(outcome).toMatchObject({ status: "failed", errorCode: "credential_refused", retryable: false });
  expect(outcome.status === "failed" && outcome.error).toContain("answered with a redirect (307)");
  expect(elsewhere.requests).toEqual([]);
});
