import fc from "fast-check";
import { expect, test } from "vitest";
import { parseArgs, readArgs } from "../../src/cli/input/args.ts";
import { brokenAt } from "../../src/cli/input/json-place.ts";
import { type Fault, isFault } from "../../src/contract/fault.ts";
import type { Json } from "../../src/contract/json.ts";
import { ARGS_DEPTH_MAX } from "../../src/contract/limits.ts";
import { folderWith } from "./support/folder.ts";

async function faultOf(action: () => unknown): Promise<Fault> {
  try {
    await action();
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new Error("no fault was thrown");
}

test("G-010 I-005 args that are nested too deeply are refused with the limit, and the deepest that fit are taken", async () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  const taken = await readArgs({ args: nested(ARGS_DEPTH_MAX) }, ".");
  expect(JSON.stringify(taken)).toBe(nested(ARGS_DEPTH_MAX));
  for (const levels of [ARGS_DEPTH_MAX + 1, 30_000]) {
    await expect(readArgs({ args: nested(levels) }, ".")).rejects.toMatchObject({
      code: "bad_request",
      message: `--args is nested deeper than ${ARGS_DEPTH_MAX} levels`,
    });
  }
});

test("D-013 G-010 --args takes any JSON value and --args-text plain text", async () => {
  expect(await readArgs({ args: '{"dir":"docs"}' }, ".")).toEqual({ dir: "docs" });
  expect(await readArgs({ args: "null" }, ".")).toBeNull();
  expect(await readArgs({ args: '"text"' }, ".")).toBe("text");
  expect(await readArgs({ argsText: '{"not":"parsed"}' }, ".")).toBe('{"not":"parsed"}');
  expect(await readArgs({ argsText: "" }, ".")).toBe("");
  expect(await readArgs({}, ".")).toBeUndefined();
});

test("D-013 --args and --args-text together are refused", async () => {
  expect(await faultOf(() => readArgs({ args: "1", argsText: "1" }, "."))).toMatchObject({ code: "option_type" });
});

test.each([
  ["{dir: 'docs'}", 2, "{dir: 'docs'}\n ^"],
  ['{"a": 1,}', 9, '{"a": 1,}\n        ^'],
  ['{"a": tru}', 7, '{"a": tru}\n      ^'],
  ["[1 2]", 4, "[1 2]\n   ^"],
  ['{"a": 1} x', 10, '{"a": 1} x\n         ^'],
  ['{"a": "b', 7, '{"a": "b\n      ^'],
  ['{"a": [1, 2', 12, '{"a": [1, 2\n           ^'],
  ["", 1, "\n^"],
])("I-005 D-013 where %s stops being JSON is shown", async (text, column, excerpt) => {
  const found = await faultOf(() => parseArgs(text));
  expect(found.code).toBe("args_not_json");
  expect(found.place).toMatchObject({ file: "--args", line: 1, column, excerpt });
  expect(found.next).toContain("--args-text");
});

test("I-005 the place in args of several lines counts lines", async () => {
  const found = await faultOf(() => parseArgs('{\n  "a": 1,\n  b: 2\n}'));
  expect(found.place).toMatchObject({ line: 3, column: 3, excerpt: "  b: 2\n  ^" });
});

test("I-005 the reader that finds the place accepts exactly what the engine accepts", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    "1",
    "-",
    "0",
    "1e3",
    "true",
    "null",
    " ",
    "x",
    '"',
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.json(),
    fc
      .tuple(fc.json(), fc.nat(40), fc.constantFrom("", ",", "}", "]", '"', "\\"))
      .map(([json, at, extra]) => json.slice(0, at) + extra + json.slice(at)),
  );
  fc.assert(
    fc.property(text, (source) => {
      const at = brokenAt(source);
      if (parses(source)) expect(at).toBe(source.length);
      else expect(at).toBeLessThanOrEqual(source.length);
      // Everything before the place can still become a document: no earlier character is wrong.
      if (at < source.length) expect(brokenAt(source.slice(0, at))).toBe(at);
    }),
    { seed: 20_261_130, numRuns: 2_000 },
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("G-010 --files puts the texts of matching files into args.files, beside the rest of args", async () => {
  const cwd = folderWith({ "docs/b.md": "B", "docs/a.md": "A", "docs/c.txt": "C" });
  const value = await readArgs({ args: '{"dir":"docs"}', files: ["docs/*.md"] }, cwd);
  expect(value).toEqual({
    dir: "docs",
    files: [
      { path: "docs/a.md", text: "A" },
      { path: "docs/b.md", text: "B" },
    ],
  });
});

test("G-010 without --files no folder is read, whatever args says", async () => {
  const cwd = folderWith({ "docs/a.md": "A" });
  expect(await readArgs({ args: '{"dir":"docs"}' }, cwd)).toEqual({ dir: "docs" });
});

test("G-010 --files alone makes args an object", async () => {
  const cwd = folderWith({ "a.md": "A" });
  expect(await readArgs({ files: ["a.md"] }, cwd)).toEqual({ files: [{ path: "a.md", text: "A" }] });
});

test("I-005 --files is refused when args is no object or has files already", async () => {
  const cwd = folderWith({ "a.md": "A" });
  const refused: { args?: string; argsText?: string }[] = [{ args: "[]" }, { args: "null" }, { argsText: "x" }];
  for (const given of [...refused, { args: '{"files":1}' }]) {
    expect(await faultOf(() => readArgs({ ...given, files: ["a.md"] }, cwd))).toMatchObject({ code: "option_type" });
  }
});

test("I-005 args that are too large are refused with the numbers", async () => {
  const found = await faultOf(() => readArgs({ argsText: "x".repeat(8 * 1024 * 1024) }, "."));
  expect(found).toMatchObject({ code: "args_too_large", message: expect.stringContaining("8388610") });
});

test("G-010 a key __proto__ in --args stays a plain key of its own", async () => {
  const value = (await readArgs({ args: '{"__proto__": {"a": 1}}' }, ".")) as { [key: string]: Json };
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
});
