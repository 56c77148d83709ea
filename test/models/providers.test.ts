// Every provider through its real package, against a server that speaks its wire format.

import { expect, onTestFinished, test } from "vitest";
import { isProviderKind, PROVIDER_KINDS } from "../../src/contract/providers.ts";
import type { Model } from "../../src/models/sdk.ts";
import { openModel } from "../../src/models/send/packages.ts";
import type { ChildRunner } from "../../src/swarm/runner.ts";
import { startModelServer } from "../support/model-server/server.ts";
import type { Reply, Wire } from "../support/model-server/wire.ts";
import { PLACES, rig } from "./support.ts";

const KEYS = {
  OPENAI_API_KEY: "key-openai",
  ANTHROPIC_API_KEY: "key-anthropic",
  OPENROUTER_API_KEY: "key-openrouter",
  GEMINI_API_KEY: "key-gemini",
  REQUESTY_API_KEY: "key-requesty",
  GROQ_API_KEY: "key-groq",
  TOGETHER_API_KEY: "key-together",
  MISTRAL_API_KEY: "key-mistral",
  XAI_API_KEY: "key-xai",
  OPENAI_COMPATIBLE_API_KEY: "key-openai-compatible",
  OLLAMA_API_KEY: "key-ollama",
};

const WIRES: [string, Wire["name"], string][] = [
  ["openai", "openai-responses", "authorization"],
  ["anthropic", "anthropic", "x-api-key"],
  ["openrouter", "openai-chat", "authorization"],
  ["gemini", "gemini", "x-goog-api-key"],
  ["requesty", "openai-chat", "authorization"],
  ["groq", "openai-chat", "authorization"],
  ["together", "openai-chat", "authorization"],
  ["mistral", "openai-chat", "authorization"],
  ["xai", "openai-chat", "authorization"],
  ["openai-compatible", "openai-chat", "authorization"],
  ["ollama", "ollama", "authorization"],
];

const TEXT = "The answer is forty-two, as ever — and it comes in pieces.";

test("every known provider is in the table", () => {
  expect(WIRES.map(([provider]) => provider).sort()).toEqual([...PROVIDER_KINDS].sort());
});

test.each(WIRES)("%s answers over %s, with its key in %s", async (provider, wire, header) => {
  const { server, runner, work, recorded } = await rig({ env: KEYS });
  server.script({ text: TEXT, usage: { input: 120, output: 9, cached: 40 } });
  const outcome = await runner.run(work({ model: `${provider}:some-model`, prompt: "Which number?" }));
  expect(outcome).toMatchObject({ status: "done", text: TEXT });
  expect(outcome.usage).toMatchObject({ inputTokens: 120, outputTokens: 9 });
  const [request] = server.requests;
  expect(request?.wire).toBe(wire);
  expect(request?.path.startsWith(PLACES[provider] ?? "?")).toBe(true);
  expect(request?.headers[header]).toMatch(new RegExp(`^(Bearer )?key-${provider}$`));
  expect(JSON.stringify(request?.body)).toContain("Which number?");
  expect(recorded).toHaveLength(1);
  expect(recorded[0]).toMatchObject({ kind: "model", provider, model: "some-model", text: TEXT, troubles: [] });
});

test.each(["openai", "anthropic", "gemini", "openai-compatible", "openrouter"])(
  "%s tells how many tokens were cached",
  async (provider) => {
    const { server, runner, work } = await rig({ env: KEYS });
    server.script({ text: "yes", usage: { input: 120, output: 9, cached: 40 } });
    const outcome = await runner.run(work({ model: `${provider}:some-model` }));
    expect(outcome.usage).toEqual({ inputTokens: 120, outputTokens: 9, cachedInputTokens: 40 });
  },
);

