// ARCHITECTURE.md says what is: its table of floors names the same floors and the same imports as the
// table that is enforced. A floor without a folder yet may be missing from it.

import type { SourceFile } from "../../../scripts/source/tokens.ts";
import { FLOORS, type Floor } from "./floors.ts";
import { isUnder, type Violation } from "./violation.ts";

const PAGE = "ARCHITECTURE.md";
const ROW = /^\|\s*(\d|–)\s*\|\s*`([\w./-]+)`\s*\|[^|]*\|([^|]*)\|/;

interface Row {
  line: number;
  floor: string;
  imports: string;
}

export function architectureViolations(files: readonly SourceFile[]): Violation[] {
  const page = files.find((file) => file.path === PAGE);
  if (!page) return [];
  const rows = rowsOf(page.text);
  const built = FLOORS.filter(({ place }) => files.some((file) => isUnder(file, place)));
  return built.flatMap((floor) => {
    const row = rows.get(floor.place.replace(/\/$/, ""));
    const wrong = row ? differences(floor, row, built) : [`has no row for ${floor.place}`];
    return wrong.map((message) => ({ path: PAGE, line: row?.line ?? 1, message }));
  });
}

function rowsOf(text: string): Map<string, Row> {
  const rows = new Map<string, Row>();
  text.split("\n").forEach((content, index) => {
    const [, floor = "", place = "", imports = ""] = ROW.exec(content) ?? [];
    if (place !== "") rows.set(place, { line: index + 1, floor, imports });
  });
  return rows;
}

function differences(floor: Floor, row: Row, built: readonly Floor[]): string[] {
  const number = floor.place.startsWith("src/") ? String(floor.floor) : "–";
  const wrongFloor = row.floor === number ? [] : [`puts ${floor.place} on floor ${row.floor}; it stands on ${number}`];
  if (row.imports.includes("everything below")) return wrongFloor;
  const names = built.map(({ place }) => /^src\/(\w+)\/$/.exec(place)?.[1]).filter((name) => name !== undefined);
  const wrongImports = names.flatMap((name) => {
    const told = new RegExp(`\\b${name}\\b`).test(row.imports);
    const allowed = floor.mayImport.some((place) => place.startsWith(`src/${name}/`));
    if (told === allowed) return [];
    return [`${told ? "says" : "does not say"} that ${floor.place} may import ${name}`];
  });
  return [...wrongFloor, ...wrongImports];
}
