// What a guest can ask for: one discriminated union, schemas first. The bridge parses the guest's
// JSON with these and the registry stores them; a new bridge method starts with a row here.

import { z } from "zod";
import { eventNameSchema } from "./approvals.ts";
import { childBudgetSchema } from "./budget.ts";
import { utf8ByteCount } from "./json.ts";
import {
  APPROVAL_DETAILS_BYTES_MAX,
  APPROVAL_TITLE_CHARS_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
  LABEL_CHARS_MAX,
  PHASE_CHARS_MAX,
  PROMPT_CHARS_MAX,
  RETRIES_MAX,
  SLEEP_MS_MAX,
  TOOL_NAME_CHARS_MAX,
  TOOL_SERVER_CHARS_MAX,
  WAIT_IDS_MAX,
  WORKFLOW_NAME_CHARS_MAX,
} from "./limits.ts";

const label = z.string().max(LABEL_CHARS_MAX);

/** Options of `agents.run` and `agents.spawn` that travel to the host (G-002). */
export const childOptionsSchema = z.strictObject({
  label: label.optional(),
  model: z.string().min(1).max(200).optional(),
  thinking: z.string().max(40).optional(),
  fastMode: z.union([z.boolean(), z.literal("auto")]).optional(),
  agentId: z.string().min(1).max(100).optional(),
  /** JSON Schema of the wanted value; then the child's answer is the structured value. */
  schema: z.record(z.string(), z.json()).optional(),
  phase: z.string().max(PHASE_CHARS_MAX).optional(),
  timeoutMs: z.number().int().positive().max(SLEEP_MS_MAX).optional(),
  retries: z.number().int().min(0).max(RETRIES_MAX).optional(),
  tools: z.array(z.string().max(200)).max(200).optional(),
  budget: childBudgetSchema.optional(),
  onRestart: z.enum(["rerun", "fail"]).optional(),
  team: z.json().optional(),
  key: z.string().min(1).max(IDEMPOTENCY_KEY_CHARS_MAX).optional(),
  groupId: z.string().min(1).max(300).optional(),
  /** Set by `agents.session`: the durable conversation that this child is one turn of (G-005). */
  session: z.strictObject({ id: z.string().max(120), system: z.string().max(PROMPT_CHARS_MAX) }).optional(),
});
export type ChildOptions = z.infer<typeof childOptionsSchema>;

export const spawnArgsSchema = z.strictObject({
  prompt: z.string().max(PROMPT_CHARS_MAX),
  options: childOptionsSchema,
});
export type SpawnArgs = z.infer<typeof spawnArgsSchema>;

export const waitArgsSchema = z.strictObject({
  /** "one": the answer is the child's value, or its failure as an error. "any": `{ completed, pending, errors }`. */
  mode: z.enum(["one", "any"]),
  ids: z.array(z.string().max(120)).min(1).max(WAIT_IDS_MAX),
  /** "any" only: milliseconds until it answers with `completed: []`; null waits for ever. */
  timeoutMs: z.number().int().min(0).max(SLEEP_MS_MAX).nullable(),
});
export type WaitArgs = z.infer<typeof waitArgsSchema>;

export const sleepArgsSchema = z.strictObject({ milliseconds: z.number().min(0).max(SLEEP_MS_MAX) });
export type SleepArgs = z.infer<typeof sleepArgsSchema>;

export const cancelArgsSchema = z.strictObject({ id: z.string().max(120), reason: z.string().max(1000).optional() });
export type CancelArgs = z.infer<typeof cancelArgsSchema>;

