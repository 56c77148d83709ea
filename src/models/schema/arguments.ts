// Holds the arguments of a call against the schema of its tool. A tool's schema comes from its server and may
// say more than the gate lets through; then the arguments are the server's own to check.

import type { Json } from "../../contract/json.ts";
import { type CheckedSchema, checkSchema, type JsonSchema } from "./gate.ts";
import type { Validator } from "./validator.ts";

export type ArgumentCheck = (schema: JsonSchema, args: { [key: string]: Json }) => Promise<string[]>;

/** What is wrong with arguments; empty when they fit, or when the schema cannot be checked here. */
export function checkArguments(validator: Validator): ArgumentCheck {
  return async (schema, args) => {
    const checked = usable(schema);
    if (!checked) return [];
    return validator.during(async () => {
      const errors = await validator.errorsOf(checked, args);
      return errors.some((error) => error.startsWith("the schema cannot be used")) ? [] : errors;
    });
  };
}

function usable(schema: JsonSchema): CheckedSchema | undefined {
  try {
    return checkSchema(schema);
  } catch {
    return undefined;
  }
}
