// Controller, part 12: tools.<server>.<tool>(args), calls of the tools that the host has (G-014). Which servers
// there are is told at the start; a server's tools are looked up by whoever answers the call.

import { CALL_BYTES_MAX } from "../../contract/limits.ts";
import { guestText } from "./text.ts";

export const TOOLS = guestText`
const TOOL_ARGS_BYTES_MAX = ${CALL_BYTES_MAX} - 1024;
const PlainProxy = Proxy;
const toolName = /^[A-Za-z0-9_.\/-]{1,128}$/;
/** Looked up by the language itself, on any value: no tools. */
const notTools = { __proto__: null, then: true, toJSON: true, constructor: true, toString: true, valueOf: true };

function callTool(server, tool, args, place) {
  const where = "tools." + server + "." + tool + ": args";
  const argsText = args === undefined ? "{}" : jsonObject(args, where);
  // Counted in characters, of which there are never more than bytes; the host counts bytes.
  if (argsText.length > TOOL_ARGS_BYTES_MAX) {
    throw typeError(where + " must take at most " + TOOL_ARGS_BYTES_MAX + " bytes as JSON, got at least " + argsText.length);
  }
  const head = '{"server":' + jsonStringify(server) + ',"tool":' + jsonStringify(tool);
  return callOnce(KIND_WAIT, "toolCall", head + ',"args":' + argsText + "}", place);
}

function toolServer(server) {
  return new PlainProxy(freeze({ __proto__: null }), {
    __proto__: null,
    get(target, tool) {
      if (typeof tool !== "string" || notTools[tool] || regExpExec(toolName, tool) === null) return undefined;
      return freeze(function (args) {
        return callTool(server, tool, args, here());
      });
    },
  });
}

/** servers: [{ name, declarations }], declarations as a text or absent. */
function installTools(servers) {
  const tools = { __proto__: null };
  for (let index = 0; index < servers.length; index += 1) {
    const server = servers[index];
    define(tools, server.name, toolServer(server.name), true);
    if (server.declarations !== undefined) define(API_FILES, "tools/" + server.name + ".d.ts", server.declarations, true);
  }
  apiNames = objectKeys(API_FILES);
  fix(root, "tools", freeze(tools));
}
`;
