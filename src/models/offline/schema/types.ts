// The words that the schema files share.

import type { Json } from "../../../contract/json.ts";

export type SchemaObject = { [keyword: string]: Json };
export type Schema = boolean | SchemaObject;

/** Whether a value fits: "unsure" where the careful check cannot tell (long patterns, unusual formats). */
export type Verdict = "yes" | "no" | "unsure";

/** In the order in which a type is chosen when several are allowed. */
export const JSON_TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
export type JsonType = (typeof JSON_TYPES)[number];

export function isObject(value: Json | undefined): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isSchema(value: Json | undefined): value is Schema {
  return typeof value === "boolean" || isObject(value);
}

/** The member `name`, and never one that every object inherits. */
export function own(object: SchemaObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The sub-schemas under a keyword that holds a list of them. */
export function schemaList(schema: SchemaObject, keyword: string): Schema[] {
  const list = own(schema, keyword);
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** `prefixItems`, or the list that older drafts write as `items`. */
export function itemPrefix(schema: SchemaObject): Schema[] {
  const listed = Array.isArray(own(schema, "items")) ? schemaList(schema, "items") : [];
  return [...schemaList(schema, "prefixItems"), ...listed];
}

/** The schema of the items after the prefix. */
export function restItems(schema: SchemaObject): Schema {
  const items = own(schema, Array.isArray(own(schema, "items")) ? "additionalItems" : "items");
  return isSchema(items) ? items : true;
}

/** The schema that one member has to fit by this object schema alone. */
export function memberSchema(schema: SchemaObject, name: string): Schema {
  const properties = own(schema, "properties");
  const declared = isObject(properties) ? own(properties, name) : undefined;
  if (isSchema(declared)) return declared;
  const additional = own(schema, "additionalProperties");
  return isSchema(additional) ? additional : true;
}

/** What `#/…` points at inside `root`; undefined when it points at no schema. */
export function resolveReference(root: SchemaObject, reference: string): Schema | undefined {
  let at: Json | undefined = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decodePointerStep(step);
    if (Array.isArray(at)) at = /^\d{1,9}$/.test(key) ? at[Number(key)] : undefined;
    else at = isObject(at) ? own(at, key) : undefined;
  }
  return isSchema(at) ? at : undefined;
}

function decodePointerStep(step: string): string {
  let plain = step;
  try {
    plain = decodeURIComponent(step);
  } catch {
    // A stray "%" stays as it is; such a step then simply points at nothing.
  }
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Whether `value` is of `type`; 1.0 is an integer, as JSON Schema has it. */
export function isOfType(value: Json, type: JsonType): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
