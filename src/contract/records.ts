// The records that are stored, shown and sent. Schemas first: HTTP, CLI --json and tests share them.

import { z } from "zod";
import { budgetSchema } from "./budget.ts";
import { workflowMetaSchema } from "./workflow.ts";

export const placeSchema = z.object({
  file: z.string().optional(),
  line: z.number().optional(),
  column: z.number().optional(),
  excerpt: z.string().optional(),
});
export const faultDataSchema = z.object({
  code: z.string(),
  message: z.string(),
  next: z.string(),
  place: placeSchema.optional(),
  details: z.record(z.string(), z.json()).optional(),
});

export const usageSchema = z.object({
  /** All input tokens, cached ones included. */
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Of the input tokens: those that the provider read from its cache; missing when it does not say. */
  cachedInputTokens: z.number().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What the children of a run or a group have used together, failed and retried attempts included (B-003). */
export const spentSchema = usageSchema.extend({
  /** US dollars of the requests whose price is known. */
  costUsd: z.number(),
  /** Requests whose price is not known; their cost is missing in `costUsd`. */
  unpricedRequests: z.number(),
  /**
   * Charged to budgets alone, on top: requests that were sent and whose answer was lost, by their reservation
   * or by what had come of them.
   */
  assumedTokens: z.number(),
  assumedUsd: z.number(),
});
export type SpentTotals = z.infer<typeof spentSchema>;

/** `queued` and `running` are live; the others are final and never change again (L3). */
export const childStatusSchema = z.enum(["queued", "running", "done", "failed", "killed", "timeout"]);
export type ChildStatus = z.infer<typeof childStatusSchema>;

/** D-010: how every child of a run ended; never empty of failures that happened. */
export const censusSchema = z.object({
  done: z.number(),
  failed: z.number(),
  killed: z.number(),
  timeout: z.number(),
  schema: z.number(),
  /** Cut by a budget (S-019), and not counted as `failed` as well; absent when there are none. */
  budget: z.number().optional(),
  /** Of the done ones, those that took the result of an earlier run; absent when there are none. */
  reused: z.number().optional(),
  problems: z.array(
    z.object({ runId: z.string(), label: z.string().optional(), status: childStatusSchema, reason: z.string() }),
  ),
  /** What the product had to do otherwise than the script asked for, each once (D-012). */
  warnings: z.array(z.string()),
});
export type Census = z.infer<typeof censusSchema>;

/** A child as everybody outside sees it (S-012). In the public API its id is called `runId`. */
export const childRecordSchema = z.object({
  runId: z.string(),
  status: childStatusSchema,
  /** The child's final text; empty until it is done. */
  result: z.string(),
  structured: z.json().optional(),
  schemaError: z.string().optional(),
  error: z.string().optional(),
  /** The stable code of the failure, when there is one. */
  errorCode: z.string().optional(),
  sessionKey: z.string(),
  label: z.string().optional(),
  phase: z.string().optional(),
  model: z.string(),
  agentId: z.string().optional(),
  prompt: z.string(),
  usage: usageSchema.optional(),
  costUsd: z.number().optional(),
  attempts: z.number().int(),
  groupId: z.string(),
  parentRunId: z.string().nullable(),
  callId: z.number().int(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** The child of an earlier run whose result this one took, without running or paying (D-009). */
  reusedFrom: z.string().optional(),
  /** Only where the record stands for a run, and some of its children did not succeed (D-010). */
  census: censusSchema.optional(),
  /** Its answer was set by the fork that made it. */
  answerSet: z.boolean().optional(),
});
export type ChildRecord = z.infer<typeof childRecordSchema>;

export const waitAnswerSchema = z.object({
  completed: z.array(childRecordSchema),
  pending: z.array(z.string()),
  /** What each pending child is doing (B-037). */
  pendingDetail: z.array(
    z.object({
      runId: z.string(),
      status: childStatusSchema,
      label: z.string().optional(),
      attempts: z.number(),
      startedAt: z.number().optional(),
    }),
  ),
  errors: z.array(z.object({ runId: z.string(), error: z.enum(["not_found", "not_owner"]) })),
});
export type WaitAnswer = z.infer<typeof waitAnswerSchema>;

/** `running`: a turn is due; `waiting`: parked until an answer comes in; the others are final. */
export const runStateSchema = z.enum(["running", "waiting", "done", "failed", "killed", "quarantined"]);
export type RunState = z.infer<typeof runStateSchema>;

export const childCountsSchema = z.object({
  queued: z.number(),
  running: z.number(),
  done: z.number(),
  failed: z.number(),
  killed: z.number(),
  timeout: z.number(),
});
export type ChildCounts = z.infer<typeof childCountsSchema>;

export const runRecordSchema = z.object({
  runId: z.string(),
  name: z.string(),
  state: runStateSchema,
  sessionKey: z.string(),
  groupId: z.string(),
  language: z.enum(["js", "ts"]),
  scriptHash: z.string(),
  /** Model of children that name none. */
  model: z.string(),
  /** Turns committed so far. */
  turn: z.number().int(),
  phase: z.string().optional(),
  result: z.json().optional(),
  error: faultDataSchema.optional(),
  children: childCountsSchema,
  /** Approvals that wait for a person; absent when there are none. */
  pendingApprovals: z.number().int().optional(),
  /** Missing while nothing was spent. */
  spent: spentSchema.optional(),
  budget: budgetSchema.optional(),
  /** Resumes that took the process down since the last committed turn. */
  resumeCrashes: z.number().int(),
  createdAt: z.number(),
  endedAt: z.number().optional(),
  archivedAt: z.number().optional(),
  /** The run whose results answer the same calls of this one (D-009). */
  reuse: z.string().optional(),
  /** How its children ended (D-010); where one run is asked for that has ended. */
  census: censusSchema.optional(),
  /** The run, and its turn, that this one began with. */
  forkedFrom: z.object({ runId: z.string(), turn: z.number().int() }).optional(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** A call that waits, with the source line it waits at. */
export const pendingCallSchema = z.object({
  callId: z.number().int(),
  method: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
  sourceLine: z.string().optional(),
  children: z.array(z.string()).optional(),
  /** `approve`: what to answer it by, and what it asks. */
  approvalId: z.string().optional(),
  title: z.string().optional(),
  /** `waitForEvent`: the name that it waits for. */
  event: z.string().optional(),
  dueAt: z.number().optional(),
  createdAt: z.number(),
});
export type PendingCall = z.infer<typeof pendingCallSchema>;

export const groupRecordSchema = z.object({
  groupId: z.string(),
  sessionKey: z.string(),
  counts: childCountsSchema,
  total: z.number().int(),
  phases: z.array(z.object({ phase: z.string(), counts: childCountsSchema })),
  spent: spentSchema.optional(),
  budget: budgetSchema.optional(),
  createdAt: z.number(),
  archivedAt: z.number().optional(),
  /** What is left of an archived group (S-017). */
  summary: z.string().optional(),
});
export type GroupRecord = z.infer<typeof groupRecordSchema>;

/** What `show RUN` prints. */
export const runDetailSchema = z.object({
  run: runRecordSchema,
  pending: z.array(pendingCallSchema),
  children: z.array(childRecordSchema),
  notes: z.array(
    z.object({
      seq: z.number(),
      turn: z.number(),
      kind: z.string(),
      level: z.string(),
      text: z.string(),
      at: z.number(),
    }),
  ),
  census: censusSchema,
  /** What a workflow says about itself; absent for a plain script. */
  workflow: workflowMetaSchema.optional(),
});
export type RunDetail = z.infer<typeof runDetailSchema>;
