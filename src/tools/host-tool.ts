// Tools that the program which opened the runtime registered itself: functions of this very process, called
// like those of a server, under the server name "host".

import { fault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import { HOST_TOOLS, type OfferedTool } from "../contract/tools.ts";

export interface HostToolCall {
  /** Aborted at the deadline, when the child or run is stopped, and when the gateway closes. */
  signal: AbortSignal;
  /** The same for every attempt of one call: what was done under it before must not be done again (L12). */
  idempotencyKey: string;
  attempt: number;
}

export interface HostTool {
  /** Letters, digits, dash and underscore. */
  name: string;
  description: string;
  /** JSON Schema of the arguments, of an object. */
  inputSchema: { [key: string]: Json };
  /** JSON Schema of the value it returns; only for the declarations that scripts read. */
  outputSchema?: { [key: string]: Json } | undefined;
  /** Whether a person has to approve its calls. */
  approval?: boolean | undefined;
  timeoutMs?: number | undefined;
  /** Returns JSON, or text. What it throws is told by name and code only (B-018). */
  run(args: { [key: string]: Json }, call: HostToolCall): Promise<Json | undefined> | Json | undefined;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The tools by name. @throws Fault `bad_request` for a name that is none or stands twice */
export function hostTools(given: readonly HostTool[]): Map<string, HostTool> {
  const tools = new Map<string, HostTool>();
  for (const tool of given) {
    if (!NAME.test(tool.name) || tools.has(tool.name)) {
      const what = tools.has(tool.name) ? "stands twice" : "is not of letters, digits, dash and underscore";
      throw fault("bad_request", `tools: the name ${JSON.stringify(String(tool.name).slice(0, 80))} ${what}.`);
    }
    tools.set(tool.name, tool);
  }
  return tools;
}

export function offeredHostTool({ name, description, inputSchema, outputSchema }: HostTool): OfferedTool {
  return { server: HOST_TOOLS, name, description, inputSchema, outputSchema };
}
