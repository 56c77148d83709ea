// One row of `quickswarm config`: a value in force and where it came from (C-010).

import type { Json } from "../contract/json.ts";
import type { IntegerField } from "./fields.ts";
import type { LoadedSettings, Origin } from "./load.ts";

export const SECRET_MASK = "••••••••";

export interface ExplainedField {
  path: string;
  /** The value in force. A secret is SECRET_MASK. */
  value: Json;
  from: Origin["from"];
  /** The flag, variable or file that gave it. */
  name?: string | undefined;
  /** What happened on the way, for example that it was clamped. */
  note?: string | undefined;
}

export interface FileField {
  path: string;
  value: Json;
  /** What the file says; undefined when it says nothing. */
  given: unknown;
  field?: IntegerField | undefined;
}

export function fromFile(loaded: LoadedSettings, { path, value, given, field }: FileField): ExplainedField {
  if (given === undefined) return { path, value, from: "default" };
  const row: ExplainedField = { path, value, from: "file", name: loaded.file };
  if (field && typeof given === "number" && given !== value) {
    row.note = `clamped from ${given} to the range ${field.min} to ${field.max}`;
  }
  return row;
}
