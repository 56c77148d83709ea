// The request schemas as a body is checked with: the contract's, except that what came out of JSON.parse is not
// proved to be JSON again, value by value. That proof holds the process up for a second on 5 MB of args.

import { z } from "zod";
import { spawnRequestSchema, submitRequestSchema } from "../contract/api.ts";
import { approvalRequestSchema } from "../contract/approvals.ts";
import type { Json } from "../contract/json.ts";

/** Of routes whose body says nothing. */
export const emptyBodySchema = z.strictObject({});

export const submitBodySchema = submitRequestSchema.extend({ args: z.custom<Json>().optional() });

/** A run of a saved workflow: all of a submit but its text. */
export const workflowRunBodySchema = submitBodySchema.omit({ script: true, language: true, fileName: true });

export const spawnBodySchema = spawnRequestSchema.extend({
  outputSchema: z.custom<{ [key: string]: Json }>(isObject, "Invalid input: expected record").optional(),
});

export const approvalBodySchema = approvalRequestSchema.extend({ data: z.custom<Json>().optional() });

/** An event is any JSON; an empty body counts as `{}`, as everywhere. */
export const eventBodySchema = z.custom<Json>();

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
