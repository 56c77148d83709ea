// What tools are configured by, resolved: the servers that offer them, and how they may be called. src/config
// makes it once and freezes it; src/tools reads it. Everything secret is held so that it cannot be printed.

import type { Secret } from "./model-settings.ts";

export type McpTransport =
  | {
      kind: "stdio";
      command: string;
      args: readonly string[];
      /** Added to the few variables that a program needs anyway. */
      env: { readonly [name: string]: Secret };
      /** Undefined: where the gateway was started. */
      cwd: string | undefined;
    }
  | { kind: "http"; url: string; headers: { readonly [name: string]: Secret } };

export interface McpServerSettings {
  id: string;
  transport: McpTransport;
  /** Which of its tools need a person's approval; a list holds patterns of tool names. */
  approval: "never" | "always" | readonly string[];
  startTimeoutMs: number;
  timeoutMs: number;
  maxResultBytes: number;
  /** Whether models and scripts read the text of a failed call, and not its name and code alone (B-018). */
  showErrors: boolean;
}

export interface ToolSettings {
  /** By id; no prototype. */
  servers: { readonly [id: string]: McpServerSettings };
  maxConcurrentCalls: number;
  maxConcurrentCallsPerRun: number;
}
