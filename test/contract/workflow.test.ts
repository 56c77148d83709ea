// A workflow is recognised by its text alone, and what it says about itself is read without running it.

import { expect, test } from "vitest";
import { type Fault, isFault } from "../../src/contract/fault.ts";
import { readWorkflow, withoutExport } from "../../src/contract/workflow.ts";

const metaOf = (text: string) => readWorkflow(text, "flow.js")?.meta;

function refusal(text: string): Fault {
  try {
    readWorkflow(text, "flow.js");
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new RangeError(`accepted: ${text}`);
}

const where = ({ place }: Fault) => [place?.line, place?.column];

test("D-001 a script whose first statement is export const meta is a workflow; any other is a plain script", () => {
  const meta = "export const meta = { name: 'audit', description: 'Audits' }";
  for (const before of [
    "",
    "\n\n",
    "// a\n/* b */ ",
    '"use strict";\n',
    "'use strict'\n// c\n",
    "#!/usr/bin/env x\n",
    "\uFEFF",
  ]) {
    expect(metaOf(`${before}${meta}\nreturn 1`)).toEqual({ name: "audit", description: "Audits", phases: [] });
  }
  for (const plain of ["return 1", "const meta = {}", "'x' + 1", "", "exports.meta = 1", "export const meta2 = {}"]) {
    expect(metaOf(plain)).toBeUndefined();
  }
});

test("D-001 every kind of literal is read as JavaScript reads it, across lines, comments and trailing commas", () => {
  const text = String.raw`export /* a */ const meta = {
    name: "a\tb\x41\u0042\u{1F600}\
c", // the name
    'description': \`two
lines\`,
    whenToUse: 'it\'s "so"',
    phases: [{ title: "Scan", detail: "reads", extra: [1, -2.5, .5, 1e3, 0xff, 0b11, 0o17, 1_000, - 3] }, "Judge",],
    more: { deep: { true: true, null: null, false: false, 1: [] } },
  };`.replaceAll("\\`", "`");
  expect(metaOf(text)).toEqual({
    name: "a\tbAB😀c",
    description: "two\nlines",
    whenToUse: `it's "so"`,
    phases: [{ title: "Scan", detail: "reads" }, { title: "Judge" }],
  });
});

test.each([
  ["name: NAME", "NAME is no literal"],
  [`name: \`a\${1}\``, `a template with \${…} is no literal`],
  ["name: 'a' + 'b'", '"+" makes it no literal'],
  ["...base", '"..." is no plain key'],
  ["[key]: 1", '"[" is no plain key'],
  ["name", "name has no value behind a colon"],
  ["name() { return 1 }", "name has no value behind a colon"],
  ["get name() { return 1 }", "get has no value behind a colon"],
  ["name: undefined", "undefined is no literal"],
  ["name: (1)", '"(" is no literal'],
  ["name: /x/", '"/" is no literal'],
  ["name: 1n", '"1" is no number'],
  ["name: 'a", "this text is not closed"],
  ["__proto__: {}", "__proto__ is no key of a literal"],
  ["name: [1, , 2]", '"," is no literal'],
])("D-001 a meta with %s is refused at its place", (part, message) => {
  const fault = refusal(`export const meta = {\n  ${part} };`);
  expect(fault).toMatchObject({ code: "script_syntax", message: expect.stringContaining(message.slice(0, 60)) });
  expect(fault.message).toMatch(/^flow\.js:2:\d+: meta must be a pure literal: /);
  expect(fault.place?.excerpt).toMatch(/\n\s*\^$/);
});

test("D-001 what goes on behind the literal is refused at its place, even on the next line", () => {
  const meta = "export const meta = { name: 'a', description: 'b' }";
  expect(where(refusal(`${meta}.x`))).toEqual([1, 52]);
  expect(where(refusal(`${meta}\n(async () => {})()`))).toEqual([2, 1]);
  expect(where(refusal(`${meta}\n  .name`))).toEqual([2, 3]);
  expect(where(refusal(`${meta} as const`))).toEqual([1, 53]);
  expect(where(refusal(`${meta}, other = 1`))).toEqual([1, 52]);
  expect(metaOf(`${meta} // end\nphase("x")`)).toBeDefined();
});

test("D-001 a meta that says too little or the wrong thing is refused where it does", () => {
  expect(refusal("export const meta = { description: 'x' }").message).toContain("meta has no name");
  expect(refusal("export const meta = { name: 'x' }").message).toContain("meta has no description");
  expect(refusal("export const meta = []").message).toContain("must be an object");
  expect(where(refusal("export const meta = {\n name: 3, description: 'x' }"))).toEqual([2, 8]);
  expect(where(refusal("export const meta = { name: 'x', description: 'y',\n phases: [1] }"))).toEqual([2, 10]);
  expect(refusal("export const meta: Meta = {}").message).toContain("expected = behind meta");
  const deep = `export const meta = ${"[".repeat(60)}`;
  expect(refusal(deep).message).toContain("nested deeper than 50 levels");
});

test("D-001 blanking out the export moves nothing", () => {
  const text = "// a\nexport const meta = { name: 'a', description: 'b' };\nreturn meta.name";
  const plain = withoutExport(text, readWorkflow(text, "a")?.exportAt ?? 0);
  expect(plain).toHaveLength(text.length);
  expect(plain.split("\n")[1]).toBe("       const meta = { name: 'a', description: 'b' };");
});
