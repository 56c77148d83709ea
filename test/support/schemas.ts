// Random JSON Schemas of the subset that the offline models support, for property tests.

import fc, { type Arbitrary } from "fast-check";
import type { Json } from "../../src/contract/json.ts";

type SchemaObject = { [key: string]: Json };

const FORMATS = [
  "date",
  "time",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "uuid",
];
const PATTERNS = [
  "^[a-z]+$",
  "^[A-Z]{2,4}-\\d{3}$",
  "ok",
  "^(?:red|green|blue)$",
  "^\\w+@\\w+\\.(com|org)$",
  "^[^a-z\\s]{3}",
  "^\\[x\\]\\u0041?.{2,}end$",
  "",
];
const NAMES = ["summary", "title", "score", "items", "hasOwnProperty", "a/b", "~tilde", "ünïcode", "isPrototypeOf", ""];

const json = fc.jsonValue({ maxDepth: 2 }) as Arbitrary<Json>;
const name = fc.constantFrom(...NAMES);

function ranged(
  low: string,
  high: string,
  numbers: Arbitrary<number>,
  span: Arbitrary<number>,
): Arbitrary<SchemaObject> {
  return fc.tuple(fc.option(numbers), fc.option(span)).map(([from, width]) => ({
    ...(from === null ? {} : { [low]: from }),
    ...(width === null ? {} : { [high]: (from ?? 0) + width }),
  }));
}

const plainString = ranged("minLength", "maxLength", fc.nat(40), fc.nat(60)).map((limits) => ({
  type: "string",
  ...limits,
}));
const integer = ranged("minimum", "maximum", fc.integer({ min: -1000, max: 1000 }), fc.nat(500)).map((limits) => ({
  type: "integer",
  ...limits,
}));
const number = fc
  .tuple(
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.double({ min: 0.001, max: 1e6, noNaN: true }),
    fc.boolean(),
  )
  .map(([low, width, exclusive]) => ({
    type: "number",
    [exclusive ? "exclusiveMinimum" : "minimum"]: low,
    [exclusive ? "exclusiveMaximum" : "maximum"]: low + width,
  }));
const multiple = fc.constantFrom(0.1, 0.25, 3, 7, 100).map((multipleOf) => ({ type: "number", multipleOf }));

const scalar: Arbitrary<SchemaObject> = fc.oneof(
  plainString,
  integer,
  number,
  multiple,
  fc.constantFrom(...FORMATS).map((format) => ({ type: "string", format })),
  fc.constantFrom(...PATTERNS).map((pattern) => ({ type: "string", pattern })),
  fc.constantFrom<SchemaObject[]>(
    { type: "boolean" },
    { type: "null" },
    {},
    { type: ["string", "null"] },
    { minimum: 3 },
  ),
  fc.array(json, { minLength: 1, maxLength: 5 }).map((values): SchemaObject => ({ enum: values })),
  json.map((value): SchemaObject => ({ const: value })),
  fc
    .tuple(json, fc.array(json, { maxLength: 3 }))
    .map(([preferred, examples]): SchemaObject => ({ type: "string", default: preferred, examples })),
);

function objectOf(inner: Arbitrary<SchemaObject>, names: Arbitrary<string>): Arbitrary<SchemaObject> {
  return fc
    .tuple(
      fc.dictionary(names, inner, { maxKeys: 4, noNullPrototype: true }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      inner,
    )
    .map(([properties, isRequired, closed, rest]) => ({
      type: "object",
      properties,
      required: Object.keys(properties).filter((_, index) => isRequired[index]),
      additionalProperties: closed ? false : rest,
    }));
}

const trees = fc.letrec<{ schema: SchemaObject }>((tie) => {
  const schema = tie("schema");
  const list = fc.tuple(schema, fc.nat(3), fc.nat(3), fc.array(schema, { minLength: 1, maxLength: 2 }));
  return {
    schema: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      scalar,
      objectOf(schema, name),
      list.map(([items, minItems, more]) => ({ type: "array", items, minItems, maxItems: minItems + more })),
      list.map(([items, minItems, , prefixItems]) => ({ type: "array", prefixItems, items, minItems })),
      fc
        .oneof(
          plainString.map(() => ({ type: "string" })),
          fc.constant({ type: "integer" }),
        )
        .map((items) => ({
          type: "array",
          items,
          minItems: 3,
          uniqueItems: true,
        })),
      schema.map((inner) => ({ anyOf: [{ type: "null" }, inner] })),
      fc.tuple(schema, schema).map((anyOf) => ({ anyOf })),
      fc
        .tuple(objectOf(schema, fc.constantFrom("a", "b")), objectOf(schema, fc.constantFrom("c", "d")))
        .map((parts) => ({
          allOf: parts.map((part) => ({ ...part, additionalProperties: true })),
        })),
      objectOf(schema, name).map((inner) => ({
        oneOf: [{ type: "string", maxLength: 20 }, inner, { type: "boolean" }],
      })),
      schema.map((additionalProperties) => ({
        type: "object",
        propertyNames: { minLength: 2, pattern: "^[a-z0-9]+$" },
        additionalProperties,
        minProperties: 2,
        maxProperties: 4,
      })),
      fc.constant({ $ref: "#/$defs/shared" }),
    ),
  };
});

/** Schemas that some value fits, by how they are made. */
export const satisfiableSchema: Arbitrary<SchemaObject> = fc.tuple(trees.schema, scalar).map(([schema, shared]) => ({
  ...schema,
  $defs: {
    shared: { type: "object", properties: { own: shared, again: { $ref: "#/$defs/shared" } }, required: ["own"] },
  },
}));

/** Keywords thrown together: many of these schemas contradict themselves. */
export const looseSchema: Arbitrary<SchemaObject> = fc
  .tuple(
    fc.subarray(["object", "array", "string", "number", "integer", "boolean", "null"], { minLength: 1 }),
    fc.array(trees.schema, { minLength: 1, maxLength: 3 }),
    fc.array(trees.schema, { minLength: 1, maxLength: 3 }),
    scalar,
    fc.record(
      {
        minLength: fc.nat(30),
        maxLength: fc.nat(30),
        minimum: fc.integer({ min: -20, max: 20 }),
        maximum: fc.integer({ min: -20, max: 20 }),
        multipleOf: fc.constantFrom(2, 3, 0.5),
        minItems: fc.nat(3),
        maxItems: fc.nat(3),
        uniqueItems: fc.boolean(),
        minProperties: fc.nat(3),
        maxProperties: fc.nat(3),
        required: fc.uniqueArray(name, { maxLength: 3 }),
        pattern: fc.constantFrom(...PATTERNS),
        format: fc.constantFrom(...FORMATS),
        default: json,
      },
      { requiredKeys: [] },
    ),
    fc.subarray(["type", "oneOf", "anyOf", "allOf"]),
  )
  .map(([type, first, second, shared, limits, kept]) => {
    const parts: SchemaObject = { type, oneOf: first, anyOf: second, allOf: [first[0] ?? true] };
    const chosen = Object.fromEntries(Object.entries(parts).filter(([keyword]) => kept.includes(keyword)));
    return { ...limits, ...chosen, $defs: { shared } };
  });