/** An approval: a person decides, or its time-out does. */
export const approveArgsSchema = z.strictObject({
  title: z.string().min(1).max(APPROVAL_TITLE_CHARS_MAX),
  details: z
    .json()
    .refine((value) => utf8ByteCount(JSON.stringify(value)) <= APPROVAL_DETAILS_BYTES_MAX, {
      error: `takes more than ${APPROVAL_DETAILS_BYTES_MAX} bytes as JSON`,
    })
    .optional(),
  /** Milliseconds until it expires; null waits for ever. */
  timeoutMs: z.number().int().min(0).max(SLEEP_MS_MAX).nullable(),
  /** An expired one is answered as not approved, or as an error. */
  onTimeout: z.enum(["reject", "error"]),
});
export type ApproveArgs = z.infer<typeof approveArgsSchema>;

export const eventWaitArgsSchema = z.strictObject({
  name: eventNameSchema,
  /** Milliseconds until it is refused; null waits for ever. */
  timeoutMs: z.number().int().min(0).max(SLEEP_MS_MAX).nullable(),
});
export type EventWaitArgs = z.infer<typeof eventWaitArgsSchema>;

/** A saved workflow, by its name or by the file it stands in (D-005). */
export const workflowArgsSchema = z.union([
  z.strictObject({ name: z.string().min(1).max(WORKFLOW_NAME_CHARS_MAX) }),
  z.strictObject({ scriptPath: z.string().min(1).max(WORKFLOW_NAME_CHARS_MAX) }),
]);
export type WorkflowArgs = z.infer<typeof workflowArgsSchema>;

/** Gives up one of the script's own waits for somebody outside; the wait is answered and nobody hears it. */
export const waitCancelArgsSchema = z.strictObject({ callId: z.number().int().min(1) });
export type WaitCancelArgs = z.infer<typeof waitCancelArgsSchema>;

/** Gives back an event that came for a wait which was given up meanwhile: another wait takes it. */
export const eventReturnArgsSchema = z.strictObject({ name: eventNameSchema, payload: z.json() });
export type EventReturnArgs = z.infer<typeof eventReturnArgsSchema>;
/** A call of a tool of a configured server, or of the host's own (G-014). */
export const toolCallArgsSchema = z.strictObject({
  server: z.string().min(1).max(TOOL_SERVER_CHARS_MAX),
  tool: z.string().min(1).max(TOOL_NAME_CHARS_MAX),
  args: z.record(z.string(), z.json()),
});
export type ToolCallArgs = z.infer<typeof toolCallArgsSchema>;

/** A place in the script, 1-based; absent when the engine gave none. */
export interface CallPlace {
  line?: number | undefined;
  column?: number | undefined;
}

/** One bridge call as the host holds it. `agentSpawn`, `waitCancel` and `eventReturn` are never answered. */
export type Call =
  | ({ callId: number; method: "agentSpawn"; args: SpawnArgs } & CallPlace)
  | ({ callId: number; method: "agentWait"; args: WaitArgs } & CallPlace)
  | ({ callId: number; method: "agentCancel"; args: CancelArgs } & CallPlace)
  | ({ callId: number; method: "sleep"; args: SleepArgs } & CallPlace)
  | ({ callId: number; method: "waitForEvent"; args: EventWaitArgs } & CallPlace)
  | ({ callId: number; method: "workflow"; args: WorkflowArgs } & CallPlace)
  | ({ callId: number; method: "toolCall"; args: ToolCallArgs } & CallPlace)
  | ({ callId: number; method: "approve"; args: ApproveArgs } & CallPlace)
  | ({ callId: number; method: "waitCancel"; args: WaitCancelArgs } & CallPlace)
  | ({ callId: number; method: "eventReturn"; args: EventReturnArgs } & CallPlace);

export type CallMethod = Call["method"];

/** Calls that stay pending until somebody outside answers them with `Registry.settleCall`. */
export const OUTSIDE_METHODS: readonly CallMethod[] = ["waitForEvent", "toolCall"];

/** Progress notes: stored with the run, ordered, never answered (G-006). */
export interface Note {
  /** "warning": said by the product itself; stands in the census too. */
  kind: "phase" | "log" | "console" | "warning";
  level: "info" | "warn" | "error" | "debug";
  text: string;
}
