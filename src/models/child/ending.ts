// How a child ends after a step, or that it goes on: the rules, without any I/O. An empty text, a refusal and
// a text that was cut are failures, never answers (B-038).

import type { FaultCode } from "../../contract/fault.ts";
import { type ModelStep, totalsOf } from "./step.ts";
import { schemaErrorOf, type Verdict } from "./structured.ts";
import type { ModelOutcome } from "./work.ts";

/** Payloads that a child may give: its first, and one after the nudge (S-002). */
export const PAYLOADS_MAX = 2;

/**
 * The end of a child without a schema; undefined before its first step, and as long as it calls tools.
 * @param hasTools whether it was offered any; without them, calls are no work that goes on
 */
export function endOfText(steps: readonly ModelStep[], hasTools: boolean): ModelOutcome | undefined {
  const last = steps.at(-1);
  if (!last) return undefined;
  const broken = endOfBroken(last, steps);
  if (broken) return broken;
  if (hasTools && last.calls.length > 0) return undefined;
  if (last.text.trim() === "") return failed(steps, "empty", "The child's final text is empty.", true);
  return { status: "done", text: last.text, ...totalsOf(steps) };
}

/** The end of a child with a schema, as far as its steps have been judged; undefined: it is asked again. */
export function endOfStructured(steps: readonly ModelStep[], verdicts: readonly Verdict[]): ModelOutcome | undefined {
  const last = steps.at(-1);
  const verdict = verdicts.at(-1);
  if (!last || !verdict) return undefined;
  if (verdict.kind === "valid") {
    const text = last.text.trim() === "" ? JSON.stringify(verdict.value) : last.text;
    return { status: "done", text, structured: verdict.value, ...totalsOf(steps) };
  }
  const broken = endOfBroken(last, steps);
  if (broken) return broken;
  if (verdict.kind === "working") return undefined;
  if (verdicts.filter(({ kind }) => kind !== "working").length < PAYLOADS_MAX) return undefined;
  const schemaError = schemaErrorOf(verdict);
  const raw = verdict.kind === "invalid" && last.text.trim() === "" ? verdict.payload : last.text;
  const error = `The child's result does not fit its schema: ${schemaError}`;
  return { ...failed(steps, "schema_invalid", error, true), text: raw, schemaError };
}

export function failed(
  steps: readonly ModelStep[],
  errorCode: FaultCode | "empty",
  error: string,
  retryable: boolean,
): ModelOutcome & { status: "failed" } {
  return { status: "failed", error, errorCode, retryable, ...totalsOf(steps) };
}

function endOfBroken(last: ModelStep, steps: readonly ModelStep[]): ModelOutcome | undefined {
  const who = `${last.provider}:${last.model}`;
  if (last.finish === "content-filter") {
    return { ...failed(steps, "model_refused", `${who} refused to answer.`, false), text: last.text };
  }
  if (last.finish === "length" && last.isShrunk) {
    const error = `The answer of ${who} was cut where the budget ended.`;
    return { ...failed(steps, "budget_exceeded", error, false), text: last.text };
  }
  if (last.finish === "length") {
    const error = `The answer of ${who} was cut at the model's output limit.`;
    return { ...failed(steps, "model_truncated", error, false), text: last.text };
  }
  if (last.finish !== "error") return undefined;
  return { ...failed(steps, "provider_failed", `${who} ended its answer with an error.`, true), text: last.text };
}
