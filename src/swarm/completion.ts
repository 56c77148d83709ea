// How an attempt's end becomes what the registry is told: the child's completion, or a bill alone when the
// child goes on or is final already (B-003: every returned call is billed, whatever becomes of its attempt).

import type { ChildCompletion, ChildForRun } from "../registry/port.ts";
import type { Bill } from "../registry/spending-port.ts";
import type { AttemptEnd } from "./attempt.ts";

/** Undefined when the attempt has used nothing that is not billed yet. */
export function billOfEnd(child: ChildForRun, end: AttemptEnd): Bill | undefined {
  const { usage, costUsd } = end.spent;
  if (usage === undefined && costUsd === undefined && !end.holds) return undefined;
  return { childId: child.record.runId, reservationId: "all", usage, costUsd };
}

export function toCompletion(
  child: ChildForRun,
  end: Exclude<AttemptEnd, { status: "aborted" }>,
  at: number,
): ChildCompletion {
  const { usage, costUsd } = end.spent;
  const base = { childId: child.record.runId, attempt: child.record.attempts, at, usage, costUsd };
  const nothing = { structured: undefined, schemaError: undefined };
  switch (end.status) {
    case "timeout": {
      const error = `The child ran longer than its ${child.options.timeoutMs} ms.`;
      return { ...base, ...nothing, status: "timeout", text: "", error, errorCode: "child_timeout" };
    }
    case "budget": {
      const error = `The child's budget of ${child.options.budget?.seconds} seconds is over.`;
      return { ...base, ...nothing, status: "failed", text: "", error, errorCode: "budget_exceeded" };
    }
    case "done": {
      const { text, structured } = end;
      return { ...base, ...nothing, structured, status: "done", text, error: undefined, errorCode: undefined };
    }
    case "failed": {
      const { text = "", schemaError, error, errorCode = "child_failed" } = end;
      return { ...base, status: "failed", text, structured: undefined, schemaError, error, errorCode };
    }
  }
}
