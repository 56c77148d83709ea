// A test's title begins with the acceptance ids it shows. Every id exists, ids stand at the front and
// never as a range, and a title can be read without running the test.

import { acceptanceOf } from "../../../scripts/source/acceptance.ts";
import { HOLE, idsOf, type TestTitle, titlesOf } from "../../../scripts/source/titles.ts";
import type { SourceFile } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

const ID = /\b[A-Z]-\d{3}\b/g;
const RANGE = /\b[A-Z]-\d{3}\s*(?:-|–|—|…|\.\.\.?|to|until|bis)\s*(?:[A-Z]-)?\d{3}\b/;

export function titleViolations(files: readonly SourceFile[]): Violation[] {
  const known = new Set(acceptanceOf(files).map((entry) => entry.id));
  return files
    .filter((file) => isSource(file) && isUnder(file, "test/"))
    .flatMap((file) =>
      titlesOf(file).flatMap((entry) =>
        problemsOf(entry, known).map((message) => ({ path: file.path, line: entry.line, message })),
      ),
    );
}

function problemsOf({ title, kind }: TestTitle, known: ReadonlySet<string>): string[] {
  if (title === undefined) return kind === "describe" ? [] : ["has a title that is no literal"];
  if (kind === "test" && title.replaceAll(HOLE, "").trim() === "") return ["has a title without words"];
  const range = RANGE.exec(title)?.[0];
  if (range !== undefined) return [`cites the range ${range}; name each id that the test shows`];
  const front = idsOf(title);
  const all = title.match(ID) ?? [];
  return [
    ...front.filter((id) => !known.has(id)).map((id) => `cites ${id}, which docs/acceptance does not know`),
    ...(all.length > front.length ? [`cites ${all.slice(front.length).join(", ")} behind the front of the title`] : []),
  ];
}
