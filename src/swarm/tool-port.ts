// The port to the tools (met by src/tools, in src/runtime): what scripts may call, and the calls themselves.

import type { ToolAnswer, ToolCallRequest } from "../contract/tools.ts";

export interface ToolWish {
  /** Patterns of the agent; undefined: all that a call names. */
  allowed: readonly string[] | undefined;
  /** Patterns of the call; undefined: all that the agent is allowed. */
  asked: readonly string[] | undefined;
}

export interface ScriptTools {
  /** Calls of one script that may be under way at once. */
  readonly callsPerRunMax: number;
  /** Whether a wish can be granted, as far as that is known at once. @throws Fault `tool_unknown`, `tool_not_allowed` */
  check(wish: ToolWish): void;
  /** The servers whose tools a script may call. */
  serversFor(allowed: readonly string[] | undefined): string[];
  /** TypeScript declarations of a server's tools; a comment that says why, when it is not there. Rejects only with the signal's reason. */
  declarations(server: string, allowed: readonly string[] | undefined, signal: AbortSignal): Promise<string>;
  /** Answers once, also when the tool fails; rejects only when the signal aborts or the gateway closes. */
  call(request: ToolCallRequest): Promise<ToolAnswer>;
}
