// Kept turns of a run, as they are shown and sent.

import { z } from "zod";
import { childRecordSchema, pendingCallSchema, runRecordSchema } from "./records.ts";

/** A turn that can be looked at and forked. */
export const historyPointSchema = z.object({
  turn: z.number().int(),
  at: z.number(),
  phase: z.string().optional(),
  /** Calls that waited for an answer after this turn. */
  pendingCalls: z.number().int(),
});
export type HistoryPoint = z.infer<typeof historyPointSchema>;

/** What `show RUN --history` prints. */
export const runHistorySchema = z.object({ run: runRecordSchema, points: z.array(historyPointSchema) });
export type RunHistory = z.infer<typeof runHistorySchema>;

/** How a call that was pending at a point was answered later. */
export const laterAnswerSchema = z.object({
  /** The turn that consumed it; absent when no turn has. */
  turn: z.number().int().optional(),
  ok: z.boolean(),
  /** The value, or the error as `{ name, message, data }`; absent when it is long, or in a list of children. */
  value: z.json().optional(),
});

export const pastCallSchema = pendingCallSchema.extend({ answer: laterAnswerSchema.optional() });
export type PastCall = z.infer<typeof pastCallSchema>;

/** What `show RUN --at TURN` prints. */
export const pointDetailSchema = z.object({
  run: runRecordSchema,
  point: historyPointSchema,
  pending: z.array(pastCallSchema),
  /** In their states as of then. */
  children: z.array(childRecordSchema),
});
export type PointDetail = z.infer<typeof pointDetailSchema>;
