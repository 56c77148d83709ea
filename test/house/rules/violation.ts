// What a house check hands back, and how it is shown.

import type { SourceFile } from "../../../scripts/source/tokens.ts";

export interface Violation {
  path: string;
  line: number;
  message: string;
}

/** A check is a pure function over the files, so that it can be shown to go red on a planted one. */
export type Check = (files: readonly SourceFile[]) => Violation[];

export function shown(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, message }) => `${path}:${line} ${message}`);
}

export function isSource(file: SourceFile): boolean {
  return /\.(ts|tsx|mts|js|mjs)$/.test(file.path);
}

export function isUnder(file: SourceFile, ...folders: string[]): boolean {
  return folders.some((folder) => file.path.startsWith(folder));
}
