import fc from "fast-check";
import { expect, test } from "vitest";
import { spawnRequestSchema, submitRequestSchema } from "../../src/contract/api.ts";
import { spawnBodySchema, submitBodySchema } from "../../src/gateway/bodies.ts";

const SEED = 20_261_130;
/** What JSON.parse can give, `__proto__` keys left out: the contract's schemas drop those. */
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll("__proto__", "p")));

test("I-002 a submit body is taken and refused as the contract's schema would, whatever its args are", () => {
  const body = fc.record({ script: fc.oneof(fc.string(), json), args: json, model: json }, { requiredKeys: [] });
  fc.assert(
    fc.property(body, (value) => {
      const [ours, contract] = [submitBodySchema.safeParse(value), submitRequestSchema.safeParse(value)];
      expect([ours.success, ours.data]).toEqual([contract.success, contract.data]);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

test("I-002, S-001 a spawn body is taken and refused as the contract's schema would, whatever its outputSchema is", () => {
  const body = fc.record({ task: fc.string(), collect: fc.boolean(), outputSchema: json }, { requiredKeys: [] });
  fc.assert(
    fc.property(body, (value) => {
      const [ours, contract] = [spawnBodySchema.safeParse(value), spawnRequestSchema.safeParse(value)];
      expect([ours.success, ours.data]).toEqual([contract.success, contract.data]);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});