test("a provider of the operator's own is spoken to without a key when it has none", async () => {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const { runner, work } = await rig({ models: { providers: { house: { baseUrl: `${server.url}/house/v1` } } } });
  server.script({ text: "from the house" });
  expect(await runner.run(work({ model: "house:any" }))).toMatchObject({ text: "from the house" });
  expect(server.requests[0]?.path).toBe("/house/v1/chat/completions");
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test("a session's history, its system text and the agent's instructions are sent in order", async () => {
  const { server, runner, work } = await rig();
  server.script({ text: "blue" });
  const history = [
    { role: "user" as const, text: "Name a colour." },
    { role: "assistant" as const, text: "Green." },
  ];
  const session = { system: "Be brief.", history };
  await runner.run(work({ model: "anthropic:m", agentId: "reader", prompt: "Another.", session }));
  const body = server.requests[0]?.body as { system: object; messages: { role: string; content: object }[] };
  expect(body.system).toEqual([{ type: "text", text: "You read.\n\nBe brief." }]);
  expect(body.messages.map(({ role, content }) => `${role} ${JSON.stringify(content)}`)).toEqual([
    'user [{"type":"text","text":"Name a colour."}]',
    'assistant [{"type":"text","text":"Green."}]',
    'user [{"type":"text","text":"Another."}]',
  ]);
});

test.each<[string, object, string, unknown]>([
  ["openai", { thinking: "high" }, "reasoning", { effort: "high" }],
  ["openai", { fastMode: true }, "reasoning", { effort: "low" }],
  ["openai", {}, "reasoning", undefined],
  ["anthropic", { thinking: "low" }, "thinking", { type: "enabled", budget_tokens: 4096 }],
  ["anthropic", { fastMode: true }, "thinking", undefined],
  ["openrouter", { thinking: "medium" }, "reasoning", { effort: "medium" }],
  ["groq", { thinking: "low" }, "reasoning_effort", "low"],
  ["requesty", { thinking: "low" }, "reasoning_effort", "low"],
  ["ollama", { thinking: "off" }, "think", false],
])("S-006 thinking and fastMode reach %s: %o sets %s", async (provider, wish, field, expected) => {
  const { server, runner, work } = await rig({ env: KEYS });
  server.script({ text: "ok" });
  await runner.run(work({ model: `${provider}:gpt-5`, ...wish }));
  expect(server.requests[0]?.body[field]).toEqual(expected);
});

test("S-006 a level of thinking that does not exist is refused before anything is sent", async () => {
  const { server, runner, work } = await rig();
  const outcome = await runner.run(work({ thinking: "deeply" }));
  expect(outcome).toMatchObject({ status: "failed", errorCode: "option_type", retryable: false });
  expect(outcome.status === "failed" && outcome.error).toContain('"off", "minimal", "low", "medium", "high"');
  expect(server.requests).toEqual([]);
});

test("the runner is a child runner, and leaves the offline names alone", async () => {
  const { runner } = await rig();
  const port: ChildRunner = runner;
  expect(port.handles("openai:gpt-4.1")).toBe(true);
  expect(port.handles("offline:echo")).toBe(false);
});

test.each([
  ["qwen2.5:7b", "model_unknown", 'begins with "qwen2.5", which is no provider'],
  ["nobody:model", "model_unknown", "Providers: openai, anthropic"],
  ["groq:llama", "model_key_missing", "set GROQ_API_KEY or models.providers.groq.apiKey"],
])("A-047 a model that cannot be asked is refused before it is spawned: %s is %s", async (model, code, words) => {
  const { runner } = await rig();
  expect(() => runner.check(model)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(words) }));
});

const WHOLE: [string, Reply][] = WIRES.map(([provider]) => [
  provider,
  { text: TEXT, calls: [{ name: "look", input: { at: 1 } }] },
]);

test.each(WHOLE)(
  "the server's answer to %s without streaming is read by its package as well",
  async (provider, reply) => {
    const server = await startModelServer();
    server.script(reply);
    if (!isProviderKind(provider)) throw new Error(provider);
    const address = { kind: provider, provider, model: "m", baseUrl: `${server.url}${PLACES[provider]}` };
    const model: Model = await openModel(address, fetch);
    const inputSchema = { type: "object", properties: { at: { type: "number" } } } as const;
    const { content } = await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "Look." }] }],
      tools: [{ type: "function", name: "look", inputSchema }],
    });
    await server.close();
    expect(content).toContainEqual(expect.objectContaining({ type: "text", text: TEXT }));
    expect(content).toContainEqual(expect.objectContaining({ type: "tool-call", toolName: "look", input: '{"at":1}' }));
  },
);
