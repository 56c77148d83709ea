// The bearer token: made at the first start, 256 bits, in a file that only its owner reads; compared
// without telling by time how much of a guess was right. Missing and wrong tokens are the same to a caller.

import { createHash, timingSafeEqual } from "node:crypto";
import { chmod, link, rm, stat, writeFile } from "node:fs/promises";
import { randomHex } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import type { Caller } from "../runtime/api.ts";
import { readToken, tokenPath } from "./gateway-file.ts";

export const TOKEN_BYTES = 32;
const PRIVATE_MODE = 0o600;
const OTHERS_BITS = 0o077;
const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

export type Authenticate = (authorization: string | undefined) => Caller | undefined;

/** The token of a data directory; made when there is none. Two first starts at once agree on one. */
export async function keepToken(dataDir: string): Promise<string> {
  const path = tokenPath(dataDir);
  const found = await readToken(dataDir);
  if (found === undefined) {
    const draft = `${path}.${randomHex(8)}`;
    await writeFile(draft, `${randomHex(TOKEN_BYTES)}\n`, { mode: PRIVATE_MODE, flag: "wx", flush: true });
    // A link fails when the name exists, so a token that another start has made is never replaced.
    await link(draft, path).catch(ignoreExisting);
    await rm(draft, { force: true });
  } else if (((await stat(path)).mode & OTHERS_BITS) !== 0) {
    await chmod(path, PRIVATE_MODE);
  }
  const token = found ?? (await readToken(dataDir));
  if (token === undefined) throw fault("storage_io", "The token file vanished while it was made.");
  return token;
}

/** Looks at every token, so that the time does not tell which one was nearly right. */
export function bearerAuthenticator(tokens: { token: string; caller: Caller }[]): Authenticate {
  const known = tokens.map(({ token, caller }) => ({ digest: digestOf(token), caller }));
  return (authorization) => {
    const given = BEARER.exec(authorization ?? "")?.[1];
    if (given === undefined) return undefined;
    const digest = digestOf(given);
    let caller: Caller | undefined;
    for (const entry of known) if (timingSafeEqual(entry.digest, digest)) caller = entry.caller;
    return caller;
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function ignoreExisting(error: unknown): void {
  if ((error as { code?: unknown }).code !== "EEXIST") throw error;
}
