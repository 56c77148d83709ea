// No cycle of imports, type imports included.

import { importsOf, resolveImport } from "../../../scripts/source/imports.ts";
import type { SourceFile } from "../../../scripts/source/tokens.ts";
import { isSource, type Violation } from "./violation.ts";

interface Edge {
  to: string;
  line: number;
}

export function cycleViolations(files: readonly SourceFile[]): Violation[] {
  const graph = new Map(files.filter(isSource).map((file) => [file.path, edgesOf(file)]));
  const finished = new Set<string>();
  const found: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    for (const edge of graph.get(path) ?? []) {
      const start = trail.indexOf(edge.to);
      if (start >= 0) {
        const circle = [...trail.slice(start), edge.to].join(" → ");
        found.push({ path, line: edge.line, message: `closes a circle: ${circle}` });
      } else if (!finished.has(edge.to)) visit(edge.to, [...trail, edge.to]);
    }
    finished.add(path);
  };
  for (const path of graph.keys()) if (!finished.has(path)) visit(path, [path]);
  return found;
}

function edgesOf(file: SourceFile): Edge[] {
  return importsOf(file).flatMap(({ specifier, line }) => {
    const to = resolveImport(file.path, specifier);
    return to === undefined ? [] : [{ to, line }];
  });
}
