import { expect, test } from "vitest";
import { planted } from "./plant.ts";
import { cycleViolations } from "./rules/cycles.ts";
import { FLOORS, floorOf, floorViolations } from "./rules/floors.ts";

const contract = { "src/contract/ids.ts": "export type Id = string;\n" };

test("the table itself only points down", () => {
  for (const floor of FLOORS) {
    for (const place of floor.mayImport) {
      const below = floorOf(place.endsWith("/") ? `${place}file.ts` : place);
      expect(below?.floor, `${floor.place} may import ${place}`).toBeLessThan(floor.floor);
    }
  }
});

test("an import upwards is refused", () => {
  const files = { "src/contract/a.ts": `import { b } from "../vm/b.ts";\n`, "src/vm/b.ts": "export const b = 1;\n" };
  expect(planted(floorViolations, files)).toEqual([
    "src/contract/a.ts:1 imports src/vm/b.ts: src/contract/ may import nothing",
  ]);
});

test("a type import upwards is refused like any other", () => {
  const files = { "src/vm/a.ts": `import type { B } from "../bridge/b.ts";\n`, "src/bridge/b.ts": "" };
  expect(planted(floorViolations, files)).toHaveLength(1);
});

test("an import type in the middle of a line is refused", () => {
  const files = { "src/vm/a.ts": `let x: import("../bridge/b.ts").B;\n`, "src/bridge/b.ts": "" };
  expect(planted(floorViolations, files)).toHaveLength(1);
});

test("a re-export of a folder beside it is refused", () => {
  const files = { "src/vm/a.ts": `export * from "../registry/b.ts";\n`, "src/registry/b.ts": "" };
  expect(planted(floorViolations, files)).toEqual([
    "src/vm/a.ts:1 imports src/registry/b.ts: src/vm/ may import src/contract/",
  ]);
});

test("the swarm may not look into the room behind the bridge", () => {
  const files = { "src/swarm/a.ts": `import { b } from "../vm/b.ts";\n`, "src/vm/b.ts": "" };
  expect(planted(floorViolations, files)).toHaveLength(1);
});

test("the command line enters the gateway by its doors only", () => {
  const files = {
    "src/cli/a.ts": `import { c } from "../gateway/client.ts";\nimport { r } from "../gateway/route.ts";\n`,
    "src/gateway/client.ts": "",
    "src/gateway/route.ts": "",
  };
  expect(planted(floorViolations, files)).toEqual([
    expect.stringMatching(/^src\/cli\/a\.ts:2 imports src\/gateway\/route\.ts/),
  ]);
});

test("only types cross from the contract into the page", () => {
  const files = { ...contract, "src/ui/page.ts": `import { id } from "../contract/ids.ts";\n` };
  expect(planted(floorViolations, files)).toHaveLength(1);
  const types = { ...contract, "src/ui/page.ts": `import { type Id } from "../contract/ids.ts";\n` };
  expect(planted(floorViolations, types)).toEqual([]);
});

test("guest types import nothing at all", () => {
  const files = { "guest-types/agents.d.ts": `import type { Id } from "somewhere";\n` };
  expect(planted(floorViolations, files)).toHaveLength(1);
});

test("the product may not look into the tests", () => {
  const files = { "src/vm/a.ts": `import { t } from "../../test/support/t.ts";\n`, "test/support/t.ts": "" };
  expect(planted(floorViolations, files)).toHaveLength(1);
});

test("a source file on no floor is refused", () => {
  expect(planted(floorViolations, { "src/helpers/a.ts": "" })).toEqual([
    "src/helpers/a.ts:1 stands on no floor of the house",
  ]);
});

test("an import that names no file is refused, because no other check could follow it", () => {
  const files = { ...contract, "src/vm/a.ts": `import { id } from "../contract/ids.js";\n` };
  expect(planted(floorViolations, files)).toHaveLength(1);
});

test("imports inside strings, comments and templates are no imports", () => {
  const text = [
    `// import { a } from "../bridge/a.ts";`,
    `const one = 'import { a } from "../bridge/a.ts"';`,
    'const two = `import { a } from "../bridge/a.ts"; ${one}`;',
    `const three = /import "x"/;`,
  ].join("\n");
  expect(planted(floorViolations, { "src/vm/a.ts": text })).toEqual([]);
});

test("a cycle of values is refused", () => {
  const files = { "src/vm/a.ts": `import { b } from "./b.ts";\n`, "src/vm/b.ts": `import { a } from "./a.ts";\n` };
  expect(planted(cycleViolations, files)).toEqual([
    "src/vm/b.ts:1 closes a circle: src/vm/a.ts → src/vm/b.ts → src/vm/a.ts",
  ]);
});

test("a cycle of three that one type import closes is refused", () => {
  const files = {
    "src/vm/a.ts": `import { b } from "./b.ts";\n`,
    "src/vm/b.ts": `export { c } from "./c.ts";\n`,
    "src/vm/c.ts": `import type { A } from "./a.ts";\n`,
  };
  expect(planted(cycleViolations, files)).toHaveLength(1);
});

test("two ways down to one file are no cycle", () => {
  const files = {
    "src/vm/a.ts": `import { b } from "./b.ts";\nimport { c } from "./c.ts";\n`,
    "src/vm/b.ts": `import { c } from "./c.ts";\n`,
    "src/vm/c.ts": "export const c = 1;\n",
  };
  expect(planted(cycleViolations, files)).toEqual([]);
});
