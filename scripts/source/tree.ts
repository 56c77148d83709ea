// Reads the project's own text files, as they are on disk now.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SourceFile } from "./tokens.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What is made and not written: the same as in .gitignore. */
const SKIPPED_FOLDERS = new Set(["node_modules", "dist", ".git", ".quickswarm", "coverage", "tmp"]);
const TEXT_FILE = /(^|\/)([^./]+|\.[^./]+)$|\.(ts|tsx|js|mjs|cjs|json|json5|md|sql|html|css|svg|yml|yaml|sh|txt)$/;

export function readTree(root = ROOT): SourceFile[] {
  return walk(root, "").map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function walk(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : walk(root, path);
    return entry.isFile() && TEXT_FILE.test(path) ? [path] : [];
  });
}
