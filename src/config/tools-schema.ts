// The shape of tools.mcp and of an agent's list of tools. It refuses what is wrong; defaults belong to tools.ts.

import { z } from "zod";
import { HOST_TOOLS, TOOL_PATTERN } from "../contract/tools.ts";
import { TOOL_FIELDS } from "./fields.ts";
import { flag, matching, objectError, ranged, text } from "./schema-parts.ts";

/** Names of servers; a script writes them as `tools.<server>`. */
const SERVER_ID = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
export const SERVERS_COUNT_MAX = 100;
const LIST_COUNT_MAX = 200;
const TOOL_NAME = /^[A-Za-z0-9_.*/-]{1,128}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]{0,4000}$/;

export const agentToolList = z
  .array(matching(TOOL_PATTERN, 'tools as "server.tool", with * for any part of the name'), {
    error: "a list of tools",
  })
  .max(LIST_COUNT_MAX, { error: `at most ${LIST_COUNT_MAX} entries` });

const serverId = z.string().refine((id) => SERVER_ID.test(id) && id !== HOST_TOOLS, {
  error: `a name of letters, digits, dash and underscore that begins with a letter, other than "${HOST_TOOLS}"`,
});

const approvalError = { error: '"never", "always" or a list of tool names, with * for any part of a name' };
const valueError = "text of at most 4000 characters";

const serverObject = z
  .strictObject(
    {
      command: text("a program", 4096).optional(),
      args: z
        .array(z.string({ error: "text" }).max(8192), { error: "a list of strings" })
        .max(200)
        .optional(),
      env: z.record(matching(VARIABLE, "the name of a variable"), z.string({ error: valueError }).max(4000)).optional(),
      cwd: text("a path", 4096).optional(),
      url: text("an address that begins with http:// or https://", 2000).optional(),
      headers: z
        .record(matching(HEADER, "the name of a header"), matching(HEADER_VALUE, "one line of ASCII text"))
        .optional(),
      approval: z
        .union([z.enum(["never", "always"]), z.array(z.string().regex(TOOL_NAME)).max(LIST_COUNT_MAX)], approvalError)
        .optional(),
      startTimeoutMs: ranged(TOOL_FIELDS.startTimeoutMs),
      timeoutMs: ranged(TOOL_FIELDS.timeoutMs),
      maxResultBytes: ranged(TOOL_FIELDS.maxResultBytes),
      showErrors: flag,
    },
    objectError,
  )
  .superRefine((server, context) => {
    const refuse = (path: string[], message: string): void => context.addIssue({ code: "custom", path, message });
    const isProgram = server.command !== undefined;
    if (isProgram === (server.url !== undefined)) refuse([], "either a command or a url");
    const foreign = isProgram ? (["headers"] as const) : (["args", "env", "cwd"] as const);
    for (const name of foreign) {
      if (server[name] !== undefined) refuse([name], `no ${name} beside ${isProgram ? "a command" : "a url"}`);
    }
  });

export const mcpServers = z.record(serverId, serverObject, { error: "an object of servers by name" });

export type McpServerFileSettings = z.infer<typeof serverObject>;
