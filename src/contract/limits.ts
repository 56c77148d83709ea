// Every bound that is not configuration (law L10), named, with its unit last. What people may set
// is in config; what protects the process itself is here.

export const KIB_BYTES = 1024;
export const MIB_BYTES = 1024 * 1024;

/** Longest script text that is accepted. */
export const SCRIPT_BYTES_MAX = 1 * MIB_BYTES;
/** Longest JSON text of `args`, files included. */
export const ARGS_BYTES_MAX = 8 * MIB_BYTES;
/** Deepest nesting of `args`, in arrays and objects. */
export const ARGS_DEPTH_MAX = 200;
/** Longest JSON text of one bridge call's arguments. */
export const CALL_BYTES_MAX = 1 * MIB_BYTES;
/** Most calls that one turn may make. */
export const CALLS_PER_TURN_MAX = 20_000;
/** Most notes (phase, log, console) kept from one turn; the rest become one truncation mark. */
export const NOTES_PER_TURN_MAX = 1_000;
/** Most notes kept for one run. */
export const NOTES_PER_RUN_MAX = 20_000;
/** Longest note; a longer one is cut with a visible mark. */
export const NOTE_CHARS_MAX = 4_000;
export const PHASE_CHARS_MAX = 200;
export const LABEL_CHARS_MAX = 200;
/** Longest run result as JSON text. */
export const RESULT_BYTES_MAX = 10 * MIB_BYTES;
/** Longest text or structured value of one child. */
export const CHILD_RESULT_BYTES_MAX = 4 * MIB_BYTES;
export const PROMPT_CHARS_MAX = 1_000_000;
export const SCHEMA_BYTES_MAX = 64 * KIB_BYTES;
export const IDEMPOTENCY_KEY_CHARS_MAX = 200;
export const GROUP_ID_CHARS_MAX = 300;
/** Most answers handed to one turn; more wait for the next. */
export const ANSWERS_PER_TURN_MAX = 512;
/** Most bytes of answers handed to one turn (the first answer always goes). */
export const ANSWER_BYTES_PER_TURN_MAX = 16 * MIB_BYTES;
/** `sleep` and time-outs: longest wait, 10 years. */
export const SLEEP_MS_MAX = 10 * 365 * 24 * 3_600_000;
export const TOOL_SERVER_CHARS_MAX = 40;
export const TOOL_NAME_CHARS_MAX = 128;
/** agents_wait: most ids in one call (S-011). */
export const WAIT_IDS_MAX = 1_000;
export const APPROVAL_TITLE_CHARS_MAX = 500;
/** Longest JSON text of what a script gives along with an approval. */
export const APPROVAL_DETAILS_BYTES_MAX = 64 * KIB_BYTES;
export const APPROVAL_COMMENT_CHARS_MAX = 4_000;
/** Longest JSON text of what is answered along with a decision. */
export const APPROVAL_DATA_BYTES_MAX = 64 * KIB_BYTES;
/** Most approvals that one run may ask for in its life. */
export const APPROVALS_PER_RUN_MAX = 10_000;
/** Longest JSON text of an event that is sent to a run. */
export const EVENT_PAYLOAD_BYTES_MAX = 64 * KIB_BYTES;
/** Most events of one name that are kept for a run until its script waits for them. */
export const EVENTS_KEPT_PER_NAME_MAX = 100;
/** Most events of all names that are kept for one run. */
export const EVENTS_KEPT_PER_RUN_MAX = 1_000;
/** Longest name of an event that a script waits for. */
export const EVENT_NAME_CHARS_MAX = 100;
export const WAIT_TIMEOUT_SECONDS_DEFAULT = 30;
/** Most times a child is retried on the script's request. */
export const RETRIES_MAX = 20;
/** A run whose resume took the process down this often is quarantined. */
export const RESUME_CRASHES_MAX = 3;
/** Most rows one page of a listing holds. */
export const PAGE_ROWS_MAX = 1_000;
export const PAGE_ROWS_DEFAULT = 100;
/** S-017: minutes after its run ended until a group is archived; 0 in configuration = never. */
export const DEFAULT_SUBAGENT_ARCHIVE_AFTER_MINUTES = 60;
/** Steps between two full snapshots of a run; in between only differences are stored. */
export const SNAPSHOT_CHAIN_LENGTH_MAX = 16;
/** Most answers that one fork sets. */
export const FORK_ANSWERS_MAX = 1_000;
/** Most turns of one run that stay restorable. */
export const KEEP_HISTORY_TURNS_MAX = 1_000;
/** Longest wait of one long-poll for a run's end; a client asks again. */
export const LONG_POLL_SECONDS_MAX = 600;
/** Longest file path taken over HTTP. */
export const PATH_CHARS_MAX = 4_096;
/** Longest HTTP body that the gateway reads. */
export const HTTP_BODY_BYTES_MAX = 16 * MIB_BYTES;
/** Longest text the CLI takes by --files in total, and of one file. */
export const FILES_BYTES_MAX = 4 * MIB_BYTES;
export const FILES_COUNT_MAX = 2_000;
/** Agents that one workflow may start (D-006). */
export const WORKFLOW_AGENTS_MAX = 1_000;
/** Most items of one parallel() or pipeline() (D-004). */
export const PIPELINE_ITEMS_MAX = 4_096;
/** Saved workflows that one run may call: most of them, and most bytes of text in all (D-008). */
export const SAVED_WORKFLOWS_MAX = 1_000;
export const SAVED_WORKFLOWS_BYTES_MAX = 4 * MIB_BYTES;
/** Longest name and path of a saved workflow. */
export const WORKFLOW_NAME_CHARS_MAX = 300;
/** Warnings that a census shows. */
export const CENSUS_WARNINGS_MAX = 50;
/** Largest budgets that can be given; above them it is a mistake. */
export const BUDGET_TOKENS_MAX = 1_000_000_000_000;
export const BUDGET_USD_MAX = 10_000_000;
export const BUDGET_SECONDS_MAX = SLEEP_MS_MAX / 1000;
export const BUDGET_CHILDREN_MAX = 1_000_000;
