import { expect, test } from "vitest";
import { planted } from "./plant.ts";
import { documentViolations } from "./rules/docs.ts";

const project = {
  "package.json": `{ "scripts": { "build": "x", "test": "y" } }`,
  "docs/limits.md": "# Limits\n\n## What is `bounded`, and why\n",
};

test("a link to a file or a heading that is not there is refused", () => {
  const text = "[a](docs/gone.md) [b](docs/limits.md#gone) [c](#gone)\n";
  expect(planted(documentViolations, { ...project, "README.md": text })).toEqual([
    "README.md:1 links to docs/gone.md, which is not there",
    "README.md:1 links to docs/limits.md#gone, which is not there",
    "README.md:1 links to #gone, which is not there",
  ]);
});

test("links to files, folders, headings and other sites stand", () => {
  const text = "# Top\n[a](docs/limits.md#what-is-bounded-and-why) [b](docs/) [c](#top) [d](https://example.com/x)\n";
  const back = "[up](../README.md#top)\n";
  expect(planted(documentViolations, { ...project, "README.md": text, "docs/more.md": back })).toEqual([]);
});

test("an npm script that does not exist is refused, in prose and in code", () => {
  const text = "Run `npm run gone`.\n```sh\nnpm run build && npm test && npm run --silent lost\n```\n";
  expect(planted(documentViolations, { ...project, "README.md": text })).toEqual([
    "README.md:1 names npm run gone, which package.json does not have",
    "README.md:3 names npm run lost, which package.json does not have",
  ]);
});
