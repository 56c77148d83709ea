// Refuses, by name and place, every schema that the offline models do not fully understand: a value
// made while a keyword is ignored could be wrong, and a wrong value is worse than none.

import { fault } from "../../../contract/fault.ts";
import { type Json, utf8ByteCount } from "../../../contract/json.ts";
import { SCHEMA_BYTES_MAX } from "../../../contract/limits.ts";
import { FORMAT_NAMES } from "./formats.ts";
import { readPattern } from "./pattern.ts";
import { isObject, JSON_TYPES, resolveReference, type SchemaObject } from "./types.ts";

const SCHEMA_NODES_MAX = 2_000;
const SCHEMA_DEPTH_MAX = 32;
/** Validators disagree about such a member, and it invites mistakes in whoever reads the value. */
const PROTO_PROBLEM = 'a member named "__proto__" is not supported';
const DRAFTS = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft\/2019-09|draft-07)\/schema#?$/;

/** Keywords and the kind of value each must have. */
const KEYWORDS: { [keyword: string]: Kind } = {
  type: "types",
  enum: "values",
  const: "anything",
  properties: "schema map",
  required: "names",
  additionalProperties: "schema",
  propertyNames: "schema",
  minProperties: "count",
  maxProperties: "count",
  items: "schema or list",
  prefixItems: "schema list",
  additionalItems: "schema",
  minItems: "count",
  maxItems: "count",
  uniqueItems: "boolean",
  minLength: "count",
  maxLength: "count",
  pattern: "pattern",
  format: "format",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "positive number",
  anyOf: "schema list",
  oneOf: "schema list",
  allOf: "schema list",
  $ref: "reference",
  $defs: "schema map",
  definitions: "schema map",
};
const ANNOTATIONS = new Set(
  "title description default examples $comment deprecated readOnly writeOnly contentMediaType contentEncoding".split(
    " ",
  ),
);

/** The keywords that a schema may use, annotations left out. */
export const KEYWORD_NAMES: readonly string[] = Object.keys(KEYWORDS);

type Kind =
  | "types"
  | "values"
  | "anything"
  | "schema"
  | "schema map"
  | "schema list"
  | "schema or list"
  | "names"
  | "count"
  | "boolean"
  | "number"
  | "positive number"
  | "pattern"
  | "format"
  | "reference";

interface Walk {
  root: SchemaObject;
  nodesLeft: number;
  /** Every sub-schema that was looked at. */
  seen: Set<Json>;
  /** References, and what they point at. */
  targets: { at: string; target: Json }[];
}

/** Throws `schema_unsupported` naming the first keyword, format or reference that is not understood. */
export function assertSupported(root: SchemaObject): void {
  const bytes = utf8ByteCount(JSON.stringify(root));
  if (bytes > SCHEMA_BYTES_MAX) refuse("", `it has ${bytes} bytes, and at most ${SCHEMA_BYTES_MAX} are allowed`);
  const state: Walk = { root, nodesLeft: SCHEMA_NODES_MAX, seen: new Set([true, false]), targets: [] };
  walk(state, root, "", 0);
  for (const { at, target } of state.targets) {
    if (!state.seen.has(target)) refuse(at, "it points at a place that holds no schema");
  }
}

function walk(state: Walk, schema: Json, place: string, depth: number): void {
  if (state.nodesLeft-- <= 0) refuse(place, `it has more than ${SCHEMA_NODES_MAX} sub-schemas`);
  if (depth > SCHEMA_DEPTH_MAX) refuse(place, `it nests more than ${SCHEMA_DEPTH_MAX} deep`);
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) refuse(place, "a schema must be an object, true or false");
  state.seen.add(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${place}/${keyword}`;
    if (ANNOTATIONS.has(keyword) || (depth === 0 && keyword === "$id" && typeof value === "string")) continue;
    if (depth === 0 && keyword === "$schema") {
      if (typeof value !== "string" || !DRAFTS.test(value))
        refuse(at, `the draft ${JSON.stringify(value)} is not known`);
      continue;
    }
    const kind = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (!kind) refuse(place, `the keyword "${keyword}" is not supported`);
    walkKeyword(state, kind, value, at, depth);
  }
}

function walkKeyword(state: Walk, kind: Kind, value: Json, at: string, depth: number): void {
  const isList = kind === "schema list" || (kind === "schema or list" && Array.isArray(value));
  if (isList) {
    if (!Array.isArray(value) || value.length === 0) refuse(at, "it must be a list of schemas");
    for (const [index, inner] of value.entries()) walk(state, inner, `${at}/${index}`, depth + 1);
  } else if (kind === "schema" || kind === "schema or list") {
    walk(state, value, at, depth + 1);
  } else if (kind === "schema map") {
    if (!isObject(value)) refuse(at, "it must be an object of schemas");
    if (Object.hasOwn(value, "__proto__")) refuse(at, PROTO_PROBLEM);
    for (const [name, inner] of Object.entries(value)) walk(state, inner, `${at}/${name}`, depth + 1);
  } else {
    const problem = kind === "reference" ? referenceProblem(state, value, at) : plainProblem(kind, value);
    if (problem) refuse(at, problem);
  }
}

/** What is wrong with the value of a keyword that holds no schema; undefined when nothing is. */
function plainProblem(kind: Kind, value: Json): string | undefined {
  switch (kind) {
    case "types":
      return typesAreKnown(value) ? undefined : `it must be one or several of ${JSON_TYPES.join(", ")}`;
    case "values":
      return Array.isArray(value) && value.length > 0 ? undefined : "it must be a list of at least one value";
    case "names":
      return namesProblem(value);
    case "count":
      return Number.isInteger(value) && Number(value) >= 0 ? undefined : "it must be a whole number of at least 0";
    case "boolean":
      return typeof value === "boolean" ? undefined : "it must be true or false";
    case "number":
      return Number.isFinite(value) ? undefined : "it must be a number";
    case "positive number":
      return Number.isFinite(value) && Number(value) > 0 ? undefined : "it must be a number above 0";
    case "pattern":
      return patternProblem(value);
    case "format":
      return typeof value === "string" && FORMAT_NAMES.includes(value)
        ? undefined
        : `the format ${JSON.stringify(value)} is not known; known are ${FORMAT_NAMES.join(", ")}`;
    default:
      return undefined;
  }
}

function typesAreKnown(value: Json): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => JSON_TYPES.some((known) => known === type));
}

function namesProblem(value: Json): string | undefined {
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) return "it must be a list of names";
  return value.includes("__proto__") ? PROTO_PROBLEM : undefined;
}

function patternProblem(value: Json): string | undefined {
  if (typeof value !== "string") return "it must be a text";
  const reading = readPattern(value);
  return "refused" in reading ? `the pattern uses ${reading.refused}, which is not supported` : undefined;
}

function referenceProblem(state: Walk, value: Json, at: string): string | undefined {
  if (typeof value !== "string" || !/^#(?:\/|$)/.test(value)) {
    return "only references inside the schema are supported, such as #/$defs/name";
  }
  const target = resolveReference(state.root, value);
  if (target === undefined) return `${value} points at no schema`;
  state.targets.push({ at, target });
  return undefined;
}

function refuse(place: string, reason: string): never {
  const where = place === "" ? "The schema" : `The schema at #${place}`;
  throw fault("schema_unsupported", `${where} cannot be used by an offline model: ${reason}.`, {
    next: "See docs/offline.md for the keywords that offline models understand, or use another model.",
    details: { path: `#${place}` },
  });
}
