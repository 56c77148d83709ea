import { expect, test } from "vitest";
import { commandsOf, fencesOf, shellWords } from "../../scripts/source/documents.ts";

const page = [
  "# Page",
  "```ts",
  "const a = 1;",
  "```",
  "Text: quickswarm run nothing.ts",
  "```sh",
  "npm ci && node dist/cli/main.js run examples/a.ts --files 'docs/*.md' # reads the documents",
  "quickswarm ls --json | head",
  "```",
].join("\n");

test("fences are read with their language and the line they begin at", () => {
  expect(fencesOf({ path: "docs/a.md", text: page }).map(({ line, language }) => [line, language])).toEqual([
    [3, "ts"],
    [7, "sh"],
  ]);
});

test("commands are read from shell fences only", () => {
  expect(commandsOf({ path: "docs/a.md", text: page })).toEqual([
    { path: "docs/a.md", line: 7, words: ["run", "examples/a.ts", "--files", "docs/*.md"] },
    { path: "docs/a.md", line: 8, words: ["ls", "--json"] },
  ]);
});

test("an example says in its comments how it is run", () => {
  const text = "// Reviews files.\n//\n// Run:   quickswarm run examples/a.ts\nconst quickswarm = 1;\n";
  expect(commandsOf({ path: "examples/a.ts", text })).toEqual([
    { path: "examples/a.ts", line: 3, words: ["run", "examples/a.ts"] },
  ]);
});

test("words lose their quotes, and end at a comment, a pipe or a redirection", () => {
  expect(shellWords(`run "a b" 'c d' e > f`)).toEqual(["run", "a b", "c d", "e"]);
});
