// Teams in a program of their own: over the real provider packages and HTTP, offline, and as the examples ship.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { agency, agencyHost, agent, setLoggerFactory } from "../../src/index.ts";
import { EagerClock } from "../support/eager-clock.ts";
import { type ModelServer, type SeenRequest, startModelServer } from "../support/model-server/server.ts";
import { modelSettings } from "../support/model-settings.ts";
import { testSettings } from "../support/settings.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TRACE = fileURLToPath(new URL("../cli/support/trace-loads.mjs", import.meta.url));
const PAUSE_MS_MAX = 100_000;

async function served(otherwise: (request: SeenRequest) => object, env: { [name: string]: string } = KEYS) {
  const server = await startModelServer({ otherwise });
  onTestFinished(() => server.close());
  return { server, host: hostFor(server, env) };
}

const KEYS = { OPENAI_API_KEY: "key-openai", ANTHROPIC_API_KEY: "key-anthropic" };

function hostFor(server: ModelServer, env: { [name: string]: string }) {
  const providers = {
    openai: { baseUrl: `${server.url}/openai/v1` },
    anthropic: { baseUrl: `${server.url}/anthropic/v1` },
  };
  const models = modelSettings(env, { providers });
  const settings = testSettings("unused", { models, defaultModel: "offline:echo" });
  return agencyHost({ settings, clock: new EagerClock(PAUSE_MS_MAX), log: () => {} });
}

function sent(server: ModelServer): string[] {
  return server.requests.map((request) => JSON.stringify(request.body));
}

test("A-007 A-062 a team of two vendors over HTTP: each member has its own provider and key, and the chair merges", async () => {
  const { server, host } = await served(({ wire }) => ({ text: `from ${wire}`, usage: { input: 100, output: 10 } }));
  const team = agency(
    {
      provider: "openai",
      model: "gpt-4.1",
      strategy: "parallel",
      agents: {
        one: { instructions: "Be one." },
        two: { model: "anthropic:claude-opus-4-5", instructions: "Be two." },
      },
    },
    host,
  );
  const result = await team.generate("Review.");
  expect(result.agentCalls.map(({ agent, provider, model, output }) => [agent, provider, model, output])).toEqual([
    ["one", "openai", "gpt-4.1", "from openai-responses"],
    ["two", "anthropic", "claude-opus-4-5", "from anthropic"],
  ]);
  expect(result).toMatchObject({ text: "from openai-responses", usage: { promptTokens: 300, totalTokens: 330 } });
  expect(result.usage.costUSD).toBeCloseTo(2 * (100 * 2 + 10 * 8) * 1e-6 + (100 * 5 + 10 * 25) * 1e-6, 10);
  const keys = server.requests.map(({ headers }) => headers.authorization ?? headers["x-api-key"]);
  expect(keys.sort()).toEqual(["Bearer key-openai", "Bearer key-openai", "key-anthropic"]);
  expect(sent(server).some((body) => body.includes("Be two."))).toBe(true);
});

test.each(["openai:gpt-4.1", "anthropic:claude-opus-4-5"])(
  "A-083 B-010 a manager on %s delegates over the wire and reads what came back",
  async (model) => {
    const steps: object[] = [
      { calls: ["a", "b"].map((name) => ({ name: `delegate_to_${name}`, input: { task: `do ${name}` } })) },
      { text: "merged" },
    ];
    const { server, host } = await served(({ body }) => {
      return JSON.stringify(body).includes("delegate_to_") ? (steps.shift() ?? {}) : { text: "done so" };
    });
    const result = await agency({ model, strategy: "hierarchical", agents: { a: {}, b: {} } }, host).generate("Go.");
    expect(result.text).toBe("merged");
    expect(result.agentCalls.map(({ agent, input, output }) => [agent, input, output])).toEqual([
      ["a", "do a", "done so"],
      ["b", "do b", "done so"],
    ]);
    expect(sent(server).at(-1)?.split("done so")).toHaveLength(3);
  },
);

test("A-021 A-053 a member whose provider fails is answered by another, and the record says so", async () => {
  const { host } = await served(({ wire }) =>
    wire === "anthropic" ? { text: "I can." } : { status: 402, error: "no funds" },
  );
  const result = await agency({ agents: { a: { model: "openai:gpt-4.1" } } }, host).generate("Go.");
  expect(result.agentCalls[0]).toMatchObject({
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    fallback: { from: "openai:gpt-4.1", reason: "http 402" },
  });
});

