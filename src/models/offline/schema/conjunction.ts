// Turns a schema into plain conjunctions: references followed, `allOf` joined, one branch of each
// `anyOf` and `oneOf` chosen. What is left in a conjunction is a list of schemas that all have to be
// fitted at once, whose limits can be read off with `largest`, `smallest` and `every`.

import type { Stream } from "../seed.ts";
import {
  itemPrefix,
  JSON_TYPES,
  type JsonType,
  memberSchema,
  own,
  resolveReference,
  restItems,
  type Schema,
  type SchemaObject,
  schemaList,
} from "./types.ts";

/** References followed within one value; more is a circle. */
const REFERENCES_MAX = 64;
/** Choices of branches that are tried for one value. */
const CHOICES_MAX = 256;

export interface ExpandOptions {
  root: SchemaObject;
  stream: Stream;
  /** Whether to end a recursion: then the simplest branches come first, and null before all. */
  simplest: boolean;
  charge(units: number): void;
}

/** The conjunctions of `schema`, the preferred first; lazily, since there can be very many. */
export function* conjunctions(schema: Schema, options: ExpandOptions): Generator<SchemaObject[]> {
  let choices = 0;
  for (const leaves of expand([schema], [], options, 0)) {
    if (choices++ >= CHOICES_MAX) return;
    yield leaves;
  }
}

function* expand(
  pending: Schema[],
  leaves: SchemaObject[],
  options: ExpandOptions,
  references: number,
): Generator<SchemaObject[]> {
  options.charge(1);
  const [first, ...rest] = pending;
  if (first === undefined) return yield leaves;
  if (first === true) return yield* expand(rest, leaves, options, references);
  if (first === false || references > REFERENCES_MAX) return;
  const inner = [...schemaList(first, "allOf")];
  if (typeof first.$ref === "string") inner.push(resolveReference(options.root, first.$ref) ?? false);
  const followed = references + (typeof first.$ref === "string" ? 1 : 0);
  for (const any of branches(first, "anyOf", options)) {
    for (const one of branches(first, "oneOf", options)) {
      yield* expand([...inner, any, one, ...rest], [...leaves, first], options, followed);
    }
  }
}

function branches(schema: SchemaObject, keyword: "anyOf" | "oneOf", options: ExpandOptions): Schema[] {
  if (!Array.isArray(schema[keyword])) return [true];
  const list = options.stream.shuffled(schemaList(schema, keyword));
  const weight = (branch: Schema): number => (options.simplest ? complexity(branch) : isNull(branch) ? 1 : 0);
  return list.sort((a, b) => weight(a) - weight(b));
}

function isNull(branch: Schema): boolean {
  return typeof branch === "object" && (branch.type === "null" || own(branch, "const") === null);
}

function complexity(branch: Schema): number {
  if (typeof branch === "boolean" || isNull(branch)) return 0;
  if (own(branch, "enum") !== undefined || own(branch, "const") !== undefined) return 1;
  const nests = ["$ref", "properties", "items", "prefixItems", "anyOf", "oneOf", "allOf"];
  return nests.some((keyword) => own(branch, keyword) !== undefined) ? 3 : 2;
}

export function largest(leaves: SchemaObject[], keyword: string): number | undefined {
  const numbers = every(leaves, keyword).filter((value) => typeof value === "number");
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

export function smallest(leaves: SchemaObject[], keyword: string): number | undefined {
  const numbers = every(leaves, keyword).filter((value) => typeof value === "number");
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** The values of a keyword in all schemas that have it. */
export function every(leaves: SchemaObject[], keyword: string) {
  return leaves.flatMap((leaf) => {
    const value = own(leaf, keyword);
    return value === undefined ? [] : [value];
  });
}

/** The schema of the item at `index`, all parts joined. */
export function itemOf(leaves: SchemaObject[], index: number): Schema {
  return joined(leaves.map((leaf) => itemPrefix(leaf)[index] ?? restItems(leaf)));
}

/** The schema of the member `name`, all parts joined. */
export function memberOf(leaves: SchemaObject[], name: string): Schema {
  return joined(leaves.map((leaf) => memberSchema(leaf, name)));
}

function joined(parts: Schema[]): Schema {
  if (parts.includes(false)) return false;
  const real = parts.filter((part) => part !== true);
  const [only] = real;
  return real.length <= 1 ? (only ?? true) : { allOf: real };
}

const HINTS: [JsonType, string[]][] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "maxProperties", "propertyNames"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** The types that all parts allow, the one to try first at the front. */
export function typesOf(leaves: SchemaObject[], simplest: boolean): JsonType[] {
  const declared = every(leaves, "type").map((type) => (Array.isArray(type) ? type : [type]));
  const allows = (types: unknown[], type: JsonType): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const allowed = JSON_TYPES.filter((type) => declared.every((types) => allows(types, type)));
  if (declared.length > 0) return simplest ? [...allowed].reverse() : allowed;
  const hinted = HINTS.filter(([, words]) => words.some((word) => every(leaves, word).length > 0)).map(
    ([type]) => type,
  );
  return [...new Set<JsonType>([...hinted, "string", ...JSON_TYPES])];
}
