import { expect, test } from "vitest";
import { lines, planted } from "./plant.ts";
import { optionViolations } from "./rules/options.ts";
import { fileSizeViolations, functionSizeViolations } from "./rules/sizes.ts";

test("a file of 301 lines is refused, one of 300 is not", () => {
  expect(planted(fileSizeViolations, { "src/vm/a.ts": lines(301) })).toEqual([
    "src/vm/a.ts:301 has 301 lines; at most 300",
  ]);
  expect(planted(fileSizeViolations, { "src/vm/a.ts": lines(300), "README.md": lines(900) })).toEqual([]);
});

test("tests, benches and scripts are held to the same length", () => {
  const files = { "test/vm/a.test.ts": lines(301), "bench/a.ts": lines(301), "scripts/a.mjs": lines(301) };
  expect(planted(fileSizeViolations, files)).toHaveLength(3);
});

const body = lines(70, "  step();");

test.each([
  ["a declaration", `export function long(a: number): void {\n${body}}\n`],
  ["a return type with braces", `function long(): { a: number; b: string } {\n${body}}\n`],
  ["a return type with arrows and generics", `function long<T>(a: T): Promise<Map<string, () => T>> {\n${body}}\n`],
  ["a type predicate", `function long(a: unknown): a is string {\n${body}}\n`],
  ["a method", `class A {\n  async long(a = { b: 1 }) {\n${body}}\n}\n`],
  ["a private method", `class A {\n  #long(): void {\n${body}}\n}\n`],
  ["an accessor", `const a = {\n  get long() {\n${body}}\n};\n`],
  ["an arrow", `export const long = async (a: number): Promise<void> => {\n${body}};\n`],
  ["an arrow with an expression", `const long = () =>\n  [\n${lines(70, "    1,")}  ].length;\n`],
  ["a callback", `run("name", () => {\n${body}});\n`],
  ["a function with a template", `function long() {\n  say(\`\${a({ b: 1 })} }\`);\n${body}}\n`],
])("a function of more than 70 lines is refused: %s", (_name, text) => {
  expect(planted(functionSizeViolations, { "src/vm/a.ts": text })).toHaveLength(1);
});

test("a function inside guest code is held as well, with its line in the host's file", () => {
  const text = `const TEXT = guestText\`\nconst limit = \${max};\nfunction long() {\n${body}}\n\`;\n`;
  expect(planted(functionSizeViolations, { "src/bridge/a.ts": text })).toEqual([
    "src/bridge/a.ts:3 long has 72 lines; at most 70",
  ]);
});

test("a function of exactly 70 lines stands, and what is no function is not counted", () => {
  const text = `function short() {\n${lines(68, "  step();")}}\nconst table = {\n${lines(100, "  a: 1,")}};\n`;
  const control = `switch (a) {\n${lines(80)}}\nif (a) {\n${lines(80)}}\nclass A extends B<C> {\n${lines(80)}}\n`;
  const types = `interface A extends B {\n${lines(80, "  a: 1;")}}\n`;
  expect(planted(functionSizeViolations, { "src/vm/a.ts": text, "src/vm/b.ts": control + types })).toEqual([]);
});

test("a describe callback is a chapter; a test callback is held to 70 lines", () => {
  const chapter = `describe("x", () => {\n  test("a", () => {});\n${body}});\n`;
  expect(planted(functionSizeViolations, { "test/vm/a.test.ts": chapter })).toEqual([]);
  const long = `describe("x", () => {\n  test("a", () => {\n${body}  });\n});\n`;
  expect(planted(functionSizeViolations, { "test/vm/a.test.ts": long })).toHaveLength(1);
});

test("outside test/ a function that calls test is a function", () => {
  const text = `function long() {\n  test("a", () => {});\n${body}}\n`;
  expect(planted(functionSizeViolations, { "src/vm/a.ts": text })).toHaveLength(1);
});

const nine = "a: 1; b?: { x: 1; y: 2; z: 3 }; c: Map<string, number>; d(): void; e: 1; f: 1; g: 1; h: 1; i: 1;";

test("an options interface of ten fields is refused, one of nine is not", () => {
  const text = `interface RunOptions {\n${nine}\nj: 1;\n}\n`;
  expect(planted(optionViolations, { "src/vm/a.ts": text })).toEqual([
    "src/vm/a.ts:1 RunOptions has 10 fields; at most 9",
  ]);
  expect(planted(optionViolations, { "src/vm/a.ts": `interface RunOptions { ${nine} }\n` })).toEqual([]);
});

test("an options type literal is counted with what is added to it", () => {
  const text = `type RunOptions = { ${nine} } & { more: 1 };\n`;
  expect(planted(optionViolations, { "src/vm/a.ts": text })).toHaveLength(1);
});

test("inherited fields count, also from another file", () => {
  const files = {
    "src/vm/a.ts": `export interface Base { a: 1; b: 1; c: 1; d: 1; e: 1 }\n`,
    "src/vm/b.ts": `interface RunOptions extends Base { f: 1; g: 1; h: 1; i: 1; j: 1 }\n`,
  };
  expect(planted(optionViolations, files)).toEqual(["src/vm/b.ts:1 RunOptions has 10 fields; at most 9"]);
});

test("an object type written in a parameter list is an options type", () => {
  const files = { "src/vm/a.ts": `function run(id: string, how: { ${nine} j: 1 }): void {}\n` };
  expect(planted(optionViolations, files)).toEqual(["src/vm/a.ts:1 the parameter how has 10 fields; at most 9"]);
  const taken = { "src/vm/a.ts": `const run = async ({ a, b }: { ${nine} j: 1 }) => a;\n` };
  expect(planted(optionViolations, taken)).toHaveLength(1);
});

test("records, ports and object values are data and not options", () => {
  const text = [
    `interface TurnCommit { ${nine} j: 1 }`,
    `const value = call(a ? b : { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1 });`,
    `const more = { first: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1 } };`,
  ].join("\n");
  expect(planted(optionViolations, { "src/vm/a.ts": text })).toEqual([]);
});
