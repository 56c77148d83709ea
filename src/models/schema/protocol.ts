// What goes between the validator and its thread.

import type { Dialect, JsonSchema } from "./gate.ts";

export interface ToValidator {
  schema: JsonSchema;
  dialect: Dialect;
  /** The value as JSON; undefined: only whether the schema can be used. */
  valueText: string | undefined;
}

export type ValidatorAnswer =
  | { kind: "ready" }
  | { kind: "valid" }
  | { kind: "invalid"; errors: string[] }
  /** The schema itself is wrong, for example a pattern that is none. */
  | { kind: "unusable"; message: string };
