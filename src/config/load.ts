// The outside's strings become one frozen object, once. The only place that reads the process's
// environment, which may hold secrets and the gateway's address and nothing else (C-010): what a run
// may do is decided in a file that can be read, reviewed and kept, not by whoever started the process.

import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fault } from "../contract/fault.ts";
import { nearest } from "../contract/nearest.ts";
import type { Settings } from "../contract/settings.ts";
import { type ConfigProblem, checkConfig, gotText, problemText } from "./check.ts";
import { resolveDialect } from "./dialect.ts";
import {
  HOST_DEFAULT,
  LIMIT_FIELDS,
  LOG_LEVEL_DEFAULT,
  MODEL_DEFAULT,
  OFFLINE_FIELDS,
  PORT_FIELD,
  TOKEN_CHARS_MAX,
  TOKEN_CHARS_MIN,
} from "./fields.ts";
import { type ConfigFile, readConfigFile } from "./file.ts";
import { type Environment, type ResolvedModels, resolveModels } from "./models.ts";
import { resolveAgents, resolveCodeModeConfig, resolveSwarmConfig } from "./resolve.ts";
import type { Config } from "./schema.ts";
import { resolveTools } from "./tools.ts";

/** What the command line said; it goes before the environment, the environment before the file. */
export interface ConfigOverrides {
  /** Path of the configuration file, from the working directory. */
  config?: string | undefined;
  dataDir?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
}

export interface LoadInput {
  overrides?: ConfigOverrides;
  env?: Environment;
  cwd?: string;
  homeDir?: string;
}

export interface Origin {
  from: "default" | "file" | "env" | "flag";
  /** The flag, the variable or the file. */
  name?: string;
}

export interface LoadedSettings {
  settings: Settings;
  /** The file's content after the schema; empty without a file. */
  config: Config;
  file: string | undefined;
  /** Where the fields that can come from more than the file came from. */
  origins: { dataDir: Origin; host: Origin; port: Origin; token: Origin };
  /** The same for keys and base URLs of the model providers, by provider. */
  modelOrigins: ResolvedModels["origins"];
  /** What is probably a mistake and changes nothing, one sentence each. */
  warnings: string[];
}

export const DATA_DIR_NAME = ".quickswarm";
const VARIABLES = ["QUICKSWARM_TOKEN", "QUICKSWARM_HOST", "QUICKSWARM_PORT", "QUICKSWARM_DATA_DIR"];

interface Picked<Value> {
  value: Value;
  origin: Origin;
}

/**
 * Resolves everything that this process is configured by; call it once. Faults: `config_unreadable`, and
 * `config_invalid` with every problem of file, environment and flags in its message and `details.problems`.
 */
export function loadSettings(input: LoadInput = {}): LoadedSettings {
  const { overrides = {}, cwd = process.cwd(), homeDir = homedir() } = input;
  const env = input.env ?? process.env;
  const base = { cwd, homeDir };
  const early = pickPath(base, overrides.dataDir, env.QUICKSWARM_DATA_DIR);
  const defaultDir = join(homeDir, DATA_DIR_NAME);
  const explicit = overrides.config === undefined ? undefined : toPath(overrides.config, cwd, homeDir);
  const file = readConfigFile(explicit, early?.value ?? defaultDir);
  const checked = checkConfig(file.value);
  const config: Config = checked.config ?? {};
  const problems: ConfigProblem[] = [...checked.problems];
  const dataDir = early ?? dataDirOfFile(config, file, explicit !== undefined, { defaultDir, homeDir, problems });
  const host = pickHost(overrides, env, config, file.path, problems);
  const port = pickPort(overrides, env, config, file.path, problems);
  const token = pickToken(env, problems);
  const { models, origins: modelOrigins } = resolveModels(config, env, file.path, problems);
  const beside = file.path === undefined ? cwd : dirname(file.path);
  const toAbsolute = (path: string): string => toPath(path, beside, homeDir);
  const dialect = resolveDialect(config, { homeDir, toPath: toAbsolute, problems });
  const tools = resolveTools(config, { env, toPath: toAbsolute, problems });
  if (problems.length > 0) throw invalid(problems, file.path);
  const address = { host: host.value, port: port.value, token: token.value };
  const settings = deepFreeze({ ...settingsOf(config, dataDir.value, address), models, tools, dialect });
  return {
    settings,
    config,
    file: file.path,
    origins: { dataDir: dataDir.origin, host: host.origin, port: port.origin, token: token.origin },
    modelOrigins,
    warnings: warningsOf(env, file),
  };
}

