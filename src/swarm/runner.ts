// The port that child runners implement (models, agencies, harnesses; met in src/runtime).
// A runner does the outside work of one attempt of one child. It keeps nothing: what must survive a
// crash goes through `recordStep`, and comes back as `steps` in the next attempt (law L12).

import type { Json } from "../contract/json.ts";
import type { Usage } from "../contract/records.ts";

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
  /** Stores a step; resolves after it is durable. Send the next request only then. */
  recordStep(step: Json): Promise<void>;
}

export type ChildOutcome =
  | {
      status: "done";
      text: string;
      structured?: Json | undefined;
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
  /** Whether this runner answers for `model`. */
  handles(model: string): boolean;
  /** Refuses a name of its kind that does not exist, before a child is spawned with it. Throws `model_unknown`. */
  check?(model: string): void;
  /** Refuses a schema that it cannot hold a child to, at call time. Throws `schema_unsupported` with the keyword. */
  checkSchema?(schema: { [key: string]: Json }): void;
  /** Runs one attempt. Must end soon after `signal` aborts. A thrown error counts as failed and retryable. */
  run(work: ChildWork): Promise<ChildOutcome>;
}
