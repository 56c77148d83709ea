// Opens the tools of a gateway: the configured servers, which start with their first use, and the functions that
// the program registered. Children and scripts share them, and the threads that check values.

import type { Clock } from "../contract/clock.ts";
import type { Settings } from "../contract/settings.ts";
import type { ToolSettings } from "../contract/tool-settings.ts";
import { checkArguments } from "../models/schema/arguments.ts";
import type { Validator } from "../models/schema/validator.ts";
import type { SwarmLog } from "../swarm/context.ts";
import { createToolHost, type ToolHost } from "../tools/host.ts";
import type { HostTool } from "../tools/host-tool.ts";
import { VERSION } from "./version.ts";

export interface ToolParts {
  settings: Settings;
  clock: Clock;
  log: SwarmLog;
  validator: Validator;
  tools: readonly HostTool[] | undefined;
}

const NO_SERVERS: ToolSettings = { servers: {}, maxConcurrentCalls: 64, maxConcurrentCallsPerRun: 16 };

export function openTools({ settings, clock, log, validator, tools }: ToolParts): ToolHost {
  return createToolHost({
    clock,
    version: VERSION,
    settings: settings.tools ?? NO_SERVERS,
    tools: tools ?? [],
    checkArguments: checkArguments(validator),
    log,
  });
}
