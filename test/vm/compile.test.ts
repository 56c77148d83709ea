// From a script's text to what the controller evaluates: positions stay, and what is no script is refused
// with its line, its column and a caret.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fault, isFault } from "../../src/contract/fault.ts";
import { SCRIPT_BYTES_MAX } from "../../src/contract/limits.ts";
import { FIRST_LINE_COLUMN_SHIFT, SCRIPT_PREFIX, SCRIPT_SUFFIX } from "../../src/vm/compile.ts";
import type { VmPool } from "../../src/vm/port.ts";
import { TO_GUEST } from "./support/controller.ts";
import { openTestPool, TestRun } from "./support/guest.ts";

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool.close());

type Language = "js" | "ts";

async function refusal(text: string, language: Language = "js"): Promise<Fault> {
  try {
    await pool.compile({ text, language, fileName: "my script.js" });
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new RangeError(`compiled: ${text}`);
}

/** Compiles and runs a script that ends in its first slice. */
async function run(text: string, language: Language = "js"): Promise<TestRun> {
  const code = await pool.compile({ text, language, fileName: "a" });
  const run = new TestRun(pool);
  await run.deliver({ op: TO_GUEST.start, id: 0, a: code, b: "" });
  return run;
}

test("G-012 the compiled text is the script between a fixed prefix and suffix", async () => {
  const text = "const a = await 1;\nreturn a // the end";
  expect(await pool.compile({ text, language: "js", fileName: "a" })).toBe(SCRIPT_PREFIX + text + SCRIPT_SUFFIX);
  expect((await run(text)).result).toBe("1");
});

test("G-012 types are blanked out and everything else stays where it was", async () => {
  const text = "interface A { b: number }\nconst a: A = { b: 2 as number };\nreturn a!.b satisfies number;";
  const code = await pool.compile({ text, language: "ts", fileName: "a" });
  expect(code.length).toBe(SCRIPT_PREFIX.length + text.length + SCRIPT_SUFFIX.length);
  expect(code.split("\n")[1]).toBe("const a    = { b: 2           };");
  expect((await run(text, "ts")).result).toBe("2");
});

const REFUSED: [string, Language, number, number, string][] = [
  ["let x = ;", "js", 1, 9, "let x = ;\n        ^"],
  ["let x = 1;\n  let y = = 2;", "js", 2, 11, "  let y = = 2;\n          ^"],
  ["\tif (1 {", "js", 1, 8, "\tif (1 {\n\t      ^"],
  ["const é😀 = 1", "js", 1, 8, "const é😀 = 1\n       ^"],
  ['"é😀"; foo bar', "js", 1, 12, '"é😀"; foo bar\n           ^'],
  ["let a;\r\nlet b = );", "js", 2, 9, "let b = );\n        ^"],
  ["a\n}", "js", 2, 1, "}\n^"],
  ["if (true) {\n  return 1", "js", 2, 11, "  return 1\n          ^"],
  ["`open", "js", 1, 1, "`open\n^"],
  [
    "class A { m() { return this.#gone } }",
    "js",
    1,
    29,
    "class A { m() { return this.#gone } }\n                            ^",
  ],
  ["let x: = 3", "ts", 1, 8, "let x: = 3\n       ^"],
  ["let a: number = 1;\nlet b: ;", "ts", 2, 8, "let b: ;\n       ^"],
  ['"é😀"; let x: ;', "ts", 1, 15, '"é😀"; let x: ;\n              ^'],
  ["enum E { A }", "ts", 1, 1, "enum E { A }\n^"],
  ["x;\nnamespace N { export const a = 1 }", "ts", 2, 1, "namespace N { export const a = 1 }\n^"],
];

for (const [text, language, line, column, excerpt] of REFUSED) {
  test(`G-012 refused in ${language} at ${line}:${column}: ${JSON.stringify(text)}`, async () => {
    const fault = await refusal(text, language);
    expect(fault.code).toBe("script_syntax");
    expect(fault.place).toEqual({ file: "my script.js", line, column, excerpt });
    expect(fault.message).toContain(`my script.js:${line}:${column}: `);
  });
}

const MODULES: [string, Language][] = [
  ['import fs from "fs"', "js"],
  ['\n  import { a } from "b"', "js"],
  ['import "side"', "js"],
  ["import.meta.url", "js"],
  ["export const a = 1", "js"],
  ["export default 1", "js"],
  ['import fs from "fs"', "ts"],
  ["export const a: number = 1", "ts"],
];

for (const [text, language] of MODULES) {
  test(`G-012 refused with a clear message in ${language}: ${text.trim()}`, async () => {
    const fault = await refusal(text, language);
    expect(fault.message).toMatch(/(import|export) does not exist here: a script is no module/);
    expect(fault.place?.line).toBe(text.startsWith("\n") ? 2 : 1);
  });
}

const ESCAPES = [
  "}); evil(); (async () => {",
  "}, evil(), async () => {",
  "})(), (async () => {",
  "}\n); evil(); (async () => {",
  "});\n(async () => { return 1",
  "/**/}); evil(); (() => {//",
  "}) || (async () => {",
  "`x`}); (async () => {`y`",
];

for (const text of ESCAPES) {
  test(`G-012 a script cannot close what it is wrapped in: ${JSON.stringify(text)}`, async () => {
    for (const language of ["js", "ts"] as const) expect((await refusal(text, language)).code).toBe("script_syntax");
  });
}

test("G-012 an import at run time rejects and the script goes on", async () => {
  const text = 'try { await import("fs"); } catch (error) { return [error.name, error.message]; }';
  expect((await run(text)).result).toBe(`["ReferenceError","could not load module 'fs'"]`);
  expect((await run("return typeof require")).result).toBe('"undefined"');
});

test("G-012 stacks have the script's own lines, and columns from its second line on", async () => {
  const text = "const at = () =>\n  new Error('x').stack;\nreturn at();";
  for (const language of ["js", "ts"] as const) {
    const { result } = await run(language === "ts" ? text.replace("()", "(): string") : text, language);
    expect(result).toMatch(/at \(<input>:2:7\)\\n.*<input>:3:8\)/);
  }
  const first = (await run("return new Error('x').stack")).result ?? "";
  expect(first).toContain(`<input>:1:${"return new ".length + 1 + FIRST_LINE_COLUMN_SHIFT}`);
});

