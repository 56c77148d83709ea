// Structured output (S-002, S-003): a synthetic tool that the child is told to call exactly once with its
// result, the judgement of what it called, and the one nudge that it gets.

import type { Json } from "../../contract/json.ts";
import type { JsonSchema } from "../schema/gate.ts";
import { type CheckedSchema, checkSchema } from "../schema/gate.ts";
import type { Validator } from "../schema/validator.ts";
import type { Message, ModelTool } from "../sdk.ts";
import { parsedJson } from "../send/collect.ts";
import type { ModelStep } from "./step.ts";

export const STRUCTURED_TOOL = "structured_output";

export const STRUCTURED_INSTRUCTION =
  `Your final result is data. When you have it, call the tool ${STRUCTURED_TOOL} exactly once with it. ` +
  "Only what you pass to this tool counts as the result; text beside it is not read.";

/** What a child with a schema is to give. */
export interface Target {
  tool: ModelTool;
  /** The value as the schema wants it, out of the tool's input; undefined when it is not in there. */
  unwrap(input: Json): Json | undefined;
  checked: CheckedSchema;
}

export type Verdict =
  | { kind: "valid"; value: Json }
  /** What was given, as text, and what is wrong with it. */
  | { kind: "invalid"; errors: string[]; payload: string }
  | { kind: "missing" }
  /** It called tools and is not done yet. */
  | { kind: "working" };

/** @throws Fault `schema_unsupported` */
export function targetFor(given: JsonSchema): Target {
  const checked = checkSchema(given);
  const isObject = checked.schema.type === "object";
  const inputSchema = isObject ? checked.schema : wrapped(checked.schema);
  return {
    tool: {
      type: "function",
      name: STRUCTURED_TOOL,
      description: "Takes your final result. Call it exactly once.",
      // The gate has seen to it that this is JSON Schema; the package's type knows only the older draft.
      inputSchema: inputSchema as ModelTool["inputSchema"],
    },
    unwrap: (input) => (isObject ? input : valueIn(input)),
    checked,
  };
}

/** @param hasTools whether the child was offered tools beside the one for its result */
export async function judge(
  step: ModelStep,
  target: Target,
  validator: Validator,
  hasTools: boolean,
): Promise<Verdict> {
  const calls = step.calls.filter((call) => call.name === STRUCTURED_TOOL);
  const [call] = calls;
  if (!call) return { kind: hasTools && step.calls.length > 0 ? "working" : "missing" };
  const payload = call.inputText;
  if (calls.length > 1) {
    return { kind: "invalid", errors: [`the tool was called ${calls.length} times instead of once`], payload };
  }
  const input = parsedJson(payload);
  const value = input === undefined ? undefined : target.unwrap(input);
  if (value === undefined)
    return { kind: "invalid", errors: ["the input is not the JSON that was asked for"], payload };
  const errors = await validator.errorsOf(target.checked, value);
  return errors.length === 0 ? { kind: "valid", value } : { kind: "invalid", errors, payload };
}

/** What the child is told after a step that did not give its value; undefined when it gave what was asked. */
export function nudgeText(verdict: Verdict | undefined): string | undefined {
  if (verdict?.kind === "invalid") {
    return `Not accepted: ${verdict.errors.join("; ")}. Call ${STRUCTURED_TOOL} once more, with a corrected result.`;
  }
  if (verdict?.kind !== "missing") return undefined;
  return `You did not call ${STRUCTURED_TOOL}. Call it now, exactly once, with your final result.`;
}

/** For the record, when the second payload was no better. */
export function schemaErrorOf(verdict: Verdict): string {
  if (verdict.kind === "invalid") return verdict.errors.join("; ");
  return `The model did not call ${STRUCTURED_TOOL}, not even when it was reminded.`;
}

export function userMessage(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** Tools take objects: any other value goes into one, and references into the schema follow it. */
function wrapped(schema: JsonSchema): JsonSchema {
  return {
    type: "object",
    properties: { value: moved(schema) },
    required: ["value"],
    additionalProperties: false,
  };
}

function moved(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moved);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    const isReference = key === "$ref" && typeof value === "string";
    return [key, isReference ? `#/properties/value${value.slice(1)}` : moved(value)];
  });
  return Object.fromEntries(entries);
}

function valueIn(input: Json): Json | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  return Object.hasOwn(input, "value") ? input.value : undefined;
}
