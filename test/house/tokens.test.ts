import { expect, test } from "vitest";
import { functionsOf } from "../../scripts/source/functions.ts";
import { importsOf, resolveImport } from "../../scripts/source/imports.ts";
import { codeOf } from "../../scripts/source/tokens.ts";

function texts(text: string): string[] {
  return codeOf({ path: "a.ts", text }).map((token) => token.text);
}

test("a slash is a regular expression where a value may begin, and a division elsewhere", () => {
  expect(texts("a = /x[/]y/g; b = c / d / e; f(1) / g; return /z/;")).toEqual(
    ["a", "=", "/x[/]y/g", ";", "b", "=", "c", "/", "d", "/", "e", ";", "f", "(", "1", ")", "/", "g", ";"].concat([
      "return",
      "/z/",
      ";",
    ]),
  );
});

test("the code in the hole of a template is code, its text is not", () => {
  expect(texts("`a ${b({ c: `${d}` })} e` + f")).toEqual([
    "`a ${",
    "b",
    "(",
    "{",
    "c",
    ":",
    "`${",
    "d",
    "}`",
    "}",
    ")",
    "} e`",
    "+",
    "f",
  ]);
});

test("quotes in comments and comments in strings stay what they are", () => {
  expect(texts(`a; // don't\n"// b"; /* "c" */ 'it\\'s';`)).toEqual(["a", ";", `"// b"`, ";", "'it\\'s'", ";"]);
});

test("tokens know their line, also behind a template and a comment of many lines", () => {
  const tokens = codeOf({ path: "a.ts", text: "/* 1\n2 */\n`3\n4` + five;\n" });
  expect(tokens.map(({ text, line, endLine }) => [text, line, endLine])).toEqual([
    ["`3\n4`", 3, 4],
    ["+", 4, 4],
    ["five", 4, 4],
    [";", 4, 4],
  ]);
});

test("every form of import is read, with whether only types cross", () => {
  const text = [
    `import a, { type B } from "./1.ts";`,
    `import type { C } from "./2.ts";`,
    `import { type D, type E as F } from "./3.ts";`,
    `import * as g from "./4.ts";`,
    `import "./5.ts";`,
    `export { h } from "./6.ts";`,
    `export type * from "./7.ts";`,
    `const i = await import("./8.ts");`,
    `const j = require("./9.ts");`,
    `export const from = "./no.ts";`,
    `import json from "./10.json" with { type: "json" };`,
  ].join("\n");
  expect(importsOf({ path: "a.ts", text }).map(({ specifier, typeOnly }) => [specifier, typeOnly])).toEqual([
    ["./1.ts", false],
    ["./2.ts", true],
    ["./3.ts", true],
    ["./4.ts", false],
    ["./5.ts", false],
    ["./6.ts", false],
    ["./7.ts", true],
    ["./8.ts", false],
    ["./9.ts", false],
    ["./10.json", false],
  ]);
});

test("a relative specifier is resolved from the file that says it", () => {
  expect(resolveImport("src/vm/deep/a.ts", "../b.ts")).toBe("src/vm/b.ts");
  expect(resolveImport("src/vm/a.ts", "zod")).toBeUndefined();
});

test("functions are found by name, from the line of the name to the last line", () => {
  const text = `class A {\n  async run(a: number): Promise<{ b: 1 }> {\n    if (a) {\n    }\n  }\n}\nconst f = (x) =>\n  x;\n`;
  expect(functionsOf({ path: "a.ts", text }).map(({ name, line, endLine }) => [name, line, endLine])).toEqual([
    ["run", 2, 5],
    ["f", 7, 8],
  ]);
});
