// The guest's half of the bridge, as text: it evaluates to `(bridge) => dispatch`. The text is what is
// hashed into the base image, so a run is always resumed by the controller it began with.

import { readFileSync } from "node:fs";
import { AGENTS } from "./agents.ts";
import { CALLS } from "./calls.ts";
import { DIALECT } from "./dialect.ts";
import { INSPECT } from "./inspect.ts";
import { JSON_TEXT } from "./json.ts";
import { LIFECYCLE } from "./lifecycle.ts";
import { NOTES } from "./notes.ts";
import { OPTIONS } from "./options.ts";
import { PEOPLE } from "./people.ts";
import { PRIMORDIALS } from "./primordials.ts";
import { SESSIONS } from "./sessions.ts";
import { SIGNALS } from "./signals.ts";
import { SURFACE } from "./surface.ts";
import { TOOLS } from "./tools.ts";

const API_FILES = ["agents.d.ts", "people.d.ts", "tools.d.ts", "workflow.d.ts"];

/** The texts of guest-types, which scripts read with API.read("agents.d.ts") (G-011). */
function readApiFiles(): { [name: string]: string } {
  const read = (name: string) => readFileSync(new URL(`../../../guest-types/${name}`, import.meta.url), "utf8");
  return Object.fromEntries(API_FILES.map((name) => [name, read(name)]));
}

/** The whole controller, ready to be evaluated in a fresh engine. */
export function controllerText(apiFiles: { [name: string]: string } = readApiFiles()): string {
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
    `const API_FILES = ${JSON.stringify(apiFiles)};\n`,
    SURFACE,
    PEOPLE,
    TOOLS,
    DIALECT,
    LIFECYCLE,
  ];
  return `(function (bridge) {\n"use strict";\n${parts.join("\n")}})`;
}
