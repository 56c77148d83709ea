// A value that fits a JSON Schema and follows from a seed, or the reason why there is none. Every
// part is proposed, then checked against its whole schema: a wrong value never leaves this file.

import { fault } from "../../../contract/fault.ts";
import type { Json } from "../../../contract/json.ts";
import { type Stream, streamOf } from "../seed.ts";
import { wordsOf } from "../text.ts";
import { checkValue } from "./check.ts";
import { arrays, objects } from "./compounds.ts";
import { conjunctions, every, typesOf } from "./conjunction.ts";
import { isSimplest, type Making, type Place, VALUE_DEPTH_MAX, workCounter } from "./place.ts";
import { numbers, texts } from "./scalars.ts";
import { assertSupported } from "./support.ts";
import type { JsonType, Schema, SchemaObject } from "./types.ts";

/** Longest place that a message names. */
const PATH_CHARS_MAX = 120;

/**
 * The value for `schema`; the same prompt and seed always give the same one.
 * Throws `schema_unsupported` for a keyword that is not understood, and `schema_invalid` when no
 * value was found (the schema contradicts itself, or asks for too much).
 */
export function valueForSchema(schema: SchemaObject, prompt: string, seed: number): Json {
  assertSupported(schema);
  let stuckAt = "";
  const making: Making = {
    root: schema,
    seed,
    words: wordsOf(prompt),
    patterns: new Map(),
    charge: workCounter(),
    fits: (inner, value) => checkValue(making, inner, value) === "yes",
    *values(inner, place) {
      let found = false;
      for (const value of valuesOf(inner, making, place)) {
        found = true;
        yield value;
      }
      if (!found && place.path.length > stuckAt.length) stuckAt = place.path;
    },
  };
  for (const value of making.values(schema, { path: "", name: undefined, depth: 0, salt: 0 })) return value;
  const where = stuckAt.length > PATH_CHARS_MAX ? `${stuckAt.slice(0, PATH_CHARS_MAX)}…` : stuckAt;
  throw fault("schema_invalid", `The offline model found no value that fits the schema, at #${where}.`, {
    next: "Check that the schema does not contradict itself at that place, or use another model.",
    details: { path: `#${where}` },
  });
}

function* valuesOf(schema: Schema, making: Making, place: Place): Generator<Json> {
  if (place.depth > VALUE_DEPTH_MAX) return;
  const stream = streamOf(making.seed, place.path, place.salt, "branch");
  const options = { root: making.root, stream, simplest: isSimplest(place), charge: making.charge };
  for (const leaves of conjunctions(schema, options)) {
    for (const value of proposals(leaves, making, place)) {
      making.charge(1);
      if (making.fits(schema, value)) yield value;
    }
  }
}

/** Enumerated values if there are any; else defaults, examples, and then what is made. */
function* proposals(leaves: SchemaObject[], making: Making, place: Place): Generator<Json> {
  const stream = streamOf(making.seed, place.path, place.salt, "pick");
  const constants = every(leaves, "const");
  const lists = every(leaves, "enum").filter(Array.isArray);
  if (constants.length > 0) return yield* constants;
  const [list] = lists;
  if (list) return yield* shuffled(making, stream, list);
  yield* every(leaves, "default");
  yield* shuffled(making, stream, every(leaves, "examples").filter(Array.isArray).flat());
  for (const type of typesOf(leaves, isSimplest(place))) yield* ofType(type, leaves, making, place);
}

/** Shuffling is work: a schema may hold thousands of examples and ask for a thousand items that choose among them. */
function shuffled(making: Making, stream: Stream, values: Json[]): Json[] {
  making.charge(values.length);
  return stream.shuffled(values);
}

function ofType(type: JsonType, leaves: SchemaObject[], making: Making, place: Place): Iterable<Json> {
  if (type === "object") return objects(leaves, making, place);
  if (type === "array") return arrays(leaves, making, place);
  if (type === "string") return texts(leaves, making, place);
  if (type === "number" || type === "integer") return numbers(type, leaves, making, place);
  if (type === "null") return [null];
  return streamOf(making.seed, place.path, place.salt, "boolean").shuffled([true, false]);
}
