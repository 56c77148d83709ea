// tools.mcp and the variables that it names become one resolved object (C-010). A value may be the variable
// `${NAME}` of the environment, so that a secret stands in no file; none stands in a message.

import { parseBaseUrl } from "../contract/base-url.ts";
import { type Secret, secretOf } from "../contract/model-settings.ts";
import type { McpServerSettings, McpTransport, ToolSettings } from "../contract/tool-settings.ts";
import type { ConfigProblem } from "./check.ts";
import { TOOL_FIELDS } from "./fields.ts";
import type { Environment } from "./models.ts";
import type { Config } from "./schema.ts";
import { type McpServerFileSettings, SERVERS_COUNT_MAX } from "./tools-schema.ts";

interface Source {
  env: Environment;
  /** Relative working directories are resolved by it. */
  toPath: (text: string) => string;
  problems: ConfigProblem[];
}

/** What is wrong is added to `problems`. */
export function resolveTools(config: Config, source: Source): ToolSettings {
  const servers: { [id: string]: McpServerSettings } = Object.create(null);
  const given = Object.entries(config.tools?.mcp ?? {});
  if (given.length > SERVERS_COUNT_MAX) {
    const got = `${given.length} servers`;
    source.problems.push({ kind: "wrong_value", path: "tools.mcp", got, expected: `at most ${SERVERS_COUNT_MAX}` });
  }
  for (const [id, server] of given) {
    servers[id] = {
      id,
      transport: transportOf(id, server, source),
      approval: server.approval ?? "never",
      startTimeoutMs: server.startTimeoutMs ?? TOOL_FIELDS.startTimeoutMs.default,
      timeoutMs: server.timeoutMs ?? TOOL_FIELDS.timeoutMs.default,
      maxResultBytes: server.maxResultBytes ?? TOOL_FIELDS.maxResultBytes.default,
      showErrors: server.showErrors ?? false,
    };
  }
  return {
    servers,
    maxConcurrentCalls: config.tools?.maxConcurrentCalls ?? TOOL_FIELDS.maxConcurrentCalls.default,
    maxConcurrentCallsPerRun: config.tools?.maxConcurrentCallsPerRun ?? TOOL_FIELDS.maxConcurrentCallsPerRun.default,
  };
}

function transportOf(id: string, server: McpServerFileSettings, source: Source): McpTransport {
  const path = `tools.mcp.${id}`;
  if (server.url !== undefined) {
    const url = addressOf(server.url, `${path}.url`, source);
    return { kind: "http", url, headers: secretsOf(server.headers, `${path}.headers`, source) };
  }
  return {
    kind: "stdio",
    command: server.command ?? "",
    args: [...(server.args ?? [])],
    env: secretsOf(server.env, `${path}.env`, source),
    cwd: server.cwd === undefined ? undefined : source.toPath(server.cwd),
  };
}

/** An address may hold a password, so what was got is not shown. */
function addressOf(text: string, path: string, source: Source): string {
  const parsed = parseBaseUrl(text.trim());
  if (parsed) return parsed.url;
  const expected = "an address that begins with http:// or https://, without user, query or fragment";
  source.problems.push({ kind: "wrong_value", path, got: "a value that is not shown", expected });
  return "";
}

const REFERENCE = /^(.*)\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}(.*)$/;

function secretsOf(given: { [name: string]: string } | undefined, path: string, source: Source) {
  const secrets: { [name: string]: Secret } = Object.create(null);
  for (const [name, text] of Object.entries(given ?? {})) {
    secrets[name] = secretOf(secretText(text, `${path}.${name}`, source));
  }
  return secrets;
}

function secretText(text: string, path: string, source: Source): string {
  const [, before = "", variable, after = ""] = REFERENCE.exec(text) ?? [];
  if (variable === undefined) return text;
  const value = source.env[variable];
  if (value !== undefined && value !== "") return before + value + after;
  const expected = `the variable ${variable} of the environment to be set`;
  source.problems.push({ kind: "wrong_value", path, got: `\${${variable}}`, expected });
  return "";
}
