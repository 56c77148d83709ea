// The tools that a script may call: those of the servers that the gateway's configuration names, and the host's
// own. What each offers is declared in "tools/<server>.d.ts", which API.read gives to a script whose text says
// `tools`; API.list("tools/") names the servers.

/** What a tool gives: the structured value that it declares, or else text. */
type ToolValue = ReturnType<(typeof JSON)["parse"]>;

/** Declared per server in "tools/<server>.d.ts". */
interface Tools {
  readonly [server: string]: {
    readonly [tool: string]: (args?: { readonly [name: string]: unknown }) => Promise<ToolValue>;
  };
}

/**
 * Tools of the configured servers, and of the host as `tools.host`: `await tools.files.read({ path: "a.txt" })`.
 * A call is kept like an agent's: the run waits for it across restarts, and a tool may be asked again, under the
 * same key, when the process died during the call. It rejects with an Error named "ToolError" whose `code` is
 * "tool_unknown", "tool_not_allowed", "tool_arguments", "tool_failed", "tool_timeout", "tool_unavailable",
 * "tool_result_too_large" or "approval_required" (a script cannot ask a person for a tool).
 */
declare const tools: Tools;
