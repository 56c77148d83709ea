// Proposals for arrays and objects: what is required first, then what is allowed, then no more than
// the limits hold.

import { canonicalJson, type Json } from "../../../contract/json.ts";
import { streamOf } from "../seed.ts";
import { every, itemOf, largest, memberOf, smallest } from "./conjunction.ts";
import { isSimplest, type Making, type Place, placeWithin } from "./place.ts";
import { isObject, itemPrefix, type Schema, type SchemaObject } from "./types.ts";

/** Longest array that is made; a schema that asks for more is not satisfied. */
const ITEMS_MAX = 1_000;
/** Different arrays or objects that are proposed for one place. */
const VARIANTS_MAX = 24;
/** Items of an array that names no number, at most. */
const ITEMS_DEFAULT = 3;
/** Members of an object that is a map of names the schema does not know. */
const MAP_MEMBERS = 2;

export function* arrays(leaves: SchemaObject[], making: Making, place: Place): Generator<Json[]> {
  const min = largest(leaves, "minItems") ?? 0;
  const max = smallest(leaves, "maxItems") ?? ITEMS_MAX;
  if (min > Math.min(max, ITEMS_MAX)) return;
  const unique = every(leaves, "uniqueItems").includes(true);
  const prefixLength = Math.max(...leaves.map((leaf) => itemPrefix(leaf).length), 0);
  const wanted = 1 + streamOf(making.seed, place.path, "count").below(ITEMS_DEFAULT);
  const count = isSimplest(place) ? min : Math.min(Math.max(min, prefixLength || wanted), max);
  for (let salt = 0; salt < VARIANTS_MAX; salt++) {
    const items = itemsFor(leaves, making, place, { count, unique, salt });
    if (items.length < min) return;
    yield items;
  }
}

/** As many items as can be made, `count` at most. */
function itemsFor(
  leaves: SchemaObject[],
  making: Making,
  place: Place,
  want: { count: number; unique: boolean; salt: number },
): Json[] {
  const items: Json[] = [];
  const used = new Set<string>();
  while (items.length < want.count) {
    const inner = placeWithin(place, items.length, want.salt);
    const item = firstUnused(itemOf(leaves, items.length), making, inner, want.unique ? used : undefined);
    if (item === undefined) break;
    items.push(item);
    used.add(canonicalJson(item));
  }
  return items;
}

function firstUnused(schema: Schema, making: Making, place: Place, used: Set<string> | undefined): Json | undefined {
  for (const value of making.values(schema, place)) {
    if (!used?.has(canonicalJson(value))) return value;
  }
  return undefined;
}

export function* objects(leaves: SchemaObject[], making: Making, place: Place): Generator<SchemaObject> {
  const required = [...new Set(every(leaves, "required").flat().map(String))];
  const declared = [...new Set(every(leaves, "properties").filter(isObject).flatMap(Object.keys))];
  const max = smallest(leaves, "maxProperties") ?? Number.POSITIVE_INFINITY;
  const min = largest(leaves, "minProperties") ?? 0;
  if (required.length > max || min > ITEMS_MAX) return;
  for (let salt = 0; salt < VARIANTS_MAX; salt++) {
    const members = new Map<string, Json>();
    const add = (name: string): void => {
      if (members.has(name) || members.size >= max || !isNameAllowed(leaves, making, name)) return;
      const value = firstUnused(memberOf(leaves, name), making, placeWithin(place, name, salt), undefined);
      if (value !== undefined) members.set(name, value);
    };
    required.forEach(add);
    if (members.size < required.length) return;
    if (!isSimplest(place)) declared.forEach(add);
    for (const name of declared) if (members.size < min) add(name);
    const isMap = declared.length + required.length === 0 && every(leaves, "additionalProperties").some(isObject);
    const wanted = Math.max(min, isMap && !isSimplest(place) ? MAP_MEMBERS : 0);
    for (const name of extraNames(leaves, making, place, wanted)) if (members.size < wanted) add(name);
    // Not by assignment: a member may be called __proto__.
    yield Object.fromEntries(inOrder(members, declared));
  }
}

/** Members in the order in which the schema declares them. */
function inOrder(members: Map<string, Json>, declared: string[]): [string, Json][] {
  const known = new Set(declared);
  const first = declared.flatMap((name): [string, Json][] => {
    const value = members.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return [...first, ...[...members].filter(([name]) => !known.has(name))];
}

function isNameAllowed(leaves: SchemaObject[], making: Making, name: string): boolean {
  return nameSchemas(leaves).every((schema) => making.fits(schema, name));
}

/** Names for members that the schema does not name: key1, key2 …, then what its `propertyNames` allows. */
function* extraNames(leaves: SchemaObject[], making: Making, place: Place, count: number): Generator<string> {
  if (count === 0) return;
  for (let number = 1; number <= count * 2; number++) yield `key${number}`;
  const schemas = nameSchemas(leaves);
  if (schemas.length === 0) return;
  for (const value of making.values({ allOf: [{ type: "string" }, ...schemas] }, placeWithin(place, "names", 0))) {
    if (typeof value === "string") yield value;
  }
}

function nameSchemas(leaves: SchemaObject[]): (SchemaObject | boolean)[] {
  return every(leaves, "propertyNames").filter((schema) => isObject(schema) || typeof schema === "boolean");
}
