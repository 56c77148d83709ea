// The house as it stands: every check over the project's own files finds nothing.

import { expect, test } from "vitest";
import { readTree } from "../../scripts/source/tree.ts";
import { CHECKS } from "./rules/checks.ts";
import { shown } from "./rules/violation.ts";

const tree = readTree();

test("the tree that is checked is the whole project", () => {
  const paths = tree.map((file) => file.path);
  for (const path of ["src/contract/ids.ts", "test/house/tree.test.ts", "package.json", ".ci/run", "LICENSE"]) {
    expect(paths).toContain(path);
  }
});

for (const [name, check] of CHECKS) {
  test(`no violation of: ${name}`, () => {
    expect(shown(check(tree))).toEqual([]);
  });
}
