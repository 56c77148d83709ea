import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { outcomesOf, type ParityRow, parityOf } from "../../scripts/source/parity.ts";
import { parityPage } from "../../scripts/source/parity-page.ts";
import { ROOT } from "../../scripts/source/tree.ts";

const acceptance = JSON.stringify([
  { id: "R-001", text: "One key.", area: "registry" },
  { id: "R-002", text: "One commit.", area: "registry" },
  { id: "A-001", text: "A team.", area: "agency", waived: "not in this release" },
]);

function rows(tests: { [path: string]: string }, outcomes?: Parameters<typeof parityOf>[1]): Map<string, ParityRow> {
  const files = Object.entries({ "docs/acceptance/a.json": acceptance, ...tests });
  const tree = files.map(([path, text]) => ({ path, text }));
  return new Map(parityOf(tree, outcomes).map((row) => [row.id, row]));
}

describe("which ids are shown", () => {
  test("an id is shown by the tests whose titles begin with it, and open without one", () => {
    const found = rows({ "test/registry/a.test.ts": `test("R-001 gives one key", () => {});` });
    expect(found.get("R-001")).toMatchObject({
      status: "shown",
      tests: [{ file: "test/registry/a.test.ts", title: "R-001 gives one key" }],
    });
    expect(found.get("R-002")).toMatchObject({ status: "open", tests: [] });
  });

  test("an id of a describe is shown by each test inside, and by none when it is empty", () => {
    const text = `describe("R-001 keys", () => { test("one", () => {}); it("two", () => {}); });\ndescribe("R-002", () => {});`;
    const found = rows({ "test/registry/a.test.ts": text });
    expect(found.get("R-001")?.tests.map((by) => by.title)).toEqual(["R-001 keys > one", "R-001 keys > two"]);
    expect(found.get("R-002")?.status).toBe("open");
  });

  test.each([
    `test.skip("R-001 a", () => {});`,
    `test.todo("R-001 a");`,
    `describe.skip("x", () => { test("R-001 a", () => {}); });`,
    `// test("R-001 a", () => {});`,
    `const text = 'test("R-001 a", () => {})';`,
    `test("it is R-001 in the middle", () => {});`,
  ])("a test that does not run, or does not begin with the id, shows nothing: %s", (text) => {
    expect(rows({ "test/registry/a.test.ts": text }).get("R-001")?.status).toBe("open");
  });

  test("a conformance suite counts when a test file imports it, and only then", () => {
    const suite = `export function suite() { test("R-001 one", () => {}); }`;
    const caller = `import { suite } from "../suites/store.ts";\nsuite();`;
    const called = rows({ "test/suites/store.ts": suite, "test/registry/a.test.ts": caller });
    expect(called.get("R-001")?.status).toBe("shown");
    expect(rows({ "test/suites/store.ts": suite }).get("R-001")?.status).toBe("open");
  });

  test("a waived id keeps its reason, and a test that shows it wins", () => {
    expect(rows({}).get("A-001")).toMatchObject({ status: "waived", waived: "not in this release" });
    const text = `test("A-001 a team", () => {});`;
    expect(rows({ "test/agency/a.test.ts": text }).get("A-001")?.status).toBe("shown");
  });

  test("a malformed or doubled entry is an error, because it would hide what is open", () => {
    const twice = JSON.stringify([{ id: "R-001", text: "Again.", area: "registry" }]);
    expect(() => rows({ "docs/acceptance/b.json": twice })).toThrow("docs/acceptance/b.json: R-001 stands in");
    expect(() => rows({ "docs/acceptance/b.json": `[{ "id": "R-7" }]` })).toThrow("expected an id like R-002");
    expect(() => rows({ "docs/acceptance/b.json": `[{ "id": "R-007", "area": "x" }]` })).toThrow("expected a text");
  });
});

describe("with a report of the run", () => {
  const tests = {
    "test/registry/a.test.ts": [
      `describe("keys", () => { test("R-001 one", () => {}); });`,
      "test(`R-002 commits ${what}`, () => {});",
      `test.each([1, 2])("R-002 commits %i times", () => {});`,
    ].join("\n"),
  };
  const report = (statuses: [string[], string][]): string => {
    const assertionResults = statuses.map(([path, status]) => ({
      ancestorTitles: path.slice(0, -1),
      title: path.at(-1),
      status,
    }));
    return JSON.stringify({ testResults: [{ assertionResults }] });
  };
  const passed: [string[], string][] = [
    [["outer", "keys", "R-001 one"], "passed"],
    [["R-002 commits all"], "passed"],
    [["R-002 commits 1 times"], "passed"],
    [["R-002 commits 2 times"], "passed"],
  ];

  test("ids whose tests all passed are shown, holes and tables matched", () => {
    const found = rows(tests, outcomesOf(report(passed)));
    expect([...found.values()].map((row) => row.status)).toEqual(["waived", "shown", "shown"]);
  });

  test.each(["failed", "skipped", "todo"])("an id with a test that %s is open", (status) => {
    const found = rows(tests, outcomesOf(report([...passed.slice(0, 3), [["R-002 commits 2 times"], status]])));
    expect(found.get("R-002")).toMatchObject({ status: "open", tests: [] });
  });

  test("an id whose test is not in the report is open", () => {
    expect(rows(tests, outcomesOf(report(passed.slice(1)))).get("R-001")?.status).toBe("open");
  });

  test("what is no report is refused", () => {
    expect(() => outcomesOf("{}")).toThrow("testResults");
  });
});

test("the page names every id with its status, its reason or its tests, and counts them", () => {
  const found = rows({ "test/registry/a.test.ts": `test("R-001 gives one key", () => {});` });
  const page = parityPage([...found.values()]);
  expect(page).toContain("| registry | 1 | 1 | 0 |\n| all | 1 | 1 | 1 |");
  expect(page).toContain("- **R-001** shown. One key.\n  - test/registry/a.test.ts: R-001 gives one key");
  expect(page).toContain("- **R-002** open. One commit.");
  expect(page).toContain("- **A-001** waived: not in this release. A team.");
});

test("the command prints one JSON document and nothing else", () => {
  const args = ["--import", "tsx", "scripts/parity.ts", "--json"];
  const done = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  expect(done.status, done.stderr).toBe(0);
  const { ids } = JSON.parse(done.stdout) as { ids: { id: string }[] };
  expect(ids.length).toBeGreaterThan(500);
  expect(Object.keys(ids[0] ?? {})).toEqual(["id", "status", "text", "tests"]);
});
