// The guest's half of the bridge, as text: it evaluates to `(bridge) => dispatch`. The text is what is
// hashed into the base image, so a run is always resumed by the controller it began with.

import { readFileSync } from "node:fs";
import { AGENTS } from "./agents.ts";
import { CALLS } from "./calls.ts";
import { INSPECT } from "./inspect.ts";
import { JSON_TEXT } from "./json.ts";
import { LIFECYCLE } from "./lifecycle.ts";
import { NOTES } from "./notes.ts";
import { OPTIONS } from "./options.ts";
import { PRIMORDIALS } from "./primordials.ts";
import { SESSIONS } from "./sessions.ts";
import { SIGNALS } from "./signals.ts";
import { SURFACE } from "./surface.ts";

/** The text of guest-types/agents.d.ts, which scripts read with API.read("agents.d.ts") (G-011). */
function readAgentsDts(): string {
  return readFileSync(new URL("../../../guest-types/agents.d.ts", import.meta.url), "utf8");
}

/** The whole controller, ready to be evaluated in a fresh engine. */
export function controllerText(agentsDts: string = readAgentsDts()): string {
  const parts = [
    PRIMORDIALS,
    JSON_TEXT,
    INSPECT,
    CALLS,
    SIGNALS,
    OPTIONS,
    AGENTS,
    SESSIONS,
    NOTES,
    `const AGENTS_DTS = ${JSON.stringify(agentsDts)};\n`,
    SURFACE,
    LIFECYCLE,
  ];
  return `(function (bridge) {\n"use strict";\n${parts.join("\n")}})`;
}
