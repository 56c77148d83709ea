// The behaviours that are promised: docs/acceptance/*.json, checked while they are read.

import type { SourceFile } from "./tokens.ts";

export interface Acceptance {
  id: string;
  /** One line. */
  text: string;
  area: string;
  /** Why it is not shown here. */
  waived?: string | undefined;
  file: string;
}

const FOLDER = "docs/acceptance/";

/** All entries, by id. Throws on a malformed or doubled entry: a wrong list would hide what is open. */
export function acceptanceOf(files: readonly SourceFile[]): Acceptance[] {
  const lists = files.filter((file) => file.path.startsWith(FOLDER) && file.path.endsWith(".json"));
  const entries = lists.flatMap((file) => listOf(file));
  const seen = new Map<string, string>();
  for (const { id, file } of entries) {
    const other = seen.get(id);
    if (other !== undefined) throw new Error(`${file}: ${id} stands in ${other} too`);
    seen.set(id, file);
  }
  return entries.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function listOf(file: SourceFile): Acceptance[] {
  const value: unknown = JSON.parse(file.text);
  if (!Array.isArray(value)) throw new Error(`${file.path}: expected a list`);
  return value.map((entry: unknown, index) => entryOf(entry, `${file.path}: entry ${index}`, file.path));
}

function entryOf(value: unknown, place: string, file: string): Acceptance {
  if (typeof value !== "object" || value === null) throw new Error(`${place}: expected an object`);
  const { id, text, area, waived } = value as { [key: string]: unknown };
  if (typeof id !== "string" || !/^[A-Z]-\d{3}$/.test(id)) throw new Error(`${place}: expected an id like R-002`);
  if (typeof text !== "string" || text.trim() === "") throw new Error(`${place} (${id}): expected a text`);
  if (typeof area !== "string" || area.trim() === "") throw new Error(`${place} (${id}): expected an area`);
  if (waived !== undefined && (typeof waived !== "string" || waived.trim() === "")) {
    throw new Error(`${place} (${id}): waived must say why`);
  }
  return { id, text, area, waived, file };
}
