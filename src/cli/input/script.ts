// The script that `run` and `submit` take: a file, or `-` for standard input.

import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { fault } from "../../contract/fault.ts";
import { SCRIPT_BYTES_MAX } from "../../contract/limits.ts";
import { nearest } from "../../contract/nearest.ts";
import type { Io } from "../io.ts";
import { decodeText } from "./text.ts";

export interface ScriptText {
  script: string;
  language: "js" | "ts";
  /** Shown in errors. */
  fileName: string;
}

const TYPESCRIPT_EXTENSIONS = new Set([".ts", ".mts", ".cts"]);
const FILE_NAME_CHARS_MAX = 300;

/**
 * Reads the script. Language by extension (.ts, .mts, .cts: TypeScript), or TypeScript when `ts`.
 * Faults: `file_unreadable`, `script_too_large`, `bad_request` (empty).
 */
export async function readScript(file: string, ts: boolean, io: Io, cwd: string): Promise<ScriptText> {
  const language = ts || TYPESCRIPT_EXTENSIONS.has(extname(file).toLowerCase()) ? "ts" : "js";
  const fileName = file === "-" ? `stdin.${language}` : file.slice(-FILE_NAME_CHARS_MAX);
  const bytes = file === "-" ? await fromInput(io) : await fromFile(file, cwd);
  if (bytes.length > SCRIPT_BYTES_MAX) {
    const size = file === "-" ? `more than ${SCRIPT_BYTES_MAX}` : String(bytes.length);
    throw fault("script_too_large", `${fileName} has ${size} bytes; at most ${SCRIPT_BYTES_MAX}`);
  }
  const script = decodeText(bytes, fileName);
  if (script.trim() === "") {
    throw fault("bad_request", `${fileName} is empty`, {
      next: 'Write a script, for example: return await agents.run("Say hello")',
    });
  }
  return { script, language, fileName };
}

async function fromInput(io: Io): Promise<Uint8Array> {
  if (io.inputIsTerminal) io.err.line("Reading the script from the terminal; end it with Ctrl-D.");
  return io.readInput(SCRIPT_BYTES_MAX);
}

async function fromFile(file: string, cwd: string): Promise<Uint8Array> {
  const path = resolve(cwd, file);
  try {
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const hint = code === "ENOENT" ? await similar(path) : "";
    const what =
      code === "ENOENT"
        ? "does not exist"
        : code === "EISDIR"
          ? "is a folder"
          : code === "EACCES"
            ? "may not be read by this user"
            : `cannot be read (${code ?? "unknown"})`;
    throw fault("file_unreadable", `the script ${file} ${what}${hint}`, { place: { file }, cause: error });
  }
}

async function similar(path: string): Promise<string> {
  const names = await readdir(dirname(path)).catch(() => []);
  const near = nearest(basename(path), names);
  return near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
}