test("A-055 with an empty fallbackProviders nobody stands in, for one agent and for one call", async () => {
  const { server, host } = await served(() => ({ status: 402, error: "no funds" }));
  const pinned = agent({ model: "openai:gpt-4.1", fallbackProviders: [] }, host);
  await expect(pinned.generate("Go.")).rejects.toMatchObject({ name: "Fault", code: "provider_failed" });
  await expect(agency({ agents: { pinned } }, host).generate("Go.")).rejects.toMatchObject({ code: "provider_failed" });
  const plain = agency({ agents: { a: { model: "openai:gpt-4.1" } } }, host);
  await expect(plain.generate("Go.", { fallbackProviders: [] })).rejects.toMatchObject({ code: "provider_failed" });
  expect(server.requests.every((request) => request.wire === "openai-responses")).toBe(true);
});

test("B-011 the text of a stream comes in pieces, as the provider sends them", async () => {
  const text = "One. Two. Three. Four. Five.";
  const { host } = await served(() => ({ text }));
  const pieces: string[] = [];
  const team = agency({ model: "openai:gpt-4.1", strategy: "debate", maxRounds: 1, agents: { a: {} } }, host);
  for await (const piece of team.stream("Go.").textStream) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join("")).toBe(text + text);
});

test("A-007 without any key and without a model the offline model answers, and says that it is one", async () => {
  const { server, host } = await served(() => ({ text: "never" }), {});
  const result = await agency({ agents: { x: { instructions: "Say it." } } }, host).generate("Hello.");
  expect(result.text).toMatch(/^\[offline\]/);
  expect(result).toMatchObject({ provider: "offline", model: "echo", usage: { costUSD: 0 } });
  expect(server.requests).toEqual([]);
});

test("a model that nobody can be asked for fails the call with what to set", async () => {
  const { host } = await served(() => ({ text: "never" }), {});
  await expect(agency({ agents: { x: { model: "openai:gpt-4.1" } } }, host).generate("Hello.")).rejects.toMatchObject({
    code: "model_key_missing",
    message: expect.stringContaining("OPENAI_API_KEY"),
  });
});

test("B-007 an aborted signal ends the request that is under way", async () => {
  const { server, host } = await served(() => ({ hangs: "before" }));
  const controller = new AbortController();
  const team = agency({ model: "openai:gpt-4.1", agents: { a: {}, b: {} } }, host);
  const pending = team.generate("Go.", { abortSignal: controller.signal });
  await server.received(1);
  controller.abort();
  await expect(pending).rejects.toMatchObject({ code: "agency_stopped" });
  await server.requests[0]?.broken;
  expect(server.requests).toHaveLength(1);
});

test("A-169 log lines go through the host's logger factory", () => {
  onTestFinished(() => setLoggerFactory(undefined));
  const lines: unknown[] = [];
  setLoggerFactory((component) => ({ warn: (message, details) => lines.push([component, message, details]) }));
  agency({ agents: { a: {} }, memory: {} });
  expect(lines).toEqual([["agency", "agency_option_ignored", { option: "memory" }]]);
});

const run = promisify(execFile);

test.each([
  ["agency-review.mjs", /^researcher: \d+ tokens, offline\nwriter.*\nillustrator.*\nreviewer.*\n\[offline\] About/],
  [
    "agency-manager.mjs",
    /^research begins\nwriter begins\n(?:\w+ ends\n){2}\[offline\] About[\s\S]*\d+ tokens in all\n$/,
  ],
])("the example %s gives what it says", async (name, expected) => {
  const { stdout, stderr } = await run(process.execPath, [`examples/${name}`], { cwd: ROOT });
  expect(stdout).toMatch(expected);
  expect(stderr).toBe("");
});

test("a program that runs a team offline loads neither VM, database, gateway nor a provider's package", async () => {
  const { stderr } = await run(process.execPath, ["--import", TRACE, "examples/agency-review.mjs"], { cwd: ROOT });
  const loaded = stderr.match(/(?<=loads file:\/\/).*/g) ?? [];
  expect(loaded.some((path) => path.includes("dist/agency/"))).toBe(true);
  const heavy =
    /\/(?:@ai-sdk|@openrouter|ollama-ai-provider-v2|@jitl|better-sqlite3|hono|pino|@swc)\/|dist\/(?:vm|registry|bridge|swarm|gateway)\//;
  expect(loaded.filter((path) => heavy.test(path))).toEqual([]);
});
