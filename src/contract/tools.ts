// Tools as every floor speaks of them: what a server offers, how one is called, and what comes back. Names
// are "server.tool"; the tools that the host itself registered stand under the server name "host".

import type { FaultCode } from "./fault.ts";
import type { Json } from "./json.ts";

/** The server name of the tools that the host registered. */
export const HOST_TOOLS = "host";

/** "server.tool" with `*` for any part; a lone `*` is every tool. */
export const TOOL_PATTERN = /^(\*|[A-Za-z*][A-Za-z0-9_*-]{0,39}\.[A-Za-z0-9_.*/-]{1,128})$/;

export interface OfferedTool {
  server: string;
  /** As its server knows it. */
  name: string;
  description: string;
  /** JSON Schema of the arguments, always of an object. */
  inputSchema: { [key: string]: Json };
  /** JSON Schema of the value, when the server gives one. */
  outputSchema?: { [key: string]: Json } | undefined;
}

export interface ToolCallRequest {
  server: string;
  name: string;
  args: { [key: string]: Json };
  /** The same for every attempt of one call (L12). */
  idempotencyKey: string;
  /** 1 for the first. */
  attempt: number;
  signal: AbortSignal;
}

/** Codes that a failed call is told by. */
export type ToolFaultCode = Extract<FaultCode, `tool_${string}` | "approval_required">;

export type ToolAnswer =
  | {
      ok: true;
      /** For a model to read. */
      text: string;
      /** The structured value, when the tool gave one. */
      value?: Json | undefined;
    }
  | {
      ok: false;
      code: ToolFaultCode;
      /** Without the words of the tool itself, unless its server is trusted with that (B-018). */
      message: string;
    };

/** Whether `name` ("server.tool") is one of those that `patterns` allow. */
export function isToolAllowed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(name, pattern));
}

/** Whether `name` is `pattern`, where `*` stands for any characters. Without regular expressions: nothing backtracks. */
export function matches(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? "";
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
