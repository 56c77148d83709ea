// The port that child runners implement (models, agencies, harnesses; met in src/runtime).
// A runner does the outside work of one attempt of one child. It keeps nothing: what must survive a
// crash goes through `recordStep`, and comes back as `steps` in the next attempt (law L12).

import type { Json } from "../contract/json.ts";
import type { Usage } from "../contract/records.ts";
import type { Reservation, SpendingEstimate } from "../contract/spending.ts";

export interface ChildWork {
  childId: string;
  /** 1 for the first attempt. With `childId` it is the idempotency key handed to tools. */
  attempt: number;
  prompt: string;
  model: string;
  agentId: string | undefined;
  /** JSON Schema of the wanted value, if any. */
  schema: { [key: string]: Json } | undefined;
  thinking: string | undefined;
  fastMode: boolean | "auto" | undefined;
  tools: string[] | undefined;
  /** The conversation this child continues (G-005), oldest first. */
  session: { id: string; system: string; history: { role: "user" | "assistant"; text: string }[] } | undefined;
  /** Stored steps of earlier attempts, oldest first. */
  steps: Json[];
  /** Aborted when the child is cancelled, times out or the gateway shuts down. */
  signal: AbortSignal;
  /**
   * Before each request that costs something: resolves when every budget that applies has room for it, maybe for
   * less output than wanted. Rejects with `budget_exceeded` or `price_unknown`: the child is cut. The answer is
   * billed by `settle`, or with the outcome's usage by a runner that does not settle (B-005).
   */
  reserve(estimate: SpendingEstimate): Promise<Reservation>;
  /** Stores a step; resolves after it is durable. Send the next request only then. */
  recordStep(step: Json): Promise<void>;
}

export type ChildOutcome =
  | {
      status: "done";
      text: string;
      structured?: Json | undefined;
      /** What this attempt has used; what earlier ones used is billed already. */
      usage?: Usage | undefined;
      costUsd?: number | undefined;
    }
  | {
      status: "failed";
      error: string;
      errorCode?: string | undefined;
      text?: string | undefined;
      schemaError?: string | undefined;
      usage?: Usage | undefined;
      costUsd?: number | undefined;
      /** Whether another attempt may succeed. */
      retryable: boolean;
    };

export interface ChildRunner {
  /** It settles each request by itself, so the usage in its outcomes is billed already and only says what it was. */
  readonly settlesRequests?: boolean | undefined;
  /** Whether this runner answers for `model`. */
  handles(model: string): boolean;
  /** Refuses a name of its kind that does not exist, before a child is spawned with it. Throws `model_unknown`. */
  check?(model: string): void;
  /** Refuses a schema that it cannot hold a child to, at call time. Throws `schema_unsupported` with the keyword. */
  checkSchema?(schema: { [key: string]: Json }): void;
  /** Runs one attempt. Must end soon after `signal` aborts. A thrown error counts as failed and retryable. */
  run(work: ChildWork): Promise<ChildOutcome>;
}
