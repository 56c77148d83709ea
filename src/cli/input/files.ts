// --files GLOB: the texts of matching files, for `args.files`. A script cannot read files itself; the
// person who starts it decides which texts it is given.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fault } from "../../contract/fault.ts";
import { FILES_BYTES_MAX, FILES_COUNT_MAX } from "../../contract/limits.ts";
import { byCodeUnit, filesMatching } from "./glob.ts";
import { decodeText } from "./text.ts";

export interface FileText {
  /** From the working directory, with `/` between folders. */
  path: string;
  text: string;
}

/**
 * The files of all patterns, each once, sorted by path. Faults: `file_unreadable` (no match, no text, not
 * readable), `files_too_large` (FILES_COUNT_MAX, FILES_BYTES_MAX).
 */
export async function readFiles(patterns: string[], cwd: string): Promise<FileText[]> {
  const paths = new Set<string>();
  for (const pattern of patterns) {
    const matching = await filesMatching(pattern, cwd);
    if (matching.length === 0) {
      throw fault("file_unreadable", `--files ${pattern} matches no file in ${cwd}`, {
        next: 'Check the pattern; put it in quotes, for example --files "docs/**/*.md".',
      });
    }
    for (const path of matching) paths.add(path);
  }
  if (paths.size > FILES_COUNT_MAX) {
    throw fault("files_too_large", `--files matches ${paths.size} files; at most ${FILES_COUNT_MAX} are taken`);
  }
  const files: FileText[] = [];
  let bytesLeft = FILES_BYTES_MAX;
  for (const path of [...paths].sort(byCodeUnit)) {
    const bytes = await read(resolve(cwd, path), path);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) {
      throw fault(
        "files_too_large",
        `--files matches more than ${FILES_BYTES_MAX} bytes of text in ${paths.size} files; the limit is passed at ${path}`,
      );
    }
    files.push({ path, text: decodeText(bytes, path) });
  }
  return files;
}

async function read(absolute: string, path: string): Promise<Uint8Array> {
  try {
    return await readFile(absolute);
  } catch (error) {
    throw fault("file_unreadable", `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`, {
      cause: error,
    });
  }
}
