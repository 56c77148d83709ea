// Values for schemas: never a wrong one, always the same one, and a refusal that names its reason.

import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFault } from "../../src/contract/fault.ts";
import type { Json } from "../../src/contract/json.ts";
import { valueForSchema } from "../../src/models/offline/schema/value.ts";
import { looseSchema, satisfiableSchema } from "../support/schemas.ts";

type SchemaObject = { [key: string]: Json };
const SEED = 20_261_130;
const PROMPT = "Review the plan of the durable scheduler, and name what is missing.";

const ajv = new Ajv2020({ strict: false, ownProperties: true });
addFormats.default(ajv);

function accepts(schema: SchemaObject, value: Json): boolean {
  return ajv.validate(schema, value);
}

function refusal(schema: SchemaObject): { code: string; message: string } {
  try {
    const value = valueForSchema(schema, PROMPT, 1);
    return { code: "none", message: JSON.stringify(value) };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe("values", () => {
  test("G-001 every satisfiable schema of the subset gets a value that a full validator accepts", () => {
    fc.assert(
      fc.property(satisfiableSchema, fc.string(), fc.nat(), (schema, prompt, seed) => {
        const value = valueForSchema(schema, prompt, seed);
        if (!accepts(schema, value)) throw new Error(`wrong: ${JSON.stringify(value)}`);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  test("G-001 a schema that may contradict itself gets an accepted value or a refusal, never a wrong value", () => {
    let satisfied = 0;
    fc.assert(
      fc.property(looseSchema, fc.nat(), (schema, seed) => {
        let value: Json;
        try {
          value = valueForSchema(schema, PROMPT, seed);
        } catch (error) {
          if (!isFault(error) || error.code !== "schema_invalid") throw error;
          return;
        }
        satisfied++;
        if (!accepts(schema, value)) throw new Error(`wrong: ${JSON.stringify(value)}`);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
    expect(satisfied).toBeGreaterThan(300);
  });

  test("the same prompt and schema give the same value, and another seed another text", () => {
    const schema = { type: "object", properties: { summary: { type: "string" } }, required: ["summary"] };
    fc.assert(
      fc.property(satisfiableSchema, fc.nat(), (any, seed) => {
        expect(valueForSchema(any, PROMPT, seed)).toEqual(valueForSchema(any, PROMPT, seed));
      }),
      { seed: SEED, numRuns: 200 },
    );
    expect(valueForSchema(schema, PROMPT, 1)).not.toEqual(valueForSchema(schema, PROMPT, 2));
  });

  test("texts are marked offline where the schema leaves room, and shortened where it does not", () => {
    const schema = {
      type: "object",
      properties: { summary: { type: "string" }, code: { type: "string", maxLength: 5 } },
      required: ["summary", "code"],
    };
    const value = valueForSchema(schema, PROMPT, 7) as { summary: string; code: string };
    expect(value.summary).toMatch(/^\[offline\] summary: /);
    expect(value.code).toBe("offli");
  });

  test("a default or an example that fits is preferred, and one that does not fit is passed over", () => {
    expect(valueForSchema({ type: "string", default: "draft" }, PROMPT, 1)).toBe("draft");
    expect(valueForSchema({ type: "integer", examples: ["no", 41] }, PROMPT, 1)).toBe(41);
    expect(valueForSchema({ type: "string", maxLength: 7, default: "far too long" }, PROMPT, 1)).toBe("offline");
  });

  test("a recursive schema ends where it may end", () => {
    const tree = {
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name", "children"],
          additionalProperties: false,
        },
      },
      $ref: "#/$defs/node",
    };
    expect(accepts(tree, valueForSchema(tree, PROMPT, 3))).toBe(true);
  });

  test("oneOf takes a value that fits exactly one branch", () => {
    const schema = {
      oneOf: [
        { type: "integer", minimum: 0 },
        { type: "integer", maximum: 10 },
      ],
    };
    for (let seed = 0; seed < 50; seed++) expect(accepts(schema, valueForSchema(schema, PROMPT, seed))).toBe(true);
  });

  test("members named like what objects inherit are made as own members", () => {
    const schema = {
      type: "object",
      properties: { constructor: { type: "integer" }, toString: { type: "integer" } },
      required: ["constructor", "toString"],
      additionalProperties: false,
    };
    expect(Object.keys(valueForSchema(schema, PROMPT, 1) as object)).toEqual(["constructor", "toString"]);
  });

  test("a schema of the older draft, with a list of items and definitions, is understood", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { score: { type: "integer", minimum: 1, maximum: 5 } },
      type: "array",
      items: [{ const: "a" }, { $ref: "#/definitions/score" }],
      additionalItems: { type: "boolean" },
      minItems: 3,
    };
    const [first, second, third] = valueForSchema(schema, PROMPT, 1) as Json[];
    expect([first, typeof second, typeof third]).toEqual(["a", "number", "boolean"]);
  });
});

describe("refusals", () => {
  test.each([
    [{ not: {} }, 'keyword "not"'],
    [
      { type: "object", properties: { a: { if: {}, else: {} } } },
      '#/properties/a cannot be used by an offline model: the keyword "if"',
    ],
    [{ type: "object", patternProperties: {} }, 'keyword "patternProperties"'],
    [{ $async: true }, 'keyword "$async"'],
    [{ type: "string", format: "iban" }, 'format "iban"'],
    [{ $ref: "https://example.invalid/schema.json" }, "only references inside the schema"],
    [{ $ref: "#/$defs/absent" }, "points at no schema"],
    [{ enum: [{ not: {} }], allOf: [{ $ref: "#/enum/0" }] }, "holds no schema"],
    [{ type: "string", pattern: "^(?=a)b" }, "look-around"],
    [{ type: "string", pattern: "(a)\\1" }, "\\1"],
    [{ type: "text" }, "one or several of"],
    [{ type: "object", required: ["__proto__"] }, "__proto__"],
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, "draft"],
  ])("what is not understood is refused by name: %j", (schema, reason) => {
    const { code, message } = refusal(schema as SchemaObject);
    expect(code).toBe("schema_unsupported");
    expect(message).toContain(reason);
  });

  test.each([
    [{ type: "string", const: 3 }],
    [{ type: "integer", minimum: 5, maximum: 4 }],
    [{ type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 }],
    [{ type: "array", items: { enum: [1, 2] }, minItems: 3, uniqueItems: true }],
    [{ type: "object", properties: { a: false }, required: ["a"] }],
    [{ type: "object", properties: { a: { $ref: "#" } }, required: ["a"] }],
    [{ $ref: "#" }],
    [{ type: "string", minLength: 1_000_000_000 }],
    [{ type: "string", pattern: "^a$", minLength: 2 }],
    [{ oneOf: [{ type: "string" }, { type: "string" }] }],
  ])("a schema that nothing satisfies is refused as schema_invalid: %j", (schema) => {
    expect(refusal(schema as SchemaObject).code).toBe("schema_invalid");
  });

  test.each([
    [
      "a pattern that blocks a backtracking engine",
      { type: "string", pattern: "^((a+)+)+$", minLength: 999, maxLength: 999 },
    ],
    ["repetitions that multiply", { type: "string", pattern: "^((((a{0,1000}){1000}){1000}){1000}){1000}b$" }],
    ["nothing repeated without end", { type: "string", pattern: "((((){1000}){1000}){1000}){1000}" }],
    ["references that double", doubling(24)],
    [
      "choices that multiply",
      {
        allOf: Array.from({ length: 30 }, () => ({ anyOf: [{ minimum: 1 }, { maximum: 0 }, { type: "null" }] })),
        type: "string",
        const: 1,
      },
    ],
    [
      "a list of very many distinct items",
      {
        type: "array",
        minItems: 900,
        uniqueItems: true,
        items: { type: "array", minItems: 900, items: { type: "string" } },
      },
    ],
  ])("%s ends after bounded work", (_what, schema) => {
    const before = performance.now();
    refusal(schema as SchemaObject);
    // A guard against hanging, ten times and more what is measured; the bound itself is a count of work.
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

/** `length` definitions, each of which needs the next one twice. */
function doubling(length: number): SchemaObject {
  const $defs: SchemaObject = { [`n${length}`]: { type: "string" } };
  for (let index = 0; index < length; index++) {
    const next = { $ref: `#/$defs/n${index + 1}` };
    $defs[`n${index}`] = { type: "object", properties: { a: next, b: next }, required: ["a", "b"] };
  }
  return { $defs, $ref: "#/$defs/n0" };
}
