// Writes docs/parity.md from docs/acceptance/*.json and the titles of the tests.
//
//   npm run parity                          writes it
//   npm run parity -- --check               fails when it is stale
//   npm run --silent parity -- --json       prints { ids: [{ id, status, text, tests }] } and writes nothing
//   … --report FILE                         a vitest JSON report: ids whose tests did not pass are open

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { outcomesOf, type ParityRow, parityOf } from "./source/parity.ts";
import { parityPage } from "./source/parity-page.ts";
import { ROOT, readTree } from "./source/tree.ts";

const PAGE = join(ROOT, "docs", "parity.md");
const SHOWN_LINES_MAX = 20;

const { values } = parseArgs({
  options: { check: { type: "boolean" }, json: { type: "boolean" }, report: { type: "string" } },
});

const outcomes = values.report === undefined ? undefined : outcomesOf(readFileSync(values.report, "utf8"));
const rows = parityOf(readTree(), outcomes);

if (values.json) printJson(rows);
else if (values.check) check(parityPage(rows));
else {
  writeFileSync(PAGE, parityPage(rows));
  console.log(`docs/parity.md: ${summary(rows)}`);
}

function printJson(all: readonly ParityRow[]): void {
  const ids = all.map(({ id, status, text, tests }) => ({ id, status, text, tests }));
  process.stdout.write(`${JSON.stringify({ ids }, null, 2)}\n`);
}

function check(wanted: string): void {
  const found = existsSync(PAGE) ? readFileSync(PAGE, "utf8") : "";
  if (found === wanted) {
    console.log(`docs/parity.md is up to date: ${summary(rows)}`);
    return;
  }
  const known = new Set(found.split("\n"));
  const fresh = wanted.split("\n").filter((line) => !known.has(line));
  console.error("docs/parity.md is stale; run `npm run parity`. Lines that it does not have:");
  console.error(fresh.slice(0, SHOWN_LINES_MAX).join("\n"));
  process.exitCode = 1;
}

function summary(all: readonly ParityRow[]): string {
  const count = (status: ParityRow["status"]): number => all.filter((row) => row.status === status).length;
  return `${count("shown")} shown, ${count("open")} open, ${count("waived")} waived`;
}
