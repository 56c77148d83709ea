// Which tools a child or a script may use: what its agent is allowed, and of that what the call names. What is
// named and is not there, or not allowed, is an error and never passed over (like S-005).

import { type Fault, fault } from "../contract/fault.ts";
import { isToolAllowed, matches, type OfferedTool } from "../contract/tools.ts";

export interface Wish {
  /** Patterns of the agent; undefined: all that a call names. */
  allowed: readonly string[] | undefined;
  /** Patterns of the call; undefined: all that the agent is allowed. */
  asked: readonly string[] | undefined;
}

/** Names in a message. */
const NAMES_TOLD_MAX = 20;

/**
 * The servers that have to be asked for their tools.
 * @throws Fault `tool_unknown` for a name whose server is not there, `tool_not_allowed`
 */
export function serversOf({ allowed, asked }: Wish, servers: readonly string[]): string[] {
  for (const pattern of asked ?? []) {
    const isKnown = pattern === "*" || servers.some((server) => isOfServer(pattern, server));
    if (!isKnown)
      throw unknownTool(
        pattern,
        servers.map((server) => `${server}.*`),
      );
    if (allowed && !pattern.includes("*") && !isToolAllowed(pattern, allowed)) throw notAllowed(pattern, allowed);
  }
  const wanted = asked ?? allowed ?? [];
  const isWanted = (server: string, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => pattern === "*" || isOfServer(pattern, server));
  return servers.filter((server) => isWanted(server, wanted) && (!allowed || isWanted(server, allowed)));
}

/** Of the tools that are there, those that may be used. @throws Fault `tool_unknown` */
export function offeredOf({ allowed, asked }: Wish, tools: readonly OfferedTool[]): OfferedTool[] {
  const names = tools.map(nameOf);
  for (const pattern of asked ?? []) {
    if (pattern.includes("*") || names.includes(pattern)) continue;
    throw unknownTool(pattern, names);
  }
  return tools.filter((tool) => {
    const name = nameOf(tool);
    return isToolAllowed(name, asked ?? allowed ?? []) && (!allowed || isToolAllowed(name, allowed));
  });
}

export function nameOf({ server, name }: { server: string; name: string }): string {
  return `${server}.${name}`;
}

export function unknownTool(name: string, known: readonly string[]): Fault {
  const more = known.length > NAMES_TOLD_MAX ? `, and ${known.length - NAMES_TOLD_MAX} more` : "";
  const list = known.length === 0 ? "none" : known.slice(0, NAMES_TOLD_MAX).join(", ") + more;
  const quoted = JSON.stringify(name.slice(0, 200));
  return fault("tool_unknown", `There is no tool ${quoted}; there are: ${list}.`, {
    details: { tool: name.slice(0, 200) },
  });
}

export function notAllowed(name: string, allowed: readonly string[]): Fault {
  const list = allowed.slice(0, NAMES_TOLD_MAX).join(", ") || "no tool";
  return fault(
    "tool_not_allowed",
    `The tool ${JSON.stringify(name.slice(0, 200))} is not allowed here; allowed: ${list}.`,
    {
      details: { tool: name.slice(0, 200) },
    },
  );
}

function isOfServer(pattern: string, server: string): boolean {
  const dot = pattern.indexOf(".");
  return dot > 0 && matches(server, pattern.slice(0, dot));
}
