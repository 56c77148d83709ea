import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readFiles } from "../../src/cli/input/files.ts";
import { filesMatching, unfoldBraces } from "../../src/cli/input/glob.ts";
import { FILES_BYTES_MAX, FILES_COUNT_MAX } from "../../src/contract/limits.ts";
import { folderWith } from "./support/folder.ts";

const TREE = {
  "README.md": "r",
  "docs/a.md": "a",
  "docs/B.md": "b",
  "docs/deep/c.md": "c",
  "docs/deep/d.txt": "d",
  "docs/.hidden.md": "h",
  "docs/.git/e.md": "e",
  "docs/node_modules/f.md": "f",
  "docs/[x].md": "x",
};

test.each([
  ["docs/*.md", ["docs/B.md", "docs/[x].md", "docs/a.md"]],
  ["docs/**/*.md", ["docs/B.md", "docs/[x].md", "docs/a.md", "docs/deep/c.md"]],
  ["**/*.txt", ["docs/deep/d.txt"]],
  ["**/c.md", ["docs/deep/c.md"]],
  ["docs/**", ["docs/B.md", "docs/[x].md", "docs/a.md", "docs/deep/c.md", "docs/deep/d.txt"]],
  ["docs", ["docs/B.md", "docs/[x].md", "docs/a.md", "docs/deep/c.md", "docs/deep/d.txt"]],
  ["docs/?.md", ["docs/B.md", "docs/a.md"]],
  ["docs/[a-c].md", ["docs/a.md"]],
  ["docs/[!a].md", ["docs/B.md"]],
  ["docs/{a,B}.md", ["docs/B.md", "docs/a.md"]],
  ["docs/.*.md", ["docs/.hidden.md"]],
  ["docs/.hidden.md", ["docs/.hidden.md"]],
  ["./README.md", ["README.md"]],
  ["docs/../README.md", ["README.md"]],
  ["docs/node_modules/*", ["docs/node_modules/f.md"]],
  ["*.none", []],
  ["missing/**/*.md", []],
  ["README.md/x", []],
  ["*", ["README.md"]],
])("I-003 the pattern %s matches the files that it should, sorted", async (pattern, expected) => {
  expect(await filesMatching(pattern, folderWith(TREE))).toEqual(expected);
});

test("I-003 an absolute pattern works and the paths are still relative to the working directory", async () => {
  const root = folderWith(TREE);
  expect(await filesMatching(join(root, "docs", "a*.md"), join(root, "docs"))).toEqual(["a.md"]);
  expect(await filesMatching("../README.md", join(root, "docs"))).toEqual(["../README.md"]);
});

test("I-003 a link to a folder is not entered, so that a walk ends", async () => {
  const root = folderWith({ "a/x.md": "x" });
  symlinkSync(root, join(root, "a", "loop"));
  expect(await filesMatching("**/*.md", root)).toEqual(["a/x.md"]);
});

test("I-003 a file that several patterns match is taken once", async () => {
  const root = folderWith(TREE);
  const files = await readFiles(["docs/*.md", "docs/a.md", "docs/**/a.md"], root);
  expect(files.map((file) => file.path)).toEqual(["docs/B.md", "docs/[x].md", "docs/a.md"]);
});

test("I-005 a pattern that matches nothing is a fault that names it", async () => {
  await expect(readFiles(["nothing/*.md"], folderWith())).rejects.toMatchObject({
    code: "file_unreadable",
    message: expect.stringContaining("nothing/*.md"),
  });
});

test("I-005 a file that is no text is a fault that names it", async () => {
  const root = folderWith({ "a.bin": new Uint8Array([0xff, 0xfe, 0x00]), "b.bin": new Uint8Array([65, 0, 66]) });
  for (const name of ["a.bin", "b.bin"]) {
    await expect(readFiles([name], root)).rejects.toMatchObject({
      code: "file_unreadable",
      message: `${name} is not UTF-8 text`,
    });
  }
});

test("I-005 too many files are refused with the numbers before one is read", async () => {
  const many = Object.fromEntries(Array.from({ length: FILES_COUNT_MAX + 1 }, (_, index) => [`f/${index}.md`, ""]));
  await expect(readFiles(["f/*"], folderWith(many))).rejects.toMatchObject({
    code: "files_too_large",
    message: `--files matches ${FILES_COUNT_MAX + 1} files; at most ${FILES_COUNT_MAX} are taken`,
  });
});

test("I-005 exactly the allowed number of bytes is taken, one more is refused", async () => {
  const root = folderWith({ "a.md": "x".repeat(FILES_BYTES_MAX - 1), "b.md": "y", "c.md": "z" });
  expect(await readFiles(["[ab].md"], root)).toHaveLength(2);
  await expect(readFiles(["*.md"], root)).rejects.toMatchObject({
    code: "files_too_large",
    message: expect.stringContaining("c.md"),
  });
});

test("I-003 braces unfold, also inside each other, and are bounded", () => {
  expect(unfoldBraces("a{b,c{d,e}}f").sort()).toEqual(["abf", "acdf", "acef"]);
  expect(unfoldBraces("{a}")).toEqual(["{a}"]);
  expect(() => unfoldBraces("{a,b}".repeat(12))).toThrow(/more than 1000/);
});

test("I-003 a plain name without pattern characters matches exactly itself", async () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9_+@$()^|-][a-zA-Z0-9._+@$()^|-]{0,12}$/);
  await fc.assert(
    fc.asyncProperty(name, fc.string({ maxLength: 5 }), async (path, text) => {
      fc.pre(path !== "." && path !== "..");
      const root = folderWith({ [path]: text, other: "" });
      expect(await filesMatching(path, root)).toEqual([path]);
    }),
    { seed: 20_261_130, numRuns: 50 },
  );
});
