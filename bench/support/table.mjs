// Prints rows side by side, as plain text that survives being copied into a document.

const HEADS = ["id", "what", "value", "unit", "floor", "ratio", "target", "met"];
const RIGHT = new Set(["value", "floor", "ratio"]);

export function tableText(rows) {
  const cells = rows.map((row) => HEADS.map((head) => cellText(head, row[head])));
  const widths = HEADS.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column].length)));
  const line = (texts) =>
    texts
      .map((text, column) => (RIGHT.has(HEADS[column]) ? text.padStart(widths[column]) : text.padEnd(widths[column])))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  const notes = rows.filter((row) => row.limit).map((row) => `${row.id}: ${row.limit}`);
  return [line(HEADS), rule, ...cells.map(line), ...(notes.length > 0 ? ["", ...notes] : [])].join("\n");
}

function cellText(head, value) {
  if (head === "met") return value === null ? "" : value ? "yes" : "NO";
  if (value === null) return RIGHT.has(head) ? "-" : "";
  return typeof value === "number" ? value.toLocaleString("en-US", { maximumFractionDigits: 4 }) : value;
}
