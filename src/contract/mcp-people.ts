// What the MCP tools about people and programs take and give (B-002, G-009).

import { z } from "zod";
import { approvalRecordSchema, approvalRequestSchema, approvalStateSchema, eventAnswerSchema } from "./approvals.ts";
import { PAGE_ROWS_MAX } from "./limits.ts";

const id = z.string().min(1).max(200);

/** Details and data stand as `unknown`: they came out of the registry as JSON. */
const approvalSchema = approvalRecordSchema.extend({ details: z.unknown().optional(), data: z.unknown().optional() });

export const approvalsInputSchema = z.strictObject({
  state: approvalStateSchema.optional().describe('"pending" for those that wait; absent: all, those that wait first.'),
  runId: id.optional().describe("Of this run only."),
  limit: z.number().int().min(1).max(PAGE_ROWS_MAX).optional().describe("Most rows of this page."),
  after: z.string().max(500).optional().describe("`next` of the page before."),
});
export const approvalsOutputSchema = z.object({
  approvals: z.array(approvalSchema),
  next: z.string().optional().describe("Cursor of the next page; absent on the last one."),
});

export const decideInputSchema = approvalRequestSchema.extend({
  approvalId: id,
  data: z.unknown().optional().describe("Any JSON; the script gets it as `data`."),
});
export const decideOutputSchema = approvalSchema;

export const sendEventInputSchema = z.strictObject({
  runId: id,
  name: z.string().min(1).max(200).describe("The name that the script waits for."),
  payload: z.unknown().optional().describe("Any JSON; what waitForEvent resolves to. null when absent."),
});
export const sendEventOutputSchema = eventAnswerSchema;
