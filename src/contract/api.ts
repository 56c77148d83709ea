// The requests that HTTP, the CLI and later MCP share. One schema each; types inferred.

import { z } from "zod";
import { budgetSchema, childBudgetSchema } from "./budget.ts";
import {
  FORK_ANSWERS_MAX,
  GROUP_ID_CHARS_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
  KEEP_HISTORY_TURNS_MAX,
  LABEL_CHARS_MAX,
  LONG_POLL_SECONDS_MAX,
  PAGE_ROWS_MAX,
  PATH_CHARS_MAX,
  PROMPT_CHARS_MAX,
  RETRIES_MAX,
  SAVED_WORKFLOWS_MAX,
  SCRIPT_BYTES_MAX,
  SLEEP_MS_MAX,
  WAIT_IDS_MAX,
  WORKFLOW_NAME_CHARS_MAX,
} from "./limits.ts";
import { childStatusSchema, placeSchema, runRecordSchema, runStateSchema } from "./records.ts";

/** One saved workflow with its text. */
export const savedWorkflowSchema = z.strictObject({
  name: z.string().min(1).max(WORKFLOW_NAME_CHARS_MAX),
  /** Where it stands, as a script would write it. */
  path: z.string().min(1).max(PATH_CHARS_MAX),
  language: z.enum(["js", "ts"]),
  script: z.string().min(1).max(SCRIPT_BYTES_MAX),
});
export type SavedWorkflow = z.infer<typeof savedWorkflowSchema>;

export const submitRequestSchema = z.strictObject({
  /** The script's text. */
  script: z.string().min(1).max(SCRIPT_BYTES_MAX),
  language: z.enum(["js", "ts"]).default("js"),
  fileName: z.string().min(1).max(300).default("script.js"),
  name: z.string().min(1).max(LABEL_CHARS_MAX).optional(),
  /** Given to the script as `args`; any JSON value. */
  args: z.json().optional(),
  /** Model of children that name none, for example `offline:slow`. */
  model: z.string().min(1).max(200).optional(),
  agentId: z.string().min(1).max(100).optional(),
  groupId: z.string().min(1).max(GROUP_ID_CHARS_MAX).optional(),
  idempotencyKey: z.string().min(1).max(IDEMPOTENCY_KEY_CHARS_MAX).optional(),
  /** What the run may spend; the smaller of this and tools.swarm.budget.run counts, unit by unit. */
  budget: budgetSchema.optional(),
  /** A run whose results answer the calls that are the same in this one (D-009). */
  reuse: z.string().min(1).max(200).optional(),
  /** Workflows only: a model or an agentType that is mapped to nothing is an error instead of a warning (D-012). */
  strict: z.boolean().optional(),
  /** Workflows only: what its `workflow(name)` may call, besides those that the gateway has saved (D-008). */
  workflows: z.array(savedWorkflowSchema).max(SAVED_WORKFLOWS_MAX).optional(),
  /** Turns of this run that stay restorable; the configuration's default when absent. */
  keepHistory: z.number().int().min(0).max(KEEP_HISTORY_TURNS_MAX).optional(),
});
export type SubmitRequest = z.infer<typeof submitRequestSchema>;
/** What a client may send; defaults are filled in by the schema. */
export type SubmitInput = z.input<typeof submitRequestSchema>;

export const forkRequestSchema = z.strictObject({
  /** A kept turn; without one the newest. */
  at: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  /** Answers of calls that were pending then, instead of those that they got or will get. */
  answers: z
    .array(z.strictObject({ callId: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER), value: z.json() }))
    .max(FORK_ANSWERS_MAX)
    .refine((answers) => new Set(answers.map(({ callId }) => callId)).size === answers.length, {
      error: "each call may have one answer",
    })
    .default([]),
  name: z.string().min(1).max(LABEL_CHARS_MAX).optional(),
  groupId: z.string().min(1).max(GROUP_ID_CHARS_MAX).optional(),
  /** As with a new run; the original's when absent. */
  keepHistory: z.number().int().min(0).max(KEEP_HISTORY_TURNS_MAX).optional(),
  /** A run whose results answer the calls that are the same, as with a new run (D-009). */
  reuse: z.string().min(1).max(200).optional(),
  idempotencyKey: z.string().min(1).max(IDEMPOTENCY_KEY_CHARS_MAX).optional(),
});
export type ForkRequest = z.infer<typeof forkRequestSchema>;
export type ForkInput = z.input<typeof forkRequestSchema>;

export const spawnRequestSchema = z.strictObject({
  task: z.string().min(1).max(PROMPT_CHARS_MAX),
  /** Must be true: announcements do not exist here. */
  collect: z.literal(true),
  label: z.string().max(LABEL_CHARS_MAX).optional(),
  agentId: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  thinking: z.string().max(40).optional(),
  fastMode: z.union([z.boolean(), z.literal("auto")]).optional(),
  outputSchema: z.record(z.string(), z.json()).optional(),
  groupId: z.string().min(1).max(GROUP_ID_CHARS_MAX).optional(),
  /** The requester's own run or turn, for the default group (S-004). */
  requesterRunId: z.string().min(1).max(200).optional(),
  timeoutMs: z.number().int().positive().max(SLEEP_MS_MAX).optional(),
  retries: z.number().int().min(0).max(RETRIES_MAX).optional(),
  budget: childBudgetSchema.optional(),
  idempotencyKey: z.string().min(1).max(IDEMPOTENCY_KEY_CHARS_MAX).optional(),
});
export type SpawnRequest = z.infer<typeof spawnRequestSchema>;

export const waitRequestSchema = z.strictObject({
  ids: z.array(z.string().min(1).max(200)).min(1).max(WAIT_IDS_MAX),
  timeoutSeconds: z.number().positive().optional(),
});

export const stopRequestSchema = z.strictObject({ reason: z.string().max(1000).optional() });

const page = {
  limit: z.coerce.number().int().min(1).max(PAGE_ROWS_MAX).optional(),
  /** Opaque: the `next` of the page before. */
  after: z.string().max(500).optional(),
};

export const runsQuerySchema = z.strictObject({ ...page, state: runStateSchema.optional() });

export const childrenQuerySchema = z.strictObject({
  ...page,
  runId: z.string().max(200).optional(),
  groupId: z.string().max(GROUP_ID_CHARS_MAX).optional(),
  status: childStatusSchema.optional(),
});

export const groupsQuerySchema = z.strictObject(page);

/** Long-poll for the end of a run: answers at once when it ended, else after this time at the latest. */
export const endedQuerySchema = z.strictObject({
  timeoutSeconds: z.coerce.number().positive().max(LONG_POLL_SECONDS_MAX).optional(),
});
export const endedAnswerSchema = z.object({ run: runRecordSchema, ended: z.boolean() });
export type EndedAnswer = z.infer<typeof endedAnswerSchema>;

/** A turn of a run; without one the newest that is kept. */
export const turnQuerySchema = z.strictObject({
  turn: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
});

/** Where an event stream begins: after this sequence number. */
export const eventsQuerySchema = z.strictObject({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});

/** A file on the gateway's own disk; absolute, because the gateway's directory is not the caller's. */
export const backupRequestSchema = z.strictObject({ path: z.string().min(1).max(PATH_CHARS_MAX) });

/** An error as HTTP sends it: RFC 9457 with the fields of FaultData. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  next: z.string(),
  place: placeSchema.optional(),
  details: z.record(z.string(), z.json()).optional(),
});
export type Problem = z.infer<typeof problemSchema>;
