// Tables without borders; the column that may shrink is cut so that a line fits the terminal.

import { oneLine } from "./format.ts";
import type { Output } from "./io.ts";

export interface Column {
  head: string;
  align?: "left" | "right";
  /** This column gives up width first when the terminal is narrow. */
  shrinks?: boolean;
  paint?: ((text: string) => string) | undefined;
}

const GAP = 2;
const SHRUNK_CHARS_MIN = 8;

/** The table as text, one line a row, without a line feed at the end. Cells are made safe to print. */
export async function table(output: Output, columns: Column[], rows: string[][]): Promise<string> {
  const { default: Table } = await import("cli-table3");
  const cells = fitted(output.columns(), columns, rows);
  const none = "";
  const grid = new Table({
    chars: {
      top: none,
      "top-mid": none,
      "top-left": none,
      "top-right": none,
      bottom: none,
      "bottom-mid": none,
      "bottom-left": none,
      "bottom-right": none,
      left: none,
      "left-mid": none,
      mid: none,
      "mid-mid": none,
      right: none,
      "right-mid": none,
      middle: " ".repeat(GAP),
    },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colAligns: columns.map((column) => column.align ?? "left"),
  });
  grid.push(columns.map((column) => output.paint.dim(column.head)));
  for (const row of cells) grid.push(row.map((cell, index) => columns[index]?.paint?.(cell) ?? cell));
  return grid
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function fitted(width: number, columns: Column[], rows: string[][]): string[][] {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)));
  const shrinking = columns.findIndex((column) => column.shrinks);
  if (width === 0 || shrinking < 0) return cells;
  const widths = columns.map((column, index) =>
    Math.max(column.head.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP * (columns.length - 1);
  const allowed = Math.max(SHRUNK_CHARS_MIN, (widths[shrinking] ?? 0) - Math.max(0, total - width));
  return cells.map((row) => row.map((cell, index) => (index === shrinking ? oneLine(cell, allowed) : cell)));
}
