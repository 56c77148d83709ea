// When and where a failed call goes on at another provider.

import { expect, test } from "vitest";
import { failoverRoutes, mayFailOver } from "../../src/models/resolve/failover.ts";
import type { Route } from "../../src/models/resolve/route.ts";
import { modelSettings } from "../support/model-settings.ts";

const ENV = {
  OPENAI_API_KEY: "env-openai",
  ANTHROPIC_API_KEY: "env-anthropic",
  OPENROUTER_API_KEY: "env-openrouter",
  MISTRAL_API_KEY: "env-mistral",
};

function line({ provider, model, keys, effort }: Route): string {
  const names = keys.map((key) => key.secret.reveal()).join("+");
  return `${provider.id} ${model} ${names}${effort ? ` ${effort}` : ""}`;
}

const FAILING = [401, 402, 403, 429, 500, 502, 503, 504, 529].map((status) => ["http", status, true] as const);
const OTHERS = [400, 404, 409, 413, 422, 501].map((status) => ["http", status, false] as const);

test.each([
  ...FAILING,
  ...OTHERS,
  ["network", undefined, true],
  ["timeout", undefined, true],
  ["other", undefined, false],
] as const)("A-053 whether a call goes on elsewhere after a failure: %s %s %s", (kind, status, expected) => {
  expect(mayFailOver({ kind, status })).toBe(expected);
});

test("A-053 A-054 the default order leaves out the own provider and those without a key", () => {
  const all = modelSettings({ ...ENV, GEMINI_API_KEY: "env-gemini" });
  const named = (own: string, settings = all) => failoverRoutes(own, "default", settings).map(line);
  expect(named("openai")).toEqual([
    "anthropic claude-sonnet-5-5 env-anthropic low",
    "openrouter openai/gpt-5.6-sol env-openrouter",
    "gemini gemini-3.1-pro-preview env-gemini",
  ]);
  expect(named("groq")[0]).toBe("openai gpt-5.6-sol env-openai");
  expect(named("anthropic", modelSettings({ GEMINI_API_KEY: "g" }))).toEqual(["gemini gemini-3.1-pro-preview g"]);
});

test("A-055 an empty list of providers pins the call, a list names where it goes", () => {
  const settings = modelSettings(ENV);
  expect(failoverRoutes("openai", [], settings)).toEqual([]);
  expect(failoverRoutes("openai", ["mistral:large", "groq:llama", "anthropic"], settings).map(line)).toEqual([
    "mistral large env-mistral",
    "anthropic claude-sonnet-5-5 env-anthropic",
  ]);
});
