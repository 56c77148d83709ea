// What one MCP tool is: data, a handler, and the way from its value or its fault to what a client reads.
// The value stands in the answer twice, as structured content and as text for clients that read only that.

import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { toFaultData } from "../../contract/fault.ts";
import type { SwarmSettings } from "../../contract/settings.ts";
import type { Caller } from "../../runtime/api.ts";
import { framesOf } from "../log.ts";
import { problemOfError } from "../problem.ts";
import type { GatewayContext } from "../route.ts";

/** One session's view of the gateway. */
export interface McpContext {
  gateway: GatewayContext;
  /** Who the session is: from its connection, never from what it sends (S-014). */
  caller: Caller;
  /** tools.swarm as it is now. */
  swarm(): SwarmSettings;
}

export interface ToolCall<Input> extends McpContext {
  input: Input;
  /** Aborted when the client cancels. */
  cancelled: AbortSignal;
  /** Tells the client that the call goes on; nothing when it did not ask for that. */
  progress: ((progress: number, total: number, message: string) => void) | undefined;
}

export interface ToolSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly readOnly: boolean;
  /** Of no use without tools.swarm.enabled: not listed then (C-006). */
  readonly needsSwarm?: true;
  handle(call: ToolCall<unknown>): Promise<object>;
}

interface TypedTool<Input extends z.ZodType, Output extends z.ZodType> extends ToolSpec {
  readonly input: Input;
  readonly output: Output;
  handle(call: ToolCall<z.infer<Input>>): Promise<z.infer<Output> & object>;
}

/** Gives the handler the types of its schemas. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  tool: TypedTool<Input, Output>,
): ToolSpec {
  return tool;
}

/** Longest text of an answer; the whole value stands in its structured content. */
const TEXT_CHARS_MAX = 200_000;

export function addTool(server: McpServer, context: McpContext, tool: ToolSpec): void {
  const { title, description, input: inputSchema, output: outputSchema, readOnly } = tool;
  const annotations = { readOnlyHint: readOnly, destructiveHint: tool.name === "swarm_stop", openWorldHint: !readOnly };
  server.registerTool(
    tool.name,
    { title, description, inputSchema, outputSchema, annotations },
    async (input, extra) => {
      try {
        const value = await tool.handle({ ...context, input, ...linesTo(extra) });
        return { content: [{ type: "text" as const, text: textOf(value) }], structuredContent: { ...value } };
      } catch (error) {
        return failed(context, error);
      }
    },
  );
}

function textOf(value: object): string {
  const text = JSON.stringify(value);
  if (text.length <= TEXT_CHARS_MAX) return text;
  return `${text.slice(0, TEXT_CHARS_MAX)}… (cut; the whole value is in structuredContent)`;
}

/** The fault as text that a model can act on, and as data (I-005). */
function failed({ gateway }: McpContext, error: unknown) {
  const { code, detail, next, place } = problemOfError(error);
  if (code === "internal") gateway.log("error", "unexpected error", { at: framesOf(error) });
  const { details } = toFaultData(error);
  const where = place?.line === undefined ? "" : `\n  at ${place.file ?? "script"}:${place.line}:${place.column ?? 1}`;
  const excerpt = place?.excerpt === undefined ? "" : `\n${place.excerpt}`;
  const text = `error[${code}]: ${detail}${where}${excerpt}\nnext: ${next}`;
  const data = {
    code,
    message: detail,
    next,
    ...(place && { place }),
    ...(code !== "internal" && details && { details }),
  };
  return { isError: true, content: [{ type: "text" as const, text }], structuredContent: { error: data } };
}

function linesTo({ mcpReq }: ServerContext): Pick<ToolCall<unknown>, "cancelled" | "progress"> {
  const { signal: cancelled, _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { cancelled, progress: undefined };
  const progress = (value: number, total: number, message: string): void => {
    const params = { progressToken, progress: value, total, message };
    // A client that is gone is told nothing.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  return { cancelled, progress };
}
