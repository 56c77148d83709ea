// What the script sees as `args` (G-010, D-013): --args JSON, --args-text TEXT and --files GLOB.

import { excerptAt, placeOfOffset } from "../../config/excerpt.ts";
import { fault } from "../../contract/fault.ts";
import { type Json, utf8ByteCount } from "../../contract/json.ts";
import { isDeeper } from "../../contract/json-depth.ts";
import { ARGS_BYTES_MAX, ARGS_DEPTH_MAX } from "../../contract/limits.ts";
import { readFiles } from "./files.ts";
import { brokenAt } from "./json-place.ts";

export interface ArgsOptions {
  args?: string | undefined;
  argsText?: string | undefined;
  files?: string[] | undefined;
}

/**
 * The value for `args`; undefined when nothing was given.
 * Faults: `args_not_json` (with the place), `args_too_large`, `bad_request` (too deep), `option_type`, and those of readFiles.
 */
export async function readArgs(options: ArgsOptions, cwd: string): Promise<Json | undefined> {
  if (options.args !== undefined && options.argsText !== undefined) {
    throw fault("option_type", "--args and --args-text cannot be given together; the script has one args");
  }
  const given = options.args === undefined ? options.argsText : parseArgs(options.args);
  const value = options.files?.length ? await withFiles(given, options.files, cwd) : given;
  const bytes = value === undefined ? 0 : utf8ByteCount(JSON.stringify(value));
  if (bytes > ARGS_BYTES_MAX) throw fault("args_too_large", `args has ${bytes} bytes; at most ${ARGS_BYTES_MAX}`);
  return value;
}

/** The JSON of an option or an argument. @throws Fault `args_not_json` that shows where it broke; `bad_request` when too deep. */
export function parseArgs(text: string, what = "--args"): Json {
  if (isDeeper(text, ARGS_DEPTH_MAX)) {
    throw fault("bad_request", `${what} is nested deeper than ${ARGS_DEPTH_MAX} levels`, {
      next: "Pass flatter data.",
      details: { limitDepth: ARGS_DEPTH_MAX },
    });
  }
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const { line, column } = placeOfOffset(text, brokenAt(text));
    const excerpt = excerptAt(text, line, column);
    const why = (error as Error).message.replace(/ in JSON at position.*$|, (?:\.\.\.)?".*" is not valid JSON$/s, "");
    throw fault("args_not_json", `${what} is not JSON: ${why}`, {
      ...(what !== "--args" && { next: "Pass valid JSON; in a shell in quotes, for example '{\"ok\":true}'." }),
      place: { file: what, line, column, ...(excerpt === undefined ? {} : { excerpt }) },
      cause: error,
    });
  }
}

async function withFiles(given: Json | undefined, patterns: string[], cwd: string): Promise<Json> {
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw fault("option_type", "--files adds args.files, so args has to be an object", {
      next: "Give an object with --args, or leave --args and --args-text out.",
    });
  }
  if (given && Object.hasOwn(given, "files")) {
    throw fault("option_type", "--args has a key files already, and --files would replace it", {
      next: "Rename the key in --args, or leave --files out.",
    });
  }
  const files = (await readFiles(patterns, cwd)).map(({ path, text }): Json => ({ path, text }));
  return { ...given, files };
}
