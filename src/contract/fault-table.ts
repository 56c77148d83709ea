// The closed list of fault codes. A new code is a new row; nothing else has to change.

import { AGENCY_FAULTS } from "./agency-faults.ts";
import { BUDGET_FAULTS } from "./budget-faults.ts";
import { CHECK_FAULTS } from "./check-faults.ts";
import { HISTORY_FAULTS } from "./history-faults.ts";
import { MODEL_FAULTS } from "./model-faults.ts";
import { PEOPLE_FAULTS } from "./people-faults.ts";
import { TOOL_FAULTS } from "./tool-faults.ts";

/** Whose fault it is: the script's, the caller's (bad input), the operator's (set-up), or the host's. */
export type FaultOwner = "script" | "caller" | "operator" | "host";

export interface FaultRow {
  readonly owner: FaultOwner;
  /** Whether the same request can succeed later without a change. */
  readonly retry: boolean;
  readonly httpStatus: number;
  readonly exitCode: number;
  /** What to do next, one sentence. */
  readonly next: string;
}

/** CLI exit codes; also printed by `quickswarm --help`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  storage: 5,
  unreachable: 6,
  killed: 7,
  internal: 70,
  /** `wait`: nothing has completed within the time-out; the same command can succeed later. */
  pending: 75,
  /** Ctrl-C or SIGTERM. */
  interrupted: 130,
} as const;

function row(owner: FaultOwner, retry: boolean, httpStatus: number, exitCode: number, next: string): FaultRow {
  return { owner, retry, httpStatus, exitCode, next };
}

