// The models section and the providers' variables: what wins, what is refused, and that keys never show.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { explainConfig } from "../../src/config/explain.ts";
import { loadSettings } from "../../src/config/load.ts";
import { type Fault, isFault } from "../../src/contract/fault.ts";

const CANARY = "canary-7f3a9c51e2";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "quickswarm-models-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function load(text: string, env: { [name: string]: string } = {}) {
  writeFileSync(join(dataDir, "config.json5"), text);
  return loadSettings({ overrides: { dataDir }, env, cwd: dataDir, homeDir: dataDir });
}

function keysOf(text: string, env: { [name: string]: string }, id = "openai"): string[] {
  return load(text, env).settings.models?.providers[id]?.keys.map((key) => key.reveal()) ?? [];
}

function refused(text: string, env: { [name: string]: string } = {}): Fault {
  try {
    load(text, env);
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test("without a models section all known providers are there, without keys and pinned", () => {
  const { settings } = load("{}");
  expect(settings.models?.fallbackProviders).toEqual([]);
  expect(settings.models?.providers.openai).toMatchObject({ keys: [], baseUrl: "https://api.openai.com/v1" });
  expect(settings.models?.providers.ollama).toMatchObject({ needsKey: false, baseUrl: "http://127.0.0.1:11434/api" });
  expect(Object.isFrozen(settings.models?.providers.openai)).toBe(true);
});

test("A-050 a key comes from the usual variable, else from the file, and commas make a pool", () => {
  const file = "{ models: { providers: { openai: { apiKey: 'f1' } } } }";
  expect(keysOf(file, {})).toEqual(["f1"]);
  expect(keysOf(file, { OPENAI_API_KEY: " e1, e2 ,e1," })).toEqual(["e1", "e2"]);
  expect(keysOf(file, { OPENAI_API_KEY: "" })).toEqual(["f1"]);
  expect(keysOf("{}", { GOOGLE_API_KEY: "g" }, "gemini")).toEqual(["g"]);
});

test("a variable that the file names takes the place of the usual ones", () => {
  const file = "{ models: { providers: { openai: { apiKeyVariable: 'WORK_KEY' } } } }";
  expect(keysOf(file, { OPENAI_API_KEY: "private", WORK_KEY: "work" })).toEqual(["work"]);
  expect(keysOf(file, { OPENAI_API_KEY: "private" })).toEqual([]);
});

test("A-028 a base URL comes from its variable, else from the file, and a blank one counts as unset", () => {
  const file = "{ models: { providers: { openai: { baseUrl: 'https://file.example/v1/' }, ollama: {} } } }";
  const urlOf = (env: { [name: string]: string }, id = "openai") =>
    load(file, env).settings.models?.providers[id]?.baseUrl;
  expect(urlOf({})).toBe("https://file.example/v1");
  expect(urlOf({ OPENAI_BASE_URL: "https://env.example" })).toBe("https://env.example");
  expect(urlOf({ OPENAI_BASE_URL: "  " })).toBe("https://file.example/v1");
  expect(urlOf({ OLLAMA_BASE_URL: "http://10.0.0.5:11434" }, "ollama")).toBe("http://10.0.0.5:11434/api");
});

test("a provider of the operator's own speaks the openai-compatible protocol", () => {
  const { settings } = load(
    "{ models: { providers: { house: { baseUrl: 'http://127.0.0.1:8000/v1', maxConcurrent: 2 } } } }",
  );
  expect(settings.models?.providers.house).toMatchObject({
    kind: "openai-compatible",
    maxConcurrent: 2,
    needsKey: false,
  });
});

test.each([
  ["{ models: { providers: { offline: {} } } }", "models.providers.offline"],
  ["{ models: { providers: { 'Big One': {} } } }", 'models.providers["Big One"]'],
  ["{ models: { providers: { openai: { maxConcurrent: 0 } } } }", "an integer from 1 to 1000"],
  [
    "{ models: { providers: { openai: { baseUrl: 'https://169.254.169.254/v1' } } } }",
    "models.providers.openai.baseUrl",
  ],
  ["{ models: { fallbackProviders: 'all' } }", "models.fallbackProviders"],
  ["{ models: { prices: { 'openai:x': { input: -1, output: 1 } } } }", "US dollars per million tokens"],
  ["{ models: { providers: { openai: { apiKeys: 'x' } } } }", 'did you mean "apiKey"?'],
])("a wrong models section is refused by its path: %s", (text, words) => {
  const fault = refused(text);
  expect(fault.code).toBe("config_invalid");
  expect(fault.message).toContain(words);
});

test("keys never stand in a refusal, whatever is wrong around them", () => {
  const texts = [
    `{ models: { providers: { openai: { apiKey: ['${CANARY}'] } } } }`,
    `{ models: { providers: { openai: { apiKey: '${CANARY} with a blank' } } } }`,
    `{ models: { providers: { openai: { apikey: '${CANARY}' } } } }`,
    `{ models: { providers: { openai: { baseUrl: 'https://user:${CANARY}@x.example' } } } }`,
    `{ models: { providers: { openai: { apiKey: '${CANARY}' oops } } } }`,
  ];
  for (const text of texts) expect(inspect(refused(text), { depth: 9 })).not.toContain(CANARY);
  const env = { OPENAI_API_KEY: `${CANARY}\u0001` };
  expect(inspect(refused("{}", env), { depth: 9 })).not.toContain(CANARY);
});

test("C-010 keys are masked in what config prints and in any print of the settings", () => {
  const loaded = load("{}", { OPENAI_API_KEY: `${CANARY},${CANARY}-2`, OPENAI_BASE_URL: "https://env.example" });
  const rows = explainConfig(loaded);
  expect(rows.find((row) => row.path === "models.providers.openai.apiKey")).toMatchObject({
    from: "env",
    name: "OPENAI_API_KEY",
    note: "2 keys, used in turn",
  });
  expect(rows.find((row) => row.path === "models.providers.openai.baseUrl")).toMatchObject({
    value: "https://env.example",
    name: "OPENAI_BASE_URL",
  });
  const printed = [rows, loaded].flatMap((value) => [
    JSON.stringify(value),
    inspect(value, { depth: 12, showHidden: true }),
  ]);
  for (const text of printed) expect(text).not.toContain(CANARY);
});