function settingsOf(
  config: Config,
  dataDir: string,
  address: { host: string; port: number; token: string | undefined },
): Settings {
  const byAgent = new Map(
    Object.keys(config.agents ?? {}).map((id) => [id, deepFreeze(resolveSwarmConfig(config, id))] as const),
  );
  const withoutAgent = deepFreeze(resolveSwarmConfig(config, undefined));
  return {
    dataDir,
    gateway: {
      ...address,
      allowedHosts: [...(config.gateway?.allowedHosts ?? [])],
      allowedOrigins: [...(config.gateway?.allowedOrigins ?? [])],
    },
    maxConcurrentGlobal: config.limits?.maxConcurrentGlobal ?? LIMIT_FIELDS.maxConcurrentGlobal.default,
    vmWorkers: config.limits?.vmWorkers ?? LIMIT_FIELDS.vmWorkers.default,
    hotVmsPerWorker: config.limits?.hotVmsPerWorker ?? LIMIT_FIELDS.hotVmsPerWorker.default,
    defaultModel: config.defaultModel ?? MODEL_DEFAULT,
    offlineDelayMs: config.offlineDelayMs ?? OFFLINE_FIELDS.offlineDelayMs.default,
    offlineSlowMs: config.offlineSlowMs ?? OFFLINE_FIELDS.offlineSlowMs.default,
    agents: resolveAgents(config),
    swarmFor: (agentId: string | undefined) =>
      agentId === undefined ? withoutAgent : (byAgent.get(agentId) ?? withoutAgent),
    codeMode: resolveCodeModeConfig(config),
    logLevel: config.logLevel ?? LOG_LEVEL_DEFAULT,
  };
}

function pickPath(
  base: { cwd: string; homeDir: string },
  flag: string | undefined,
  variable: string | undefined,
): Picked<string> | undefined {
  if (flag) return { value: toPath(flag, base.cwd, base.homeDir), origin: { from: "flag", name: "--data" } };
  if (!variable) return undefined;
  return { value: toPath(variable, base.cwd, base.homeDir), origin: { from: "env", name: "QUICKSWARM_DATA_DIR" } };
}

/** `dataDir` in the file, relative to the file. A file found inside a data directory cannot move it. */
function dataDirOfFile(
  config: Config,
  file: ConfigFile,
  named: boolean,
  context: { defaultDir: string; homeDir: string; problems: ConfigProblem[] },
): Picked<string> {
  if (config.dataDir === undefined || file.path === undefined) {
    return { value: context.defaultDir, origin: { from: "default" } };
  }
  const value = toPath(config.dataDir, resolve(file.path, ".."), context.homeDir);
  if (!named && value !== context.defaultDir) {
    context.problems.push({
      kind: "wrong_value",
      path: "dataDir",
      got: gotText(config.dataDir),
      expected: `no other folder than the one this file lies in; name the file with --config, or use --data`,
    });
  }
  return { value, origin: { from: "file", name: file.path } };
}

