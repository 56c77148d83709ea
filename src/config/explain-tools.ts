// The rows of tools for `quickswarm config` (C-010). What a program or a server is given may be secret and is
// never shown; only its names are.

import type { Json } from "../contract/json.ts";
import type { McpServerSettings } from "../contract/tool-settings.ts";
import { type ExplainedField, fromFile, SECRET_MASK } from "./explained.ts";
import { type IntegerField, TOOL_FIELDS } from "./fields.ts";
import type { LoadedSettings } from "./load.ts";

export function toolRows(loaded: LoadedSettings): ExplainedField[] {
  const { tools } = loaded.settings;
  if (!tools) return [];
  const top = (name: "maxConcurrentCalls" | "maxConcurrentCallsPerRun"): ExplainedField =>
    fromFile(loaded, { path: `tools.${name}`, value: tools[name], given: loaded.config.tools?.[name] });
  return [
    top("maxConcurrentCalls"),
    top("maxConcurrentCallsPerRun"),
    ...Object.values(tools.servers).flatMap((server) => serverRows(loaded, server)),
  ];
}

function serverRows(loaded: LoadedSettings, server: McpServerSettings): ExplainedField[] {
  const given = loaded.config.tools?.mcp?.[server.id];
  const { transport } = server;
  const row = (name: string, value: Json, said: unknown, field?: IntegerField): ExplainedField =>
    fromFile(loaded, { path: `tools.mcp.${server.id}.${name}`, value, given: said, field });
  const masked = (name: "env" | "headers"): ExplainedField[] =>
    Object.keys(given?.[name] ?? {}).map((key) => row(`${name}.${key}`, SECRET_MASK, true));
  const place =
    transport.kind === "http"
      ? [row("url", transport.url, given?.url), ...masked("headers")]
      : [
          row("command", transport.command, given?.command),
          row("args", transport.args.length === 0 ? [] : SECRET_MASK, given?.args),
          row("cwd", transport.cwd ?? null, given?.cwd),
          ...masked("env"),
        ];
  const approval = typeof server.approval === "string" ? server.approval : [...server.approval];
  return [
    ...place,
    row("approval", approval, given?.approval),
    row("startTimeoutMs", server.startTimeoutMs, given?.startTimeoutMs, TOOL_FIELDS.startTimeoutMs),
    row("timeoutMs", server.timeoutMs, given?.timeoutMs, TOOL_FIELDS.timeoutMs),
    row("maxResultBytes", server.maxResultBytes, given?.maxResultBytes, TOOL_FIELDS.maxResultBytes),
    row("showErrors", server.showErrors, given?.showErrors),
  ];
}
