import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type LoadedSettings, type LoadInput, loadSettings } from "../../src/config/load.ts";
import { type Fault, isFault } from "../../src/contract/fault.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A home, a working directory and a data directory of its own; files are written into the data directory. */
function place(files: { [name: string]: string } = {}) {
  const root = mkdtempSync(join(tmpdir(), "quickswarm-config-"));
  folders.push(root);
  const home = join(root, "home");
  const cwd = join(root, "work");
  const dataDir = join(home, ".quickswarm");
  mkdirSync(dataDir, { recursive: true });
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dataDir, name), text);
  const load = (input: LoadInput = {}): LoadedSettings => loadSettings({ env: {}, cwd, homeDir: home, ...input });
  return { root, home, cwd, dataDir, load };
}

function faultOf(action: () => unknown): Fault {
  try {
    action();
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new Error("no fault was thrown");
}

test("C-010 without a file everything has its default and the data directory lies in the home", () => {
  const { load, dataDir } = place();
  const { settings, file } = load();
  expect(file).toBeUndefined();
  expect(settings).toMatchObject({
    dataDir,
    gateway: { host: "127.0.0.1", port: 7976, allowedHosts: [], allowedOrigins: [] },
    maxConcurrentGlobal: 64,
    vmWorkers: 0,
    offlineDelayMs: 30,
    offlineSlowMs: 1500,
    logLevel: "info",
  });
});

test("C-010 JSON5 with comments and trailing commas is read from the data directory", () => {
  const { load, dataDir } = place({ "config.json5": "// mine\n{ tools: { swarm: { maxConcurrent: 3, }, }, }" });
  const { settings, file } = load();
  expect(file).toBe(join(dataDir, "config.json5"));
  expect(settings.swarmFor(undefined).maxConcurrent).toBe(3);
});

test("C-010 plain JSON is read when there is no JSON5 file", () => {
  const { load, dataDir } = place({ "config.json": '{ "limits": { "vmWorkers": 2 } }' });
  expect(load().file).toBe(join(dataDir, "config.json"));
  expect(load().settings.vmWorkers).toBe(2);
});

test("C-010 one file is read: a second one is passed over with a warning", () => {
  const { load } = place({ "config.json5": "{ logLevel: 'warn' }", "config.json": '{ "logLevel": "debug" }' });
  expect(load().settings.logLevel).toBe("warn");
  expect(load().warnings).toEqual([expect.stringContaining("config.json is not read")]);
});

test("C-010 --config names the file, relative to the working directory, and the data directory's is not read", () => {
  const { load, cwd } = place({ "config.json5": "{ logLevel: 'warn' }" });
  writeFileSync(join(cwd, "mine.json5"), "{ logLevel: 'error' }");
  expect(load({ overrides: { config: "mine.json5" } }).settings.logLevel).toBe("error");
});

test("C-010 a configuration file that lies in the working directory is not read unless it is named", () => {
  const { load, cwd } = place();
  writeFileSync(join(cwd, "config.json5"), "{ gateway: { port: 1 } }");
  writeFileSync(join(cwd, "quickswarm.json5"), "{ gateway: { port: 1 } }");
  expect(load().settings.gateway.port).toBe(7976);
});

test("I-005 a named file that does not exist is config_unreadable and names the path", () => {
  const { load, cwd } = place();
  const found = faultOf(() => load({ overrides: { config: "missing.json5" } }));
  expect(found.code).toBe("config_unreadable");
  expect(found.message).toContain(join(cwd, "missing.json5"));
});

test("I-005 a folder in place of the file is config_unreadable", () => {
  const { load } = place();
  expect(faultOf(() => load({ overrides: { config: "." } })).code).toBe("config_unreadable");
});

test("I-005 a broken file is config_unreadable with line, column and a caret", () => {
  const { load, dataDir } = place({ "config.json5": "{\n  tools: { swarm: tru },\n}" });
  const found = faultOf(() => load());
  expect(found.code).toBe("config_unreadable");
  expect(found.place).toMatchObject({ file: join(dataDir, "config.json5"), line: 2, column: 22 });
  expect(found.place?.excerpt).toBe(`  tools: { swarm: tru },\n${" ".repeat(21)}^`);
});

test("I-005 config_invalid lists the problems of file, environment and flags together", () => {
  const { load } = place({ "config.json5": "{ tools: { swarm: { maxConcurent: 1 } }, logLevel: 3 }" });
  const found = faultOf(() => load({ overrides: { port: "http" }, env: { QUICKSWARM_HOST: "a b" } }));
  expect(found.code).toBe("config_invalid");
  for (const part of ["tools.swarm.maxConcurent", "logLevel", "--port", "QUICKSWARM_HOST"]) {
    expect(found.message).toContain(part);
  }
  expect(found.message).toContain("4 problems");
  expect(found.details?.problems).toHaveLength(4);
});

test("C-010 a flag goes before the environment, the environment before the file, the file before the default", () => {
  const { load } = place({ "config.json5": "{ gateway: { port: 1001, host: 'file.local' } }" });
  const env = { QUICKSWARM_PORT: "1002", QUICKSWARM_HOST: "env.local" };
  expect(load().settings.gateway).toMatchObject({ port: 1001, host: "file.local" });
  expect(load({ env }).settings.gateway).toMatchObject({ port: 1002, host: "env.local" });
  const flags = { port: "1003", host: "flag.local" };
  expect(load({ env, overrides: flags }).settings.gateway).toMatchObject({ port: 1003, host: "flag.local" });
});

test("C-010 the environment gives address and secrets only: other variables change nothing and are named", () => {
  const { load } = place();
  const env = { QUICKSWARM_PROT: "1", QUICKSWARM_LOG_LEVEL: "debug", PATH: "/bin" };
  const loaded = load({ env });
  expect(loaded.settings).toMatchObject({ logLevel: "info", gateway: { port: 7976 } });
  expect(loaded.warnings).toEqual([
    "the variable QUICKSWARM_PROT is not read; did you mean QUICKSWARM_PORT?",
    "the variable QUICKSWARM_LOG_LEVEL is not read",
  ]);
});

test("C-010 an empty variable counts as not given", () => {
  const { load, dataDir } = place();
  const env = { QUICKSWARM_PORT: "", QUICKSWARM_HOST: "", QUICKSWARM_DATA_DIR: "", QUICKSWARM_TOKEN: "" };
  const { settings } = load({ env });
  expect(settings).toMatchObject({ dataDir, gateway: { port: 7976, host: "127.0.0.1" } });
  expect(settings.gateway.token).toBeUndefined();
});

test("C-010 ports that are none are refused, 0 is allowed", () => {
  const { load } = place();
  for (const port of ["65536", "-1", "1e3", "8080 ", "0x10", "99999999999"]) {
    expect(faultOf(() => load({ overrides: { port } })).code, port).toBe("config_invalid");
  }
  expect(load({ overrides: { port: "0" } }).settings.gateway.port).toBe(0);
});

test("C-010 the data directory: flag, then environment, then file, then home; relative ones are resolved", () => {
  const { load, cwd, home, root } = place();
  writeFileSync(join(root, "other.json5"), "{ dataDir: './store' }");
  const config = "../other.json5";
  const env = { QUICKSWARM_DATA_DIR: "from-env" };
  expect(load({ overrides: { config } }).settings.dataDir).toBe(join(root, "store"));
  expect(load({ overrides: { config }, env }).settings.dataDir).toBe(join(cwd, "from-env"));
  expect(load({ overrides: { config, dataDir: "~/flag" }, env }).settings.dataDir).toBe(join(home, "flag"));
});

test("C-010 the file found in a chosen data directory is the one that counts", () => {
  const { load, cwd } = place({ "config.json5": "{ logLevel: 'warn' }" });
  mkdirSync(join(cwd, "elsewhere"));
  writeFileSync(join(cwd, "elsewhere", "config.json5"), "{ logLevel: 'error' }");
  expect(load({ env: { QUICKSWARM_DATA_DIR: "elsewhere" } }).settings.logLevel).toBe("error");
});

test("C-010 a file found in the data directory cannot move the data directory", () => {
  const { load } = place({ "config.json5": "{ dataDir: '/elsewhere' }" });
  expect(faultOf(() => load())).toMatchObject({ code: "config_invalid" });
});

test("C-010 the token comes from the environment and never stands in a message", () => {
  const { load } = place();
  expect(load({ env: { QUICKSWARM_TOKEN: "a-token-of-enough-length" } }).settings.gateway.token).toBe(
    "a-token-of-enough-length",
  );
  for (const token of ["short", `${"long-enough-but"} with spaces`, "x".repeat(513), "newline-in-token\nX: y"]) {
    const found = faultOf(() => load({ env: { QUICKSWARM_TOKEN: token } }));
    expect(found.code).toBe("config_invalid");
    expect(JSON.stringify({ ...found, message: found.message })).not.toContain(token.slice(0, 10));
  }
});

test("C-010 the settings are frozen through and through", () => {
  const { load } = place({ "config.json5": "{ agents: { a: { allowedAgents: ['b'] }, b: {} } }" });
  const { settings } = load();
  const parts = [settings, settings.gateway, settings.gateway.allowedHosts, settings.agents, settings.agents.a];
  for (const part of [...parts, settings.agents.a?.allowedAgents, settings.codeMode, settings.swarmFor("a")]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
  expect(() => {
    settings.maxConcurrentGlobal = 1;
  }).toThrow(TypeError);
});

test("C-004 settings.swarmFor answers per agent, and for an unknown or no agent with the global fields", () => {
  const { load } = place({
    "config.json5": "{ tools: { swarm: { maxConcurrent: 4 } }, agents: { reader: { tools: { swarm: false } } } }",
  });
  const { settings } = load();
  expect(settings.swarmFor("reader")).toMatchObject({ enabled: false, maxConcurrent: 4 });
  expect(settings.swarmFor(undefined)).toMatchObject({ enabled: true, maxConcurrent: 4 });
  expect(settings.swarmFor("nobody")).toEqual(settings.swarmFor(undefined));
});

test("S-005 agents keep model, instructions and allow list", () => {
  const { load } = place({
    "config.json5": "{ agents: { reader: { model: 'offline:slow', instructions: 'Read.', allowedAgents: [] } } }",
  });
  expect(load().settings.agents.reader).toMatchObject({
    id: "reader",
    model: "offline:slow",
    instructions: "Read.",
    allowedAgents: [],
  });
});
