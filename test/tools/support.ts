// A tool host over real servers: programs of their own, or a server in the test's process over real HTTP.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { checkConfig } from "../../src/config/check.ts";
import { resolveTools } from "../../src/config/tools.ts";
import type { Clock } from "../../src/contract/clock.ts";
import type { Json } from "../../src/contract/json.ts";
import type { ToolSettings } from "../../src/contract/tool-settings.ts";
import type { ToolAnswer } from "../../src/contract/tools.ts";
import { checkArguments } from "../../src/models/schema/arguments.ts";
import { Validator } from "../../src/models/schema/validator.ts";
import { createToolHost, type ToolHost } from "../../src/tools/host.ts";
import type { HostTool } from "../../src/tools/host-tool.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp.ts";

export const SECRET = "canary-71be04";
const PROGRAM = fileURLToPath(new URL("./programs/server.mjs", import.meta.url));

export interface LedgerEntry {
  started?: number;
  tool?: string;
  key?: string;
  attempt?: number;
  cancelled?: boolean;
}

export interface Fixture {
  /** For `tools.mcp.<server>`. */
  config: { command: string; args: string[]; env: { [name: string]: string }; [field: string]: unknown };
  /** What the program noted, in order. */
  ledger(): LedgerEntry[];
}

/** The fixture server as a program, with a ledger of its own. */
export function fixtureProgram(env: { [name: string]: string } = {}, more: object = {}): Fixture {
  const path = join(tempDir(), "ledger.jsonl");
  const ledger = (): LedgerEntry[] =>
    existsSync(path)
      ? readFileSync(path, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as LedgerEntry)
      : [];
  return {
    config: { command: process.execPath, args: [PROGRAM], env: { LEDGER: path, SECRET, ...env }, ...more },
    ledger,
  };
}

/** Settings as the configuration makes them. @throws Error with the problems, when there are any */
export function toolSettings(mcp: object, more: object = {}): ToolSettings {
  const checked = checkConfig({ tools: { mcp, ...more } });
  const problems = [...checked.problems];
  const settings = resolveTools(checked.config ?? {}, { env: {}, toPath: (text) => text, problems });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return settings;
}

export interface Rig {
  host: ToolHost;
  clock: ManualClock;
  logged: { message: string; fields: { [name: string]: string } }[];
  call(
    name: string,
    args?: { [key: string]: Json },
    more?: { signal?: AbortSignal; key?: string },
  ): Promise<ToolAnswer>;
}

export function rig(mcp: object, changes: { tools?: HostTool[]; clock?: Clock; more?: object } = {}): Rig {
  const clock = new ManualClock();
  const logged: Rig["logged"] = [];
  const host = createToolHost({
    clock: changes.clock ?? clock,
    version: "0.0.0",
    settings: toolSettings(mcp, changes.more),
    tools: changes.tools ?? [],
    checkArguments: checkArguments(new Validator()),
    log: (_level, message, fields) => void logged.push({ message, fields }),
  });
  onTestFinished(() => host.close());
  return {
    host,
    clock,
    logged,
    call: (name, args = {}, more = {}) => {
      const [server = "", ...tool] = name.split(".");
      const signal = more.signal ?? new AbortController().signal;
      return host.call({ server, name: tool.join("."), args, idempotencyKey: more.key ?? "key-1", attempt: 1, signal });
    },
  };
}
