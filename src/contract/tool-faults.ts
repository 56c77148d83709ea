// The rows of the fault table that are about tools and their servers. fault-table.ts checks them and gives the
// exit codes their names: 1 failed, 4 refused.

export const TOOL_FAULTS = {
  tool_unknown: {
    owner: "caller",
    retry: false,
    httpStatus: 422,
    exitCode: 4,
    next: "Use a name that the message lists; a server's tools are those it offers when it is asked.",
  },
  tool_not_allowed: {
    owner: "operator",
    retry: false,
    httpStatus: 403,
    exitCode: 4,
    next: "Add the tool to the agent's list of tools, or do without it.",
  },
  tool_arguments: {
    owner: "caller",
    retry: false,
    httpStatus: 422,
    exitCode: 1,
    next: "Give arguments that fit the tool's schema.",
  },
  tool_failed: {
    owner: "host",
    retry: false,
    httpStatus: 502,
    exitCode: 1,
    next: "The tool failed; its words are in the gateway's log.",
  },
  tool_unavailable: {
    owner: "host",
    retry: true,
    httpStatus: 503,
    exitCode: 1,
    next: "The server of the tool could not be started or reached; correct tools.mcp or try again.",
  },
  tool_timeout: {
    owner: "host",
    retry: true,
    httpStatus: 504,
    exitCode: 1,
    next: "The tool took longer than tools.mcp.<server>.timeoutMs; give it more time or less to do.",
  },
  tool_result_too_large: {
    owner: "host",
    retry: false,
    httpStatus: 422,
    exitCode: 1,
    next: "Ask the tool for less, or raise tools.mcp.<server>.maxResultBytes.",
  },
  approval_required: {
    owner: "operator",
    retry: false,
    httpStatus: 403,
    exitCode: 4,
    next: "The tool needs a person's approval, which children and scripts cannot get; see tools.mcp.<server>.approval.",
  },
  child_step_limit: {
    owner: "host",
    retry: false,
    httpStatus: 422,
    exitCode: 1,
    next: "Ask for less in one child, or raise the agent's maxSteps.",
  },
} as const;
