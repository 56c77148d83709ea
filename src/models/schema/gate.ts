// The schema gate: an allow-listed vocabulary of JSON Schema 2020-12 and draft-07 with limits, checked before
// anything is spent (HTTP, worker, model). A schema of a script is not trusted: `$async`, remote and dynamic
// references would make checks pass or leak, and depth and size would block.

import { type Fault, fault } from "../../contract/fault.ts";
import type { Json } from "../../contract/json.ts";
import { SCHEMA_BYTES_MAX } from "../../contract/limits.ts";

export type JsonSchema = { [key: string]: Json };
export type Dialect = "2020-12" | "draft-07";

export const SCHEMA_DEPTH_MAX = 32;
export const SCHEMA_NODES_MAX = 2_000;

const ONE = ["additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"];
const ONE_NEW = ["unevaluatedItems", "unevaluatedProperties"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
const PLAIN = [
  ...["type", "enum", "const", "format", "title", "description", "default", "examples", "deprecated", "readOnly"],
  ...["writeOnly", "$comment", "contentEncoding", "contentMediaType", "multipleOf", "maximum", "exclusiveMaximum"],
  ...["minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"],
  ...["maxContains", "minContains", "maxProperties", "minProperties", "required", "dependentRequired"],
];
const ONE_SCHEMA = new Set([...ONE, ...ONE_NEW]);
const SCHEMA_LISTS = new Set(LISTS);
const SCHEMA_MAPS = new Set(MAPS);
const VALUES = new Set(PLAIN);
/** These stand only at the top. */
const TOP = new Set(["$schema", "$id"]);

const DIALECTS: { readonly [uri: string]: Dialect } = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft-07/schema": "draft-07",
};
/** Keywords that only the older draft knows. */
const OLD_KEYWORDS = ["additionalItems", "dependencies"];

export interface CheckedSchema {
  /** Without `$schema` and `$id`: nothing is looked up by them. */
  schema: JsonSchema;
  dialect: Dialect;
}

/**
 * The schema as it may be used.
 * @throws Fault `schema_unsupported`, naming the keyword and its place, or the limit
 */
export function checkSchema(given: JsonSchema): CheckedSchema {
  checkSize(given);
  const walk: Walk = { root: given, isOld: false };
  visit(given, "#", walk);
  const { $schema, $id: _id, ...schema } = given;
  return { schema, dialect: dialectOf($schema, walk.isOld) };
}

interface Walk {
  root: JsonSchema;
  isOld: boolean;
}

/** Limits first, without recursion: what is too deep must not be walked by a function that recurses. */
function checkSize(given: Json): void {
  let nodes = 0;
  const open: { value: Json; depth: number }[] = [{ value: given, depth: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (++nodes > SCHEMA_NODES_MAX) throw tooLarge(`more than ${SCHEMA_NODES_MAX} values`);
    if (next.depth > SCHEMA_DEPTH_MAX) throw tooLarge(`more than ${SCHEMA_DEPTH_MAX} levels`);
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const value of Object.values(next.value)) open.push({ value, depth: next.depth + 1 });
  }
  const bytes = Buffer.byteLength(JSON.stringify(given));
  if (bytes > SCHEMA_BYTES_MAX) throw tooLarge(`${bytes} bytes; at most ${SCHEMA_BYTES_MAX} are accepted`);
}

function visit(schema: Json, at: string, walk: Walk): void {
  if (typeof schema === "boolean") return;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw unsupported(at.slice(at.lastIndexOf("/") + 1), at, "is no schema");
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${at}/${keyword}`;
    if (OLD_KEYWORDS.includes(keyword) || (keyword === "items" && Array.isArray(value))) walk.isOld = true;
    if (keyword === "$ref") checkReference(value, at, walk.root);
    else if (keyword === "items" && Array.isArray(value)) visitAll(value, place, walk);
    else if (ONE_SCHEMA.has(keyword) || keyword === "items") visit(value, place, walk);
    else if (SCHEMA_LISTS.has(keyword)) visitAll(listOf(value, keyword, at), place, walk);
    else if (SCHEMA_MAPS.has(keyword)) visitMap(value, keyword, at, walk);
    else if (!VALUES.has(keyword) && !(at === "#" && TOP.has(keyword)))
      throw unsupported(keyword, at, "is not supported");
  }
}

function visitAll(schemas: Json[], at: string, walk: Walk): void {
  for (const [index, schema] of schemas.entries()) visit(schema, `${at}/${index}`, walk);
}

function visitMap(value: Json, keyword: string, at: string, walk: Walk): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unsupported(keyword, at, "needs an object of schemas");
  }
  for (const [name, schema] of Object.entries(value)) {
    if (name === "__proto__") throw unsupported(keyword, at, 'may not name "__proto__"');
    // The older `dependencies` may name properties instead.
    if (keyword === "dependencies" && Array.isArray(schema)) continue;
    visit(schema, `${at}/${keyword}/${name}`, walk);
  }
}

function listOf(value: Json, keyword: string, at: string): Json[] {
  if (Array.isArray(value)) return value;
  throw unsupported(keyword, at, "needs a list of schemas");
}

/** Only a place in this very schema. */
function checkReference(value: Json, at: string, root: JsonSchema): void {
  if (typeof value !== "string" || (value !== "#" && !value.startsWith("#/"))) {
    throw unsupported("$ref", at, "may only point into this schema, like #/$defs/name");
  }
  let target: Json | undefined = root;
  for (const part of value.split("/").slice(1)) {
    const key = decodePointer(part);
    const isThere: boolean = typeof target === "object" && target !== null && Object.hasOwn(target, key);
    target = isThere ? (target as JsonSchema)[key] : undefined;
  }
  const isSchema =
    typeof target === "boolean" || (typeof target === "object" && target !== null && !Array.isArray(target));
  if (!isSchema) throw unsupported("$ref", at, `points at ${JSON.stringify(value.slice(0, 100))}, which is no schema`);
}

function decodePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
}

function dialectOf(uri: Json | undefined, isOld: boolean): Dialect {
  if (uri === undefined) return isOld ? "draft-07" : "2020-12";
  const dialect = typeof uri === "string" ? DIALECTS[uri.replace(/#$/, "")] : undefined;
  if (dialect) return dialect;
  throw unsupported("$schema", "#", `must be one of ${Object.keys(DIALECTS).join(", ")}`);
}

function unsupported(keyword: string, at: string, why: string): Fault {
  const name = keyword.slice(0, 100);
  return fault("schema_unsupported", `The schema's keyword ${JSON.stringify(name)} at ${at.slice(0, 200)} ${why}.`, {
    details: { keyword: name, at: at.slice(0, 200) },
  });
}

function tooLarge(what: string): Fault {
  return fault("schema_unsupported", `The schema has ${what}.`, { next: "Use a smaller schema." });
}
