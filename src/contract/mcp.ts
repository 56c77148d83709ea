// What the MCP tools take and give. Values of scripts and children stand as `unknown`: they came out of the
// registry as JSON, and proving that again, value by value, would hold the process up.

import { z } from "zod";
import { spawnRequestSchema, stopRequestSchema, submitRequestSchema, waitRequestSchema } from "./api.ts";
import { GROUP_ID_CHARS_MAX, PAGE_ROWS_MAX, WORKFLOW_NAME_CHARS_MAX } from "./limits.ts";
import {
  censusSchema,
  childCountsSchema,
  childRecordSchema,
  childStatusSchema,
  faultDataSchema,
  groupRecordSchema,
  pendingCallSchema,
  runRecordSchema,
  runStateSchema,
  waitAnswerSchema,
} from "./records.ts";
import { workflowListingSchema } from "./workflow.ts";

const id = z.string().min(1).max(200);
const timeoutSeconds = z
  .number()
  .positive()
  .optional()
  .describe("How long to wait, in seconds; 30 when absent, and never longer than the gateway allows (600).");
const page = {
  limit: z.number().int().min(1).max(PAGE_ROWS_MAX).optional().describe("Most rows of this page."),
  after: z.string().max(500).optional().describe("`next` of the page before."),
};
const next = z.string().optional().describe("Cursor of the next page; absent on the last one.");

export const spawnInputSchema = spawnRequestSchema.omit({ collect: true, outputSchema: true }).extend({
  collect: z.literal(true).optional().describe("Always true here: the result is fetched with agents_wait."),
  outputSchema: z.record(z.string(), z.unknown()).optional().describe("JSON Schema that the result has to fit."),
});
export const spawnOutputSchema = z.object({
  status: z.literal("accepted"),
  runId: z.string().describe("Give it to agents_wait."),
  sessionKey: z.string(),
  groupId: z.string(),
});

export const waitInputSchema = waitRequestSchema.extend({ timeoutSeconds });
/** S-012. */
export const childResultSchema = childRecordSchema
  .omit({ prompt: true, callId: true, structured: true })
  .extend({ structured: z.unknown().optional() });
export const waitOutputSchema = waitAnswerSchema.extend({ completed: z.array(childResultSchema) });

export const runInputSchema = submitRequestSchema
  .pick({ script: true, name: true, model: true, agentId: true, groupId: true, idempotencyKey: true, strict: true })
  .extend({
    language: z.enum(["js", "ts"]).optional().describe('"js" when absent.'),
    args: z.unknown().optional().describe("Any JSON value; the script sees it as `args`."),
    script: submitRequestSchema.shape.script.optional().describe("The script's text; or name a workflow instead."),
    workflow: z
      .string()
      .min(1)
      .max(WORKFLOW_NAME_CHARS_MAX)
      .optional()
      .describe("The name of a workflow that is saved where the gateway stands, instead of a script."),
  });
export const runSummarySchema = runRecordSchema
  .pick({
    runId: true,
    name: true,
    state: true,
    phase: true,
    turn: true,
    groupId: true,
    children: true,
    pendingApprovals: true,
  })
  .extend({
    createdAt: z.number(),
    endedAt: z.number().optional(),
    /** What the script returned. */
    result: z.unknown().optional(),
    error: faultDataSchema.optional(),
  });
export const runOutputSchema = z.object({ run: runSummarySchema, created: z.boolean() });

/** A child that has not ended, and what it is doing (B-037). */
export const liveChildSchema = z.object({
  runId: z.string(),
  status: childStatusSchema,
  label: z.string().optional(),
  phase: z.string().optional(),
  attempts: z.number(),
  startedAt: z.number().optional(),
});
export const runWaitInputSchema = z.strictObject({ runId: id, timeoutSeconds });
export const runWaitOutputSchema = z.object({
  ended: z.boolean().describe("False: the time is over and the run goes on. Wait again; do not submit it again."),
  run: runSummarySchema,
  census: censusSchema.optional(),
  live: z.array(liveChildSchema).describe("Children that are queued or at work."),
});

export const statusInputSchema = z.strictObject({
  runId: id.optional().describe("One run in detail; absent: a page of this session's runs."),
  state: runStateSchema.optional(),
  ...page,
});
export const statusOutputSchema = z.object({
  runs: z.array(runSummarySchema),
  next,
  census: censusSchema.optional(),
  waitingAt: z.array(pendingCallSchema).optional(),
  live: z.array(liveChildSchema).optional(),
  notes: z.array(z.object({ kind: z.string(), level: z.string(), text: z.string(), at: z.number() })).optional(),
});

export const stopInputSchema = stopRequestSchema.extend({ id: id.describe("A run or a child.") });
export const stopOutputSchema = z.object({ stopped: z.string(), cancelledChildren: z.number() });

export const groupsInputSchema = z.strictObject({
  groupId: z.string().min(1).max(GROUP_ID_CHARS_MAX).optional().describe("One group; absent: a page of all."),
  ...page,
});
export const groupsOutputSchema = z.object({ groups: z.array(groupRecordSchema), next });

export const subagentsInputSchema = z.strictObject({
  runId: id.optional().describe("Children of this run."),
  groupId: z.string().min(1).max(GROUP_ID_CHARS_MAX).optional(),
  status: childStatusSchema.optional(),
  ...page,
});
/** S-018. */
export const subagentsOutputSchema = z.object({
  children: z.array(
    z.object({
      runId: z.string(),
      label: z.string().optional(),
      status: childStatusSchema,
      model: z.string(),
      phase: z.string().optional(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      costUsd: z.number().optional(),
      elapsedMs: z.number().optional(),
      error: z.string().optional(),
    }),
  ),
  counts: childCountsSchema,
  next,
});

export const workflowsInputSchema = z.strictObject({});
export const workflowsOutputSchema = z.object({ workflows: z.array(workflowListingSchema) });
