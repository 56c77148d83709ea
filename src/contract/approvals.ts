// What a run waits for from outside: approvals of people, events of programs. Schemas first; the guest's
// calls, HTTP, CLI and the registry share them (G-009, B-002).

import { z } from "zod";
import { APPROVAL_COMMENT_CHARS_MAX, EVENT_NAME_CHARS_MAX, PAGE_ROWS_MAX } from "./limits.ts";

/** `pending` waits; the others are final. `cancelled`: its run ended, or its script gave it up. */
export const approvalStateSchema = z.enum(["pending", "approved", "rejected", "expired", "cancelled"]);
export type ApprovalState = z.infer<typeof approvalStateSchema>;

/** What a script asked a person, and what the person said. */
export const approvalRecordSchema = z.object({
  /** `apr_` + the run's digits + `_` + the number of its call. */
  approvalId: z.string(),
  runId: z.string(),
  runName: z.string(),
  sessionKey: z.string(),
  groupId: z.string(),
  callId: z.number().int(),
  title: z.string(),
  /** What the script gave along: text, or any JSON. */
  details: z.json().optional(),
  state: approvalStateSchema,
  createdAt: z.number(),
  /** When it expires; absent when it waits for as long as it takes. */
  dueAt: z.number().optional(),
  decidedAt: z.number().optional(),
  /** The session of whoever decided. */
  by: z.string().optional(),
  comment: z.string().optional(),
  /** What was answered along, for the script. */
  data: z.json().optional(),
});
export type ApprovalRecord = z.infer<typeof approvalRecordSchema>;

export const decisionSchema = z.enum(["approve", "reject"]);
export type Decision = z.infer<typeof decisionSchema>;

export const approvalRequestSchema = z.strictObject({
  decision: decisionSchema,
  comment: z.string().max(APPROVAL_COMMENT_CHARS_MAX).optional(),
  /** Any JSON value; the script gets it. At most APPROVAL_DATA_BYTES_MAX. */
  data: z.json().optional(),
});
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;

export const approvalsQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(PAGE_ROWS_MAX).optional(),
  /** Opaque: the `next` of the page before. */
  after: z.string().max(500).optional(),
  state: approvalStateSchema.optional(),
  runId: z.string().max(200).optional(),
});

/** The name of an event: it stands in a path of the HTTP interface and in a command. */
export const eventNameSchema = z
  .string()
  .max(EVENT_NAME_CHARS_MAX)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, "must be letters, digits and . _ : - beginning with a letter or a digit");

/** What became of an event that was sent to a run. */
export const eventAnswerSchema = z.object({
  runId: z.string(),
  name: z.string(),
  /** True: a script waited for it and has it. False: it is kept until the script waits. */
  delivered: z.boolean(),
  /** Events of this name that are kept for the run now. */
  kept: z.number().int(),
});
export type EventAnswer = z.infer<typeof eventAnswerSchema>;
