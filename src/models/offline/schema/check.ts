// Whether a value fits a schema of the supported subset. It serves the generator: defaults, examples
// and enumerated values are proposals that have to be checked, and `oneOf` has to exclude its other
// branches. Three answers, because "surely" and "surely not" are both needed.

import { canonicalJson, type Json } from "../../../contract/json.ts";
import { checkFormat } from "./formats.ts";
import { type PatternNode, readPattern } from "./pattern.ts";
import { matchesPattern } from "./pattern-text.ts";
import {
  isObject,
  isOfType,
  itemPrefix,
  type JsonType,
  memberSchema,
  own,
  resolveReference,
  restItems,
  type Schema,
  type SchemaObject,
  schemaList,
  type Verdict,
} from "./types.ts";

/** References followed on the way to one value; more is a circle. */
const REFERENCES_MAX = 64;

export interface CheckContext {
  root: SchemaObject;
  patterns: Map<string, PatternNode | undefined>;
  /** Called for each unit of work; throws when there was too much of it. */
  charge(units: number): void;
}

/** Whether `value` fits `schema`, which `assertSupported` has let pass. */
export function checkValue(context: CheckContext, schema: Schema, value: Json, references = 0): Verdict {
  context.charge(1);
  if (typeof schema === "boolean") return schema ? "yes" : "no";
  return worst([
    () => checkPlain(context, schema, value),
    () => (typeof value === "string" ? checkString(context, schema, value) : "yes"),
    () => (typeof value === "number" ? checkNumber(schema, value) : "yes"),
    () => (Array.isArray(value) ? checkArray(context, schema, value) : "yes"),
    () => (isObject(value) ? checkObject(context, schema, value) : "yes"),
    () => checkBranches(context, schema, value, references),
  ]);
}

/** "no" beats "unsure" beats "yes"; stops at the first "no". */
function worst(checks: Iterable<() => Verdict>): Verdict {
  let verdict: Verdict = "yes";
  for (const check of checks) {
    const next = check();
    if (next === "no") return "no";
    if (next === "unsure") verdict = "unsure";
  }
  return verdict;
}

function said(fits: boolean): Verdict {
  return fits ? "yes" : "no";
}

function checkPlain(context: CheckContext, schema: SchemaObject, value: Json): Verdict {
  const type = own(schema, "type");
  const types = (Array.isArray(type) ? type : type === undefined ? undefined : [type]) as JsonType[] | undefined;
  if (types && !types.some((name) => isOfType(value, name))) return "no";
  const listed = own(schema, "enum");
  const constant = own(schema, "const");
  if (!Array.isArray(listed) && constant === undefined) return "yes";
  const text = canonicalJson(value);
  if (constant !== undefined && canonicalJson(constant) !== text) return "no";
  if (!Array.isArray(listed)) return "yes";
  context.charge(listed.length);
  return said(listed.some((item) => canonicalJson(item) === text));
}

function checkString(context: CheckContext, schema: SchemaObject, value: string): Verdict {
  const { minLength, maxLength, pattern, format } = schema;
  if (typeof minLength === "number" || typeof maxLength === "number") {
    context.charge(value.length / 100);
    const length = [...value].length;
    if (length < Number(minLength ?? 0) || length > Number(maxLength ?? Number.POSITIVE_INFINITY)) return "no";
  }
  return worst([
    () => (typeof format === "string" ? checkFormat(format, value) : "yes"),
    () => (typeof pattern === "string" ? checkPattern(context, pattern, value) : "yes"),
  ]);
}

function checkPattern(context: CheckContext, source: string, value: string): Verdict {
  const pattern = patternOf(context, source);
  const matches = pattern && matchesPattern(pattern, value, context.charge);
  return matches === undefined ? "unsure" : said(matches);
}

/** The tree of a pattern, read once. */
export function patternOf(context: CheckContext, source: string): PatternNode | undefined {
  if (!context.patterns.has(source)) {
    const reading = readPattern(source);
    context.patterns.set(source, "pattern" in reading ? reading.pattern : undefined);
  }
  return context.patterns.get(source);
}

function checkNumber(schema: SchemaObject, value: number): Verdict {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum) return "no";
  if (typeof maximum === "number" && value > maximum) return "no";
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) return "no";
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) return "no";
  if (typeof multipleOf !== "number") return "yes";
  const quotient = value / multipleOf;
  if (Number.isSafeInteger(quotient)) return "yes";
  // 0.3 / 0.1 is not quite 3: validators differ there, so such a value is neither taken nor excluded.
  return Math.abs(quotient - Math.round(quotient)) > 1e-6 && Math.abs(quotient) < 1e9 ? "no" : "unsure";
}

function checkArray(context: CheckContext, schema: SchemaObject, value: Json[]): Verdict {
  const { minItems, maxItems, uniqueItems } = schema;
  if (typeof minItems === "number" && value.length < minItems) return "no";
  if (typeof maxItems === "number" && value.length > maxItems) return "no";
  if (uniqueItems === true && new Set(value.map(canonicalJson)).size < value.length) return "no";
  const prefix = itemPrefix(schema);
  const rest = restItems(schema);
  return worst(value.map((item, index) => () => checkValue(context, prefix[index] ?? rest, item)));
}

function checkObject(context: CheckContext, schema: SchemaObject, value: SchemaObject): Verdict {
  const { minProperties, maxProperties, required } = schema;
  const names = Object.keys(value);
  if (typeof minProperties === "number" && names.length < minProperties) return "no";
  if (typeof maxProperties === "number" && names.length > maxProperties) return "no";
  if (Array.isArray(required) && required.some((name) => !Object.hasOwn(value, String(name)))) return "no";
  const nameSchema = own(schema, "propertyNames") as Schema | undefined;
  return worst(
    names.flatMap((name) => [
      () => (nameSchema === undefined ? "yes" : checkValue(context, nameSchema, name)),
      () => checkValue(context, memberSchema(schema, name), own(value, name) ?? null),
    ]),
  );
}

function checkBranches(context: CheckContext, schema: SchemaObject, value: Json, references: number): Verdict {
  const inner = (branch: Schema) => () => checkValue(context, branch, value, references);
  return worst([
    ...schemaList(schema, "allOf").map(inner),
    () => checkReference(context, schema, value, references),
    () => (Array.isArray(schema.anyOf) ? anyOf(schemaList(schema, "anyOf").map(inner)) : "yes"),
    () => (Array.isArray(schema.oneOf) ? oneOf(schemaList(schema, "oneOf").map(inner)) : "yes"),
  ]);
}

function checkReference(context: CheckContext, schema: SchemaObject, value: Json, references: number): Verdict {
  if (typeof schema.$ref !== "string") return "yes";
  if (references >= REFERENCES_MAX) return "unsure";
  return checkValue(context, resolveReference(context.root, schema.$ref) ?? false, value, references + 1);
}

function anyOf(branches: (() => Verdict)[]): Verdict {
  let verdict: Verdict = "no";
  for (const branch of branches) {
    const next = branch();
    if (next === "yes") return "yes";
    if (next === "unsure") verdict = "unsure";
  }
  return verdict;
}

function oneOf(branches: (() => Verdict)[]): Verdict {
  const verdicts = branches.map((branch) => branch());
  const fitting = verdicts.filter((verdict) => verdict === "yes").length;
  if (fitting > 1) return "no";
  if (verdicts.includes("unsure")) return "unsure";
  return said(fitting === 1);
}
