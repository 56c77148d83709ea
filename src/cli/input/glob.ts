// File patterns for --files: `*`, `?`, `**`, `[a-z]`, `{a,b}`; a folder stands for everything below it.
// Names that begin with a dot match only a pattern that says so; `**` does not enter node_modules.

import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { fault } from "../../contract/fault.ts";

/** Most folder entries that one pattern may look at; a guard against `**` in a home directory. */
export const GLOB_ENTRIES_MAX = 200_000;
/** Most patterns that `{a,b}` may unfold to. */
const BRACES_COUNT_MAX = 1000;

interface Walk {
  found: Set<string>;
  entries: number;
  pattern: string;
}

/** Paths of the files that match, from `cwd` with `/` between folders, sorted by code unit. */
export async function filesMatching(pattern: string, cwd: string): Promise<string[]> {
  const walk: Walk = { found: new Set(), entries: 0, pattern };
  for (const plain of unfoldBraces(pattern)) {
    const rooted = isAbsolute(plain);
    const segments = plain.split("/").filter((segment, index) => segment !== "" && !(segment === "." && index === 0));
    await descend(rooted ? sep : cwd, segments, walk);
  }
  return [...walk.found].map((path) => relative(cwd, path).split(sep).join("/")).sort(byCodeUnit);
}

export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function descend(folder: string, segments: string[], walk: Walk): Promise<void> {
  const [segment, ...rest] = segments;
  if (segment === undefined) return addTree(folder, walk);
  if (segment === "**") {
    // `**` alone at the end means every file below; else it means no folder, or one more.
    if (rest.length === 0) return addTree(folder, walk);
    await descend(folder, rest, walk);
    for (const entry of await entriesOf(folder, walk)) {
      if (entry.isDirectory() && isOpen(entry.name)) await descend(join(folder, entry.name), segments, walk);
    }
    return;
  }
  if (!/[*?[]/.test(segment)) return step(resolve(folder, segment), rest, walk);
  const matcher = segmentMatcher(segment);
  for (const entry of await entriesOf(folder, walk)) {
    if (entry.name.startsWith(".") && !segment.startsWith(".")) continue;
    if (!matcher.test(entry.name)) continue;
    // A pattern's last part means files; only a folder that was named itself stands for its content.
    if (rest.length > 0 || !entry.isDirectory()) await step(join(folder, entry.name), rest, walk);
  }
}

async function step(path: string, rest: string[], walk: Walk): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) await descend(path, rest, walk);
  else if (stats?.isFile() && rest.length === 0) walk.found.add(path);
}

async function addTree(folder: string, walk: Walk): Promise<void> {
  for (const entry of await entriesOf(folder, walk)) {
    if (!isOpen(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await addTree(path, walk);
    else await step(path, [], walk);
  }
}

/** Symbolic links to folders are not entered, so that a walk always ends. */
async function entriesOf(folder: string, walk: Walk) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  walk.entries += entries.length;
  if (walk.entries > GLOB_ENTRIES_MAX) {
    throw fault(
      "files_too_large",
      `--files ${walk.pattern} looks at more than ${GLOB_ENTRIES_MAX} folder entries; begin the pattern deeper`,
    );
  }
  return entries;
}

function isOpen(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

function segmentMatcher(segment: string): RegExp {
  const source = segment.replace(/\[(!?)([^\]]+)\]|\*+|\?|[\\^$.|+(){}[\]]/g, (part, negated, members) => {
    if (members !== undefined) return `[${negated ? "^" : ""}${String(members).replace(/[\\^\]]/g, "\\$&")}]`;
    if (part.startsWith("*")) return "[^/]*";
    return part === "?" ? "[^/]" : `\\${part}`;
  });
  try {
    return new RegExp(`^${source}$`, "su");
  } catch (error) {
    throw fault("option_type", `--files: ${JSON.stringify(segment)} is no pattern`, { cause: error });
  }
}

/** `{a,b}.md` → `a.md`, `b.md`; nested ones too. Braces without a comma stay as they are. */
export function unfoldBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inner = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!inner) done.push(next);
    else {
      const before = next.slice(0, inner.index);
      const after = next.slice(inner.index + inner[0].length);
      open.push(...(inner[1] ?? "").split(",").map((choice) => before + choice + after));
    }
    if (done.length + open.length > BRACES_COUNT_MAX) {
      throw fault("option_type", `--files ${pattern} unfolds to more than ${BRACES_COUNT_MAX} patterns`);
    }
  }
  return [...new Set(done)];
}
