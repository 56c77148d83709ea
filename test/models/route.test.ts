// Where a seat's call goes: the table of the rules, one situation a row.

import { expect, test } from "vitest";
import { isFault } from "../../src/contract/fault.ts";
import { type Route, type RouteContext, type RouteFields, resolveRoute } from "../../src/models/resolve/route.ts";
import { modelSettings } from "../support/model-settings.ts";

const ENV = {
  OPENAI_API_KEY: "env-openai",
  ANTHROPIC_API_KEY: "env-anthropic",
  OPENROUTER_API_KEY: "env-openrouter",
  MISTRAL_API_KEY: "env-mistral",
};

/** Provider, model, base URL and keys, as a line that can be read. */
function line({ provider, model, baseUrl, keys, keySource }: Route): string {
  const usual = baseUrl === provider.baseUrl ? "" : ` at ${baseUrl}`;
  const names = keys.map((key) => key.secret.reveal()).join("+");
  return `${provider.id} ${model}${usual} ${names || "-"} (${keySource})`;
}

function routed(seat: RouteFields, agency: RouteFields = {}, context: Partial<RouteContext> = {}): string {
  try {
    return line(resolveRoute(seat, agency, { settings: modelSettings(ENV), ...context }));
  } catch (error) {
    if (isFault(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const AGENCY = { provider: "openai", model: "gpt-4.1", apiKey: "agency-key", baseUrl: "https://agency.example/v1" };
const PREFIXED = { model: "openai:gpt-4.1", apiKey: "agency-key" };
const OLLAMA = { provider: "ollama", model: "llama3.2:3b", baseUrl: "http://10.0.0.5:11434/api" };
const ROUTER = { provider: "openrouter", model: "openai/gpt-4.1", apiKey: "router-key" };

test.each<[string, RouteFields, RouteFields, string]>([
  [
    "A-027 a seat that says nothing inherits all four",
    {},
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 agency-key (agency)",
  ],
  [
    "A-027 a seat's model alone is its own",
    { model: "gpt-4o" },
    AGENCY,
    "openai gpt-4o at https://agency.example/v1 agency-key (agency)",
  ],
  [
    "A-027 a seat's key alone is its own",
    { apiKey: "mine" },
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 mine (seat)",
  ],
  [
    "A-027 a seat's address alone is its own",
    { baseUrl: "https://seat.example" },
    AGENCY,
    "openai gpt-4.1 at https://seat.example agency-key (agency)",
  ],
  [
    "A-028 an empty address inherits",
    { baseUrl: "" },
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 agency-key (agency)",
  ],
  [
    "A-028 a blank address inherits",
    { baseUrl: " \t" },
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 agency-key (agency)",
  ],
  [
    "A-035 a provider without a model takes the agency's model id",
    { provider: "anthropic" },
    AGENCY,
    "anthropic gpt-4.1 env-anthropic (environment)",
  ],
  [
    "A-036 a seat on the agency's provider takes its key and address",
    { provider: "openai" },
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 agency-key (agency)",
  ],
  [
    "A-037 another provider gets neither key nor address",
    { provider: "anthropic", model: "claude" },
    AGENCY,
    "anthropic claude env-anthropic (environment)",
  ],
  [
    "A-037 A-042 a provider named by the model's prefix gets neither",
    { model: "anthropic:claude" },
    AGENCY,
    "anthropic claude env-anthropic (environment)",
  ],
  [
    "A-038 a plain model under a prefix-only agency is detected",
    { model: "gpt-4o" },
    PREFIXED,
    "openai gpt-4o env-openai (environment)",
  ],
  [
    "A-038 a seat that inherits the prefixed model inherits the key",
    {},
    PREFIXED,
    "openai gpt-4.1 agency-key (agency)",
  ],
  [
    "A-039 an agency of unknown provider hands its key to all",
    { provider: "anthropic", model: "claude" },
    { apiKey: "any", baseUrl: "https://proxy.example" },
    "anthropic claude at https://proxy.example any (agency)",
  ],
  [
    "A-040 a key set to undefined blocks the agency's",
    { apiKey: undefined },
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 env-openai (environment)",
  ],
  [
    "A-040 an address set to undefined blocks the agency's",
    { baseUrl: undefined },
    AGENCY,
    "openai gpt-4.1 agency-key (agency)",
  ],
  [
    "A-041 a provider set to undefined is detected and inherits neither",
    { provider: undefined, model: "gpt-4o" },
    AGENCY,
    "openai gpt-4o env-openai (environment)",
  ],
  [
    "A-043 a prefix wins over the provider beside it",
    { provider: "openai", model: "mistral:large" },
    {},
    "mistral large env-mistral (environment)",
  ],
  [
    "A-043 A-046 under ollama nothing is split",
    { provider: "ollama", model: "mistral:7b" },
    {},
    "ollama mistral:7b - (none)",
  ],
  [
    "A-044 a slash names the provider when none is set",
    { model: "openai/gpt-4o" },
    {},
    "openai gpt-4o env-openai (environment)",
  ],
  [
    "A-044 a slash that repeats the provider is a prefix",
    { provider: "openai", model: "openai/gpt-4o" },
    {},
    "openai gpt-4o env-openai (environment)",
  ],
  [
    "A-044 a slash under another provider is part of the id",
    { provider: "mistral", model: "openai/gpt-4o" },
    {},
    "mistral openai/gpt-4o env-mistral (environment)",
  ],
  [
    "A-044 with a colon a slash is a prefix when the provider repeats it",
    { provider: "openai", model: "openai/ft:gpt-4o" },
    {},
    "openai ft:gpt-4o env-openai (environment)",
  ],
  [
    "A-045 a vendor's id stays one of OpenRouter, and keeps the key",
    { model: "anthropic/claude" },
    ROUTER,
    "openrouter anthropic/claude router-key (agency)",
  ],
  [
    "A-046 a tag under an ollama agency stays whole",
    { model: "qwen2.5:7b" },
    OLLAMA,
    "ollama qwen2.5:7b at http://10.0.0.5:11434/api - (none)",
  ],
  [
    "A-046 a free variant under openrouter stays whole",
    { model: "meta-llama/llama-3:free" },
    ROUTER,
    "openrouter meta-llama/llama-3:free router-key (agency)",
  ],
  [
    "A-046 an ollama agency's own tag is not split",
    {},
    { provider: "ollama", model: "mistral:7b" },
    "ollama mistral:7b - (none)",
  ],
  [
    "A-048 a known prefix names its provider, also under ollama",
    { model: "mistral:7b" },
    OLLAMA,
    "mistral 7b env-mistral (environment)",
  ],
  [
    "A-048 the local tag needs the provider on the seat",
    { provider: "ollama", model: "mistral:7b" },
    OLLAMA,
    "ollama mistral:7b at http://10.0.0.5:11434/api - (none)",
  ],
  [
    "A-050 a key with commas is a pool",
    { apiKey: "a, b,,a" },
    AGENCY,
    "openai gpt-4.1 at https://agency.example/v1 a+b (seat)",
  ],
])(
  "A-027 A-028 A-035 A-036 A-037 A-038 A-039 A-040 A-041 A-042 A-043 A-044 A-045 A-046 A-048 A-050 rule: %s",
  (_rule, seat, agency, expected) => {
    expect(routed(seat, agency)).toBe(expected);
  },
);

test("A-047 an unknown prefix without a provider is refused and never detected", () => {
  const answer = routed({ model: "qwen2.5:7b" });
  expect(answer).toMatch(/^model_unknown: .*begins with "qwen2\.5", which is no provider.*provider: 'ollama'/);
  expect(routed({ model: "openai/gpt-4o:free" })).toMatch(/^model_unknown/);
  expect(routed({ provider: undefined, model: "qwen2.5:7b" }, AGENCY)).toMatch(/^model_unknown/);
});

test("A-049 keys are looked for on the seat, at the agency, at the default, in the environment", () => {
  const settings = modelSettings(ENV);
  const fits = { settings, defaultProvider: { provider: "openai", apiKey: "default-key" } };
  expect(routed({ apiKey: "mine" }, AGENCY, fits)).toContain(" mine (seat)");
  expect(routed({}, AGENCY, fits)).toContain(" agency-key (agency)");
  expect(routed({ provider: "openai", model: "x" }, {}, fits)).toContain(" default-key (default)");
  expect(routed({ provider: "mistral", model: "x" }, {}, fits)).toContain(" env-mistral (environment)");
  const nameless = { settings, defaultProvider: { apiKey: "default-key" } };
  expect(routed({ provider: "mistral", model: "x" }, {}, nameless)).toContain(" default-key (default)");
});

test("A-051 a seat without any key fails and names the variable", () => {
  expect(routed({ model: "groq:llama" })).toMatch(/^model_key_missing: There is no key for groq: set GROQ_API_KEY or /);
  const none = { settings: modelSettings() };
  expect(routed({}, {}, none)).toMatch(/^model_key_missing: .*OPENAI_API_KEY, ANTHROPIC_API_KEY/);
  expect(routed({ model: "gpt-4o" }, {}, none)).toMatch(/^model_unknown: The model "gpt-4o" .*OPENAI_API_KEY/);
});

test("A-051 anthropic without a key goes through OpenRouter and says so", () => {
  const settings = modelSettings({ OPENROUTER_API_KEY: "env-openrouter" });
  const expected = "openrouter anthropic/claude-x env-openrouter (environment)";
  expect(routed({ provider: "anthropic", model: "claude-x" }, {}, { settings })).toBe(expected);
  const own = { provider: "anthropic", model: "claude-x", baseUrl: "https://mine.example" };
  expect(routed(own, {}, { settings })).toMatch(/^model_key_missing/);
});

test("A-052 a call's model and provider replace every seat's own", () => {
  const settings = modelSettings(ENV);
  const call = { provider: "mistral", model: "large" };
  expect(routed({ provider: "anthropic", model: "claude" }, AGENCY, { settings, call })).toBe(
    "mistral large env-mistral (environment)",
  );
});

test("B-017 every key knows the provider and the origin it belongs to", () => {
  const bound = (seat: RouteFields, agency: RouteFields) => {
    const [key] = resolveRoute(seat, agency, { settings: modelSettings(ENV) }).keys;
    return `${key?.provider} ${key?.origin}`;
  };
  expect(bound({}, AGENCY)).toBe("openai https://agency.example");
  expect(bound({ baseUrl: "https://seat.example/v1" }, AGENCY)).toBe("openai https://agency.example");
  expect(bound({ baseUrl: "https://seat.example/v1", apiKey: "mine" }, AGENCY)).toBe("openai https://seat.example");
  expect(bound({ baseUrl: "https://seat.example/v1", apiKey: undefined }, AGENCY)).toBe(
    "openai https://api.openai.com",
  );
});

test.each<[string, string]>([
  ["nowhere", `There is no provider "nowhere".`],
  ["toString", `There is no provider "toString".`],
])("an unknown provider is refused by name: %s", (provider, message) => {
  expect(routed({ provider, model: "x" })).toContain(`model_unknown: ${message}`);
});

test("an address that is none is refused", () => {
  for (const baseUrl of [
    "ftp://x",
    "https://user:pw@x",
    "http://169.254.169.254/",
    "http://[::ffff:169.254.169.254]/",
  ]) {
    expect(routed({ model: "openai:x", baseUrl })).toMatch(/^option_type: baseUrl/);
  }
});
