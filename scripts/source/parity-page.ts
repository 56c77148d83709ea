// docs/parity.md as text: every promised behaviour with its tests, or `open`, or why it is waived.

import type { ParityRow } from "./parity.ts";

const HEAD = `# Parity

What is promised (docs/acceptance) and the tests that show it. Written by \`npm run parity\`, never by hand.
An id is **shown** when the title of a test that runs begins with it, **open** when none does, and **waived** with a reason.
`;

export function parityPage(rows: readonly ParityRow[]): string {
  const areas = [...new Set(rows.map((row) => row.area))].sort();
  const inArea = (area: string): ParityRow[] => rows.filter((row) => row.area === area);
  const table = [
    "| area | shown | open | waived |",
    "|---|---:|---:|---:|",
    ...areas.map((area) => countLine(area, inArea(area))),
    countLine("all", rows),
  ].join("\n");
  const chapters = areas.map((area) => `## ${area}\n\n${inArea(area).map(entry).join("\n")}\n`);
  return [HEAD, `${table}\n`, ...chapters].join("\n");
}

function countLine(name: string, rows: readonly ParityRow[]): string {
  const count = (status: ParityRow["status"]): number => rows.filter((row) => row.status === status).length;
  return `| ${name} | ${count("shown")} | ${count("open")} | ${count("waived")} |`;
}

function entry({ id, status, text, waived, tests }: ParityRow): string {
  const reason = status === "waived" && waived !== undefined ? `: ${waived}` : "";
  const lines = tests.map(({ file, title }) => `  - ${file}: ${title}`);
  return [`- **${id}** ${status}${reason}. ${text}`, ...lines].join("\n");
}
