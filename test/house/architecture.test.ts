import { expect, test } from "vitest";
import { planted } from "./plant.ts";
import { architectureViolations } from "./rules/architecture.ts";

const tree = { "src/contract/a.ts": "", "src/vm/a.ts": "", "src/registry/a.ts": "" };

function page(vm: string): { [path: string]: string } {
  const rows = [vm, "| 1 | `src/registry` | Memory. | contract |", "| 0 | `src/contract` | Words. | nothing |"];
  return { ...tree, "ARCHITECTURE.md": `# Architecture\n\n${rows.join("\n")}\n` };
}

test("a page that says what is enforced stands", () => {
  expect(planted(architectureViolations, page("| 1 | `src/vm` | A room. | contract |"))).toEqual([]);
});

test("an import that is not allowed, or not told, is found", () => {
  expect(planted(architectureViolations, page("| 1 | `src/vm` | A room. | registry |"))).toEqual([
    "ARCHITECTURE.md:3 does not say that src/vm/ may import contract",
    "ARCHITECTURE.md:3 says that src/vm/ may import registry",
  ]);
});

test("a wrong floor and a missing floor are found", () => {
  expect(planted(architectureViolations, page("| 2 | `src/vm` | A room. | contract |"))).toEqual([
    "ARCHITECTURE.md:3 puts src/vm/ on floor 2; it stands on 1",
  ]);
  expect(planted(architectureViolations, page("Nothing."))).toEqual(["ARCHITECTURE.md:1 has no row for src/vm/"]);
});
