import { expect, test } from "vitest";
import { planted } from "./plant.ts";
import { titleViolations } from "./rules/titles.ts";

const known = {
  "docs/acceptance/swarm.json": JSON.stringify([
    { id: "R-001", text: "One.", area: "registry" },
    { id: "R-002", text: "Two.", area: "registry" },
  ]),
};

function problems(text: string): string[] {
  return planted(titleViolations, { ...known, "test/vm/a.test.ts": text });
}

test("an id that no acceptance file knows is refused", () => {
  expect(problems(`test("R-001 R-999 does it", () => {});`)).toEqual([
    "test/vm/a.test.ts:1 cites R-999, which docs/acceptance does not know",
  ]);
});

test("a range of ids is refused", () => {
  for (const range of ["R-001–R-002", "R-001..R-002", "R-001 to R-002", "R-001-002"]) {
    expect(problems(`test("${range} do it", () => {});`)).toHaveLength(1);
  }
});

test("an id behind the front of a title is refused, because nothing counts it", () => {
  expect(problems(`test("R-001 does it, as R-002 says", () => {});`)).toHaveLength(1);
});

test("a title that only running would tell is refused", () => {
  expect(problems("test(name, () => {});")).toHaveLength(1);
  expect(problems("test(`${id}`, () => {});")).toHaveLength(1);
});

test("ids at the front, in a describe, in a template or in a table are read", () => {
  const text = [
    `describe("R-001 a chapter", () => { test("does it", () => {}); });`,
    "test(`R-001, R-002: does ${what}`, () => {});",
    `test.each([1, 2])("R-002 does %i", () => {});`,
    `test("without an id", () => {});`,
  ].join("\n");
  expect(problems(text)).toEqual([]);
});
