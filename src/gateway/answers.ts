// What the routes answer, as schemas: they make the OpenAPI document, and the tests hold every answer to them.

import { z } from "zod";
import { approvalRecordSchema } from "../contract/approvals.ts";
import { childCountsSchema, childRecordSchema, groupRecordSchema, runRecordSchema } from "../contract/records.ts";
import { workflowListingSchema } from "../contract/workflow.ts";

/** Told without a token: that it lives, that it is one of ours, and which. */
export const aliveAnswerSchema = z.object({
  status: z.literal("ok"),
  service: z.literal("quickswarm"),
  instance: z.string(),
});

export const healthAnswerSchema = z.object({
  version: z.string(),
  startedAt: z.number(),
  activeRuns: z.number(),
  recovered: z.object({ runs: z.number(), children: z.number() }),
  lanes: z.object({ running: z.number(), queued: z.number() }),
  vm: z.object({ workers: z.number(), hot: z.number(), restores: z.number(), terminated: z.number() }),
  storage: z.object({ ok: z.boolean(), reason: z.string().optional() }),
  children: childCountsSchema.optional(),
});

export const submitAnswerSchema = z.object({ run: runRecordSchema, created: z.boolean() });

export const spawnAnswerSchema = z.object({
  status: z.literal("accepted"),
  runId: z.string(),
  sessionKey: z.string(),
  groupId: z.string(),
});

const next = z.string().optional();
export const runsAnswerSchema = z.object({ rows: z.array(runRecordSchema), next });
export const childrenAnswerSchema = z.object({ rows: z.array(childRecordSchema), next });
export const groupsAnswerSchema = z.object({ rows: z.array(groupRecordSchema), next });
export const groupAnswerSchema = z.object({ group: groupRecordSchema, children: z.array(childRecordSchema) });
export const approvalsAnswerSchema = z.object({ rows: z.array(approvalRecordSchema), next });
export const stopAnswerSchema = z.object({ stopped: z.string(), cancelledChildren: z.number() });
export const backupAnswerSchema = z.object({ bytes: z.number() });
export const workflowsAnswerSchema = z.object({ rows: z.array(workflowListingSchema) });
/** The OpenAPI document itself. */
export const documentAnswerSchema = z.record(z.string(), z.json());
