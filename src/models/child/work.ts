// What one attempt of a child is given, and how it ends; part of what the swarm hands to any runner.

import type { FaultCode } from "../../contract/fault.ts";
import type { Json } from "../../contract/json.ts";
import type { Reservation, SpendingEstimate } from "../../contract/spending.ts";
import type { TokenUsage } from "../send/collect.ts";

export interface ModelWork {
  childId: string;
  /** 1 for the first; told to tools beside the key of a call. */
  attempt: number;
  prompt: string;
  model: string;
  agentId: string | undefined;
  /** JSON Schema of the wanted value, if any. */
  schema: { [key: string]: Json } | undefined;
  thinking: string | undefined;
  fastMode: boolean | "auto" | undefined;
  /** Patterns of the tools that the call asks for; undefined: all that its agent is allowed. */
  tools: string[] | undefined;
  session: { system: string; history: { role: "user" | "assistant"; text: string }[] } | undefined;
  /** Stored steps of earlier attempts, oldest first. */
  steps: Json[];
  signal: AbortSignal;
  /** Before each request; without it, nothing is billed here. */
  reserve?: ((estimate: SpendingEstimate) => Promise<Reservation>) | undefined;
  /** Resolves when the step is durable. */
  recordStep(step: Json): Promise<void>;
}

interface Spent {
  usage: TokenUsage | undefined;
  /** US dollars; undefined when not known. */
  costUsd: number | undefined;
}

export type ModelOutcome = Spent &
  (
    | { status: "done"; text: string; structured?: Json | undefined }
    | {
        status: "failed";
        error: string;
        errorCode: FaultCode | "empty";
        text?: string | undefined;
        schemaError?: string | undefined;
        retryable: boolean;
      }
  );
