// Why a data directory cannot be written, in words that name it: the gateway's own errors do not, because they
// also go to logs and over HTTP. Here they are read by the person who named it.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fault, isFault } from "../contract/fault.ts";

/** What to do about a data directory that cannot be written. */
export const OTHER_DIR = "Choose another one with --data, or give this user the right to write there.";

const REASONS: { readonly [code: string]: string } = {
  EROFS: "is on a file system that is mounted read-only",
  ENOTDIR: "is not a folder",
};

/** Where the folder would be made: itself, or the nearest folder above it that is there. */
export async function nearestExisting(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found || at === dirname(at)) return at;
  }
}

/** Why nothing can be written in a folder that is there; undefined when it can. */
export async function unwritable(folder: string): Promise<string | undefined> {
  try {
    if (!(await stat(folder)).isDirectory()) return `${folder} ${REASONS.ENOTDIR}`;
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    return `${folder} ${REASONS[code] ?? `cannot be written by this user (${code})`}`;
  }
}

/** A `storage_io` of opening the data directory, with the folder and the reason where they can be told. */
export async function withFolder(error: unknown, dataDir: string): Promise<unknown> {
  if (!isFault(error) || error.code !== "storage_io") return error;
  const problem = await unwritable(await nearestExisting(dataDir));
  if (problem === undefined) return error;
  return fault("storage_io", `the data directory ${dataDir} cannot be used: ${problem}`, {
    next: OTHER_DIR,
    ...(error.details && { details: error.details }),
    cause: error,
  });
}