function pickHost(
  overrides: ConfigOverrides,
  env: Environment,
  config: Config,
  file: string | undefined,
  problems: ConfigProblem[],
): Picked<string> {
  const outside = firstGiven(["flag", "--host", overrides.host], ["env", "QUICKSWARM_HOST", env.QUICKSWARM_HOST]);
  if (outside) {
    const checked = checkConfig({ gateway: { host: outside.text } });
    for (const problem of checked.problems) problems.push({ ...problem, path: outside.origin.name });
    return { value: outside.text, origin: outside.origin };
  }
  return fromFile(config.gateway?.host, HOST_DEFAULT, file);
}

function pickPort(
  overrides: ConfigOverrides,
  env: Environment,
  config: Config,
  file: string | undefined,
  problems: ConfigProblem[],
): Picked<number> {
  const outside = firstGiven(["flag", "--port", overrides.port], ["env", "QUICKSWARM_PORT", env.QUICKSWARM_PORT]);
  if (outside) {
    const value = /^\d{1,5}$/.test(outside.text) ? Number(outside.text) : Number.NaN;
    if (!(value >= PORT_FIELD.min && value <= PORT_FIELD.max)) {
      const expected = `an integer from ${PORT_FIELD.min} to ${PORT_FIELD.max}`;
      problems.push({ kind: "wrong_value", path: outside.origin.name, got: gotText(outside.text), expected });
    }
    return { value, origin: outside.origin };
  }
  return fromFile(config.gateway?.port, PORT_FIELD.default, file);
}

/** The token never stands in a message: what is wrong with it is said by its length alone. */
function pickToken(env: Environment, problems: ConfigProblem[]): Picked<string | undefined> {
  const token = env.QUICKSWARM_TOKEN;
  if (!token) return { value: undefined, origin: { from: "default" } };
  if (!/^[\x21-\x7e]+$/.test(token) || token.length < TOKEN_CHARS_MIN || token.length > TOKEN_CHARS_MAX) {
    problems.push({
      kind: "wrong_value",
      path: "QUICKSWARM_TOKEN",
      got: `a value of ${token.length} characters (not shown)`,
      expected: `${TOKEN_CHARS_MIN} to ${TOKEN_CHARS_MAX} visible ASCII characters without spaces`,
    });
  }
  return { value: token, origin: { from: "env", name: "QUICKSWARM_TOKEN" } };
}

/** An empty variable or flag counts as not given, as shells and containers hand it on. */
function firstGiven(...candidates: ["flag" | "env", string, string | undefined][]) {
  const given = candidates.find(([, , text]) => text !== undefined && text !== "");
  return given && { text: given[2] ?? "", origin: { from: given[0], name: given[1] } };
}

function fromFile<Value>(given: Value | undefined, byDefault: Value, file: string | undefined): Picked<Value> {
  if (given === undefined || file === undefined) return { value: byDefault, origin: { from: "default" } };
  return { value: given, origin: { from: "file", name: file } };
}

function toPath(text: string, base: string, homeDir: string): string {
  if (text === "~" || text.startsWith("~/")) return join(homeDir, text.slice(1));
  return resolve(base, text);
}

function warningsOf(env: Environment, file: ConfigFile): string[] {
  const strangers = Object.keys(env).filter((name) => name.startsWith("QUICKSWARM_") && !VARIABLES.includes(name));
  const unknown = strangers.map((name) => {
    const near = nearest(name, VARIABLES);
    return `the variable ${name} is not read${near === undefined ? "" : `; did you mean ${near}?`}`;
  });
  return [...file.ignored.map((path) => `${path} is not read: ${file.path} is the configuration file`), ...unknown];
}

function invalid(problems: ConfigProblem[], file: string | undefined) {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const where = file === undefined ? "" : ` (file ${file})`;
  const lines = problems.map((problem) => `\n  ${problemText(problem)}`).join("");
  return fault("config_invalid", `the configuration has ${count}${where}:${lines}`, {
    ...(file === undefined ? {} : { place: { file } }),
    next: "Correct the value at each path named above.",
    details: { problems: problems.map((problem) => JSON.parse(JSON.stringify(problem))) },
  });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
