// The schema gate and the validator behind it: what is refused by name, what is bounded, what is ended.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Fault, isFault } from "../../src/contract/fault.ts";
import type { Json } from "../../src/contract/json.ts";
import { checkSchema, type JsonSchema, SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX } from "../../src/models/schema/gate.ts";
import { Validator } from "../../src/models/schema/validator.ts";
import { rig } from "./support.ts";

function refusal(schema: object): Fault | undefined {
  try {
    checkSchema(schema as JsonSchema);
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  return undefined;
}

/** What is wrong with `value`, each in a validator of its own. */
async function errors(schema: object, value: Json): Promise<string[]> {
  const validator = new Validator();
  return validator.during(() => validator.errorsOf(checkSchema(schema as JsonSchema), value));
}

test.each<[string, object, string]>([
  ["$async", { $async: true, type: "object" }, "#"],
  ["$dynamicRef", { properties: { a: { $dynamicRef: "#x" } } }, "#/properties/a"],
  ["$dynamicAnchor", { $dynamicAnchor: "x" }, "#"],
  ["$recursiveRef", { $recursiveRef: "#" }, "#"],
  ["$anchor", { $defs: { a: { $anchor: "x" } } }, "#/$defs/a"],
  ["$vocabulary", { $vocabulary: {} }, "#"],
  ["$id", { $defs: { a: { $id: "urn:x" } } }, "#/$defs/a"],
  ["$schema", { $schema: "http://json-schema.org/draft-04/schema#" }, "#"],
  ["$ref", { $ref: "https://example.com/schema" }, "#"],
  ["$ref", { $ref: "other.json#/a" }, "#"],
  ["$ref", { $ref: "#/$defs/missing" }, "#"],
  ["$ref", { $ref: "#/__proto__" }, "#"],
  ["nullable", { items: [{ nullable: true }] }, "#/items/0"],
  ["discriminator", { oneOf: [{ discriminator: {} }] }, "#/oneOf/0"],
  ["properties", { properties: [] }, "#"],
  ["anyOf", { anyOf: {} }, "#"],
  ["properties", JSON.parse('{"properties":{"__proto__":{}}}'), "#"],
  ["not", { not: 1 }, "#/not"],
])("a keyword that is not supported is refused by its name: %s in %o", (keyword, schema, at) => {
  const found = refusal(schema);
  expect(found?.code).toBe("schema_unsupported");
  expect(found?.message).toContain(JSON.stringify(keyword));
  expect(found?.details).toMatchObject({ keyword, at });
});

test("a property, a definition or a value may have any name", () => {
  const schema = { properties: { $async: { type: "string" }, $ref: { const: { $ref: 1 } } }, enum: [{ nullable: 1 }] };
  expect(refusal(schema)).toBeUndefined();
});

test("depth, number of values and bytes are bounded", () => {
  const nested = (depth: number): object => (depth === 1 ? {} : { not: nested(depth - 1) });
  expect(refusal(nested(SCHEMA_DEPTH_MAX))).toBeUndefined();
  expect(refusal(nested(SCHEMA_DEPTH_MAX + 1))?.message).toContain(`more than ${SCHEMA_DEPTH_MAX} levels`);
  const wide = (count: number) => ({ enum: Array.from({ length: count }, (_, index) => index) });
  expect(refusal(wide(SCHEMA_NODES_MAX - 2))).toBeUndefined();
  expect(refusal(wide(SCHEMA_NODES_MAX - 1))?.message).toContain(`more than ${SCHEMA_NODES_MAX} values`);
  expect(refusal({ description: "x".repeat(65_536) })?.message).toMatch(/has 655\d\d bytes; at most 65536/);
  expect(refusal(nested(5_000))?.message).toContain("levels");
});

test("whatever is given, the gate answers with a fault of its own or lets it pass", () => {
  const keys = fc.constantFrom("properties", "items", "$ref", "anyOf", "type", "$defs", "x", "not", "dependencies");
  const leaf = fc.oneof(fc.constantFrom("#", "#/items", "object"), fc.integer(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.dictionary(keys, tie("tree")),
      fc.array(tie("tree"), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(keys, tree), (schema) => {
      expect(refusal(schema)?.code ?? "schema_unsupported").toBe("schema_unsupported");
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
});

describe("values", () => {
  test("both drafts are read, each by its own rules", async () => {
    const old = {
      $schema: "http://json-schema.org/draft-07/schema#",
      items: [{ type: "string" }],
      additionalItems: false,
    };
    expect(await errors(old, ["a"])).toEqual([]);
    expect(await errors(old, ["a", "b"])).toHaveLength(1);
    const recent = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      prefixItems: [{ type: "string" }],
      items: false,
    };
    expect(await errors(recent, ["a", "b"])).toHaveLength(1);
    expect(await errors({ items: [{ type: "string" }], additionalItems: false }, ["a", 1])).toHaveLength(1);
    expect(await errors({ format: "date" }, "30 November")).toEqual([
      expect.stringContaining('must match format "date"'),
    ]);
  });

  test("an inherited name is no property", async () => {
    expect(await errors({ required: ["toString"] }, {})).toHaveLength(1);
  });

  test("a pattern that backtracks for ever is ended, and the next value is checked", async () => {
    const validator = new Validator();
    await validator.during(async () => {
      const evil = checkSchema({ type: "string", pattern: "^(a+)+$" });
      const found = await validator.errorsOf(evil, `${"a".repeat(40)}!`);
      expect(found).toEqual([expect.stringContaining("was ended after 10000 ms")]);
      expect(await validator.errorsOf(checkSchema({ type: "number" }), 1)).toEqual([]);
    });
  });

  test("references that multiply and references to oneself come to an end", async () => {
    const $defs: JsonSchema = { d0: { type: "string" } };
    for (let level = 1; level <= 24; level++) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { anyOf: [ref, ref] };
    }
    expect(await errors({ $defs, $ref: "#/$defs/d24" }, 1)).not.toEqual([]);
    expect(await errors({ allOf: [{ $ref: "#" }] }, 1)).not.toEqual([]);
  });

  test("no schema sees what another one held", async () => {
    const validator = new Validator();
    await validator.during(async () => {
      const first = checkSchema({ $id: "urn:same", enum: ["secret-of-the-first"] });
      const second = checkSchema({ $id: "urn:same", enum: ["other"] });
      expect(await validator.errorsOf(first, "x")).toEqual([expect.stringContaining("secret-of-the-first")]);
      expect(await validator.errorsOf(second, "x")).toEqual([expect.not.stringContaining("secret-of-the-first")]);
    });
  });
});

test.each<[object, string]>([
  [{ type: "object", $async: true }, '"$async"'],
  [{ type: "object", properties: { a: { pattern: "(" } } }, "cannot be used"],
  [{ type: "strnig" }, "cannot be used"],
])("a child whose schema cannot be used fails before anything is sent: %o", async (schema, words) => {
  const { server, runner, work } = await rig();
  const outcome = await runner.run(work({ schema: schema as JsonSchema }));
  expect(outcome).toMatchObject({ status: "failed", errorCode: "schema_unsupported", retryable: false });
  expect(outcome).toMatchObject({ schemaError: expect.stringContaining(words) });
  expect(server.requests).toEqual([]);
});
