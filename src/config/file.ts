// Finds, reads and parses the one configuration file (C-010). Which file: `--config FILE`, else
// `config.json5`, else `config.json` in the data directory. A gateway serves every folder, so its settings
// belong to its data directory; a file that lies in somebody's checkout changes nothing unless it is named.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import JSON5 from "json5";
import { type Fault, fault } from "../contract/fault.ts";
import { excerptAt } from "./excerpt.ts";
import { CONFIG_BYTES_MAX } from "./fields.ts";

export const CONFIG_FILE_NAMES = ["config.json5", "config.json"] as const;

export interface ConfigFile {
  /** Undefined when there is none: everything has its default. */
  path: string | undefined;
  value: unknown;
  /** Files that were passed over because an earlier one was found. */
  ignored: string[];
}

/**
 * Reads the file at `explicit`, or the first of CONFIG_FILE_NAMES in `dataDir`, or nothing.
 * Faults: `config_unreadable` (missing, not readable, too large, not JSON5; with the place).
 */
export function readConfigFile(explicit: string | undefined, dataDir: string): ConfigFile {
  const found = explicit === undefined ? CONFIG_FILE_NAMES.map((name) => join(dataDir, name)).filter(existsSync) : [];
  const path = explicit ?? found[0];
  if (path === undefined) return { path: undefined, value: {}, ignored: [] };
  return { path, value: parse(path, read(path)), ignored: found.slice(1) };
}

function read(path: string): string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw unreadable(path, "is not a file");
    if (stats.size > CONFIG_BYTES_MAX) {
      throw unreadable(path, `has ${stats.size} bytes; at most ${CONFIG_BYTES_MAX} are read`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") throw unreadable(path, "does not exist", error);
    if (code === "EACCES" || code === "EPERM") throw unreadable(path, "may not be read by this user", error);
    if (code?.startsWith("E")) throw unreadable(path, `cannot be read (${code})`, error);
    throw error;
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (error) {
    const { lineNumber: line, columnNumber: column, message } = error as Json5Error;
    if (line === undefined || column === undefined) throw unreadable(path, `is not JSON5: ${message}`, error);
    const excerpt = excerptWithoutKeys(text, line, column);
    throw fault("config_unreadable", `${path} is not JSON5: ${message.replace(/^JSON5: /, "")}`, {
      place: { file: path, line, column, ...(excerpt === undefined ? {} : { excerpt }) },
      next: "Correct the file at the place shown; it must be JSON or JSON5.",
      cause: error,
    });
  }
}

/** A line that may hold a key is not shown. */
function excerptWithoutKeys(text: string, line: number, column: number): string | undefined {
  const excerpt = excerptAt(text, line, column);
  return excerpt !== undefined && /key|token|secret/i.test(excerpt) ? undefined : excerpt;
}

interface Json5Error extends Error {
  lineNumber?: number;
  columnNumber?: number;
}

function unreadable(path: string, what: string, cause?: unknown): Fault {
  return fault("config_unreadable", `the configuration file ${path} ${what}`, {
    place: { file: path },
    ...(cause === undefined ? {} : { cause }),
  });
}
