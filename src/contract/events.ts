// Events: append-only, one integer sequence for the whole registry, which is also the SSE id.
// They say that something changed; readers who need the state read the registry (L9).

import { z } from "zod";
import { approvalStateSchema } from "./approvals.ts";
import { childStatusSchema, faultDataSchema } from "./records.ts";

const base = {
  seq: z.number().int(),
  at: z.number(),
  sessionKey: z.string(),
  groupId: z.string(),
  runId: z.string().nullable(),
};

export const swarmEventSchema = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("run.created"), name: z.string() }),
  z.object({
    ...base,
    type: z.literal("run.ended"),
    state: z.enum(["done", "failed", "killed", "quarantined"]),
    error: faultDataSchema.optional(),
  }),
  z.object({ ...base, type: z.literal("run.resumed"), turn: z.number() }),
  z.object({
    ...base,
    type: z.literal("run.note"),
    kind: z.enum(["phase", "log", "console", "warning"]),
    level: z.string(),
    text: z.string(),
    turn: z.number(),
  }),
  z.object({
    ...base,
    type: z.literal("child.spawned"),
    childId: z.string(),
    label: z.string().optional(),
    phase: z.string().optional(),
    model: z.string(),
  }),
  z.object({ ...base, type: z.literal("child.started"), childId: z.string(), attempt: z.number() }),
  z.object({
    ...base,
    type: z.literal("child.ended"),
    childId: z.string(),
    status: childStatusSchema,
    attempts: z.number(),
    error: z.string().optional(),
    /** It never ran: its result is that of this child of an earlier run. */
    reusedFrom: z.string().optional(),
  }),
  z.object({
    ...base,
    type: z.literal("approval.requested"),
    approvalId: z.string(),
    title: z.string(),
    dueAt: z.number().optional(),
  }),
  z.object({
    ...base,
    type: z.literal("approval.decided"),
    approvalId: z.string(),
    title: z.string(),
    state: approvalStateSchema.exclude(["pending"]),
    by: z.string().optional(),
    comment: z.string().optional(),
  }),
  z.object({ ...base, type: z.literal("group.archived"), summary: z.string() }),
]);
export type SwarmEvent = z.infer<typeof swarmEventSchema>;

/** The part of an event that its maker writes; the registry adds `seq`. */
export type NewSwarmEvent = SwarmEvent extends infer E ? (E extends SwarmEvent ? Omit<E, "seq"> : never) : never;