export const FAULT_TABLE = {
  // The script
  script_syntax: row("script", false, 422, EXIT.usage, "Correct the script at the place shown and submit it again."),
  script_error: row("script", false, 422, EXIT.failed, "Catch the error in the script, or correct what threw it."),
  script_too_large: row("caller", false, 413, EXIT.usage, "Shorten the script; put data into args."),
  ...CHECK_FAULTS,
  unhandled_rejection: row(
    "script",
    false,
    422,
    EXIT.failed,
    "Await the promise or attach a catch to it in the same turn that made it.",
  ),
  deadlock: row(
    "script",
    false,
    422,
    EXIT.failed,
    "The script waits for a promise that nothing can settle; resolve it or wait for an agent, a sleep or an event.",
  ),
  result_not_json: row("script", false, 422, EXIT.failed, "Return plain JSON data: no functions, cycles or BigInt."),
  result_too_large: row("script", false, 422, EXIT.failed, "Return less, for example a summary or a list of ids."),
  turn_timeout: row(
    "script",
    false,
    422,
    EXIT.failed,
    "Do less between two awaits, or raise tools.codeMode.timeoutMs.",
  ),
  memory_limit: row(
    "script",
    false,
    422,
    EXIT.failed,
    "Keep less data in the script, or raise tools.codeMode.memoryLimitBytes.",
  ),
  stack_overflow: row("script", false, 422, EXIT.failed, "Recurse less deeply."),
  guest_crashed: row("script", false, 422, EXIT.failed, "The script made the engine fault; simplify what it did last."),
  output_too_large: row("script", false, 422, EXIT.failed, "Send less in one turn: fewer or shorter calls and notes."),
  too_many_calls: row(
    "script",
    false,
    422,
    EXIT.failed,
    "Make fewer calls between two awaits, or raise tools.codeMode.maxPendingToolCalls.",
  ),
  snapshot_too_large: row(
    "script",
    false,
    422,
    EXIT.failed,
    "Keep less data in the script, or raise tools.codeMode.maxSnapshotBytes.",
  ),
  // The caller
  bad_request: row("caller", false, 400, EXIT.usage, "Correct the request as the message says."),
  args_not_json: row(
    "caller",
    false,
    400,
    EXIT.usage,
    'Pass valid JSON, for example --args \'{"dir":"docs"}\', or plain text with --args-text.',
  ),
  args_too_large: row("caller", false, 413, EXIT.usage, "Pass less data in args."),
  option_unknown: row("caller", false, 400, EXIT.usage, "Remove the option or use the name that is suggested."),
  option_type: row("caller", false, 400, EXIT.usage, "Give the option a value of the type that the message names."),
  file_unreadable: row("caller", false, 400, EXIT.usage, "Check that the file exists and can be read."),
  files_too_large: row("caller", false, 413, EXIT.usage, "Pass fewer or smaller files with --files."),
  body_too_large: row("caller", false, 413, EXIT.usage, "Send a smaller request."),
  bad_content_type: row("caller", false, 415, EXIT.usage, "Send the body as application/json."),
  method_not_allowed: row("caller", false, 405, EXIT.usage, "Use a method that the answer's Allow header names."),
  not_found: row("caller", false, 404, EXIT.notFound, "List what exists with `quickswarm ls` or `quickswarm groups`."),
  workflow_unknown: row("caller", false, 404, EXIT.notFound, "List what is saved with `quickswarm workflows`."),
  wrong_state: row("caller", false, 409, EXIT.refused, "Look at the state with `quickswarm show`."),
  idempotency_conflict: row("caller", false, 409, EXIT.refused, "Use a new idempotency key for a different request."),
  unauthorized: row(
    "caller",
    false,
    401,
    EXIT.refused,
    "Send the gateway's bearer token; the CLI reads it from the data directory.",
  ),
  forbidden: row(
    "caller",
    false,
    403,
    EXIT.refused,
    "Call the gateway from this machine by its loopback address, without a foreign Host or Origin.",
  ),
  agent_unknown: row(
    "caller",
    false,
    422,
    EXIT.refused,
    "Use an agent that is configured under agents, or leave agentId out.",
  ),
  agent_not_allowed: row(
    "caller",
    false,
    403,
    EXIT.refused,
    "Add the agent to the allow list of the agent that spawns it.",
  ),
  model_unknown: row(
    "caller",
    false,
    422,
    EXIT.refused,
    "Use a model that this gateway can run, for example offline:echo.",
  ),
  child_limit: row(
    "caller",
    true,
    429,
    EXIT.refused,
    "Wait for children to end, or raise tools.swarm.maxChildrenPerGroup.",
  ),
  group_total_limit: row(
    "caller",
    false,
    429,
    EXIT.refused,
    "Use another group, or raise tools.swarm.maxTotalPerGroup.",
  ),
  spawn_depth_limit: row(
    "caller",
    false,
    403,
    EXIT.refused,
    "Children are leaves; raise tools.swarm.maxSpawnDepth to allow nesting.",
  ),
  swarm_disabled: row("operator", false, 403, EXIT.refused, "Set tools.swarm.enabled to true."),
  code_mode_disabled: row("operator", false, 403, EXIT.refused, "Set tools.codeMode.enabled to true."),
  schema_unsupported: row(
    "caller",
    false,
    422,
    EXIT.usage,
    "Use the JSON Schema keywords that the documentation lists.",
  ),
  // Children
  child_failed: row("host", true, 502, EXIT.failed, "Read the child's error; the script may catch it and go on."),
  child_killed: row("caller", false, 409, EXIT.killed, "The child was stopped on request."),
  child_timeout: row("host", true, 504, EXIT.failed, "Give the child more time with timeoutMs, or less to do."),
  child_interrupted: row(
    "host",
    true,
    503,
    EXIT.failed,
    'The child was cut by a restart and its call said onRestart: "fail"; spawn it again.',
  ),
  schema_invalid: row(
    "host",
    true,
    422,
    EXIT.failed,
    "The child's answer does not fit the schema; relax it or say in the prompt what is wanted.",
  ),
  run_stopped: row("caller", false, 409, EXIT.killed, "The run was stopped on request."),
  run_quarantined: row(
    "host",
    false,
    409,
    EXIT.failed,
    "Resuming this run took the gateway down repeatedly; release it with `quickswarm resume RUN` once the cause is known.",
  ),
  // Models and their providers
  ...MODEL_FAULTS,
  ...HISTORY_FAULTS,
  // Teams of agents
  ...AGENCY_FAULTS,
  ...PEOPLE_FAULTS,
  ...BUDGET_FAULTS,
  ...TOOL_FAULTS,
  // Configuration and set-up
  config_invalid: row("operator", false, 400, EXIT.usage, "Correct the value at the path that the message names."),
  config_unreadable: row(
    "operator",
    false,
    400,
    EXIT.usage,
    "Check the file named by --config; it must be JSON or JSON5.",
  ),
  native_module_missing: row(
    "operator",
    false,
    500,
    EXIT.storage,
    "Run `npm rebuild better-sqlite3` (npm 12: allow its install script first), then try again.",
  ),
  node_too_old: row("operator", false, 500, EXIT.usage, "Use Node.js 20.19 or newer."),
  port_in_use: row(
    "operator",
    true,
    500,
    EXIT.refused,
    "Choose another port with --port, or stop the program that holds it.",
  ),
  gateway_unreachable: row("operator", true, 503, EXIT.unreachable, "Start the gateway with `quickswarm gateway`."),
  // Storage
  storage_full: row(
    "operator",
    true,
    507,
    EXIT.storage,
    "Free space on the disk that holds the data directory; runs go on by themselves then.",
  ),
  storage_io: row("operator", true, 500, EXIT.storage, "Check the disk that holds the data directory."),
  storage_closed: row("host", true, 503, EXIT.storage, "The gateway is shutting down; try again when it is back."),
  database_newer: row(
    "operator",
    false,
    500,
    EXIT.storage,
    "Use the quickswarm version that wrote this database, or a newer one; it was left untouched.",
  ),
  database_locked: row(
    "operator",
    true,
    409,
    EXIT.refused,
    "Another gateway owns this data directory; use it, stop it, or choose another with --data.",
  ),
  database_damaged: row(
    "operator",
    false,
    500,
    EXIT.storage,
    "Restore the data directory from a backup made with `quickswarm backup`.",
  ),
  snapshot_damaged: row(
    "host",
    false,
    500,
    EXIT.storage,
    "The run's snapshot failed its check and the run was ended; restore a backup to go back to it.",
  ),
  snapshot_foreign: row(
    "host",
    false,
    500,
    EXIT.storage,
    "The snapshot was written by another engine or controller; use the version that wrote it.",
  ),
  stale_epoch: row("host", true, 409, EXIT.refused, "The run was taken over meanwhile; read its state again."),
  // The host
  overloaded: row("host", true, 503, EXIT.refused, "Try again in a moment."),
  internal: row(
    "host",
    false,
    500,
    EXIT.internal,
    "This is a defect of quickswarm; report it with the command that led to it.",
  ),
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULT_TABLE;