test("G-012 a first line that names an interpreter is a comment", async () => {
  expect((await run("#!/usr/bin/env quickswarm\nreturn 3")).result).toBe("3");
});

test("G-012 nothing of a script runs while it is compiled", async () => {
  await pool.compile({ text: "for (;;);", language: "js", fileName: "a" });
});

test("G-012 a long line is shown around the place", async () => {
  const fault = await refusal(`${"a;".repeat(500)}let x = ;${"b;".repeat(500)}`);
  const [line, caret] = fault.place?.excerpt?.split("\n") ?? [];
  expect(line?.length).toBe(120);
  expect(line?.[(caret?.length ?? 0) - 1]).toBe(";");
  expect(fault.place?.column).toBe(1009);
});

test("C-007 a script that is too large is refused before it is parsed", async () => {
  const fault = await refusal("x".repeat(SCRIPT_BYTES_MAX + 1));
  expect(fault.code).toBe("script_too_large");
  expect(fault.message).toContain(String(SCRIPT_BYTES_MAX + 1));
});

test("G-012 source nested too deeply is refused and the worker goes on", async () => {
  for (const text of [
    "(".repeat(100_000),
    "[".repeat(100_000),
    `${"{".repeat(50_000)}${"}".repeat(50_000)}`,
    "a?".repeat(50_000),
  ]) {
    for (const language of ["js", "ts"] as const)
      expect((await refusal(text, language)).code).toMatch(/^(script_syntax|stack_overflow|memory_limit)$/);
  }
  expect((await run("return 1")).result).toBe("1");
});

test.each([
  ["a trap", "(".repeat(20_000) + ")".repeat(20_000)],
  ["an overflow of the stack", `1${"+1".repeat(150_000)}`],
])("G-012 a text that breaks the removal of types by %s breaks it for no other", async (_how, text) => {
  expect((await refusal(`return ${text};`, "ts")).code).toBe("script_syntax");
  expect((await run("const x: number = 7; return x;", "ts")).result).toBe("7");
});
