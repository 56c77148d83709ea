// Pieces of the configuration's schemas. Every error text is the "expected …" half of a problem line.

import { z } from "zod";
import type { IntegerField } from "./fields.ts";

export const flag = z.boolean({ error: "true or false" }).optional();
export const objectError = { error: "an object" };

/** An integer that must be in its range: outside is an error. */
export function ranged(field: IntegerField) {
  const error = { error: `an integer from ${field.min} to ${field.max}` };
  return z.number(error).int(error).min(field.min, error).max(field.max, error).optional();
}

/** An integer whose range is applied later by clamping; only what is no such integer is refused (C-003). */
export function clamped(field: IntegerField) {
  const least = field.min === 0 ? 0 : 1;
  const word = least === 0 ? "zero or a positive integer" : "a positive integer";
  const error = { error: `${word} (effective range ${field.min} to ${field.max})` };
  return z.number(error).int(error).min(least, error).optional();
}

export function text(expected: string, max: number) {
  const error = { error: expected };
  return z.string(error).min(1, error).max(max, error);
}

export function matching(pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, { error: expected });
}

export function list(pattern: RegExp, expected: string) {
  return z.array(matching(pattern, expected), { error: "a list of strings" }).optional();
}

export function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => `"${value}"`).join(", ")}`;
}
