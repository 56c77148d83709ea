// What a gateway leaves in its data directory for clients on the same machine: `gateway.json` (where it
// answers, while it runs) and `token`. Light on purpose: the CLI reads these at every start.

import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomHex } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";

export interface GatewayFile {
  url: string;
  pid: number;
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  version: string;
  /** Random, and told by /healthz: a port that another gateway has taken over is not mistaken for this one. */
  instance: string;
  /** It lives in a command that ends when its own work does, and nobody will start it again. */
  embedded?: boolean;
}

const PRIVATE_MODE = 0o600;
const TOKEN = /^[\x21-\x7e]{16,512}$/;

export function gatewayFilePath(dataDir: string): string {
  return join(dataDir, "gateway.json");
}

export function tokenPath(dataDir: string): string {
  return join(dataDir, "token");
}

/** Written beside and renamed: a reader sees the old file or the new one, never half of one. */
export async function writeGatewayFile(dataDir: string, file: GatewayFile): Promise<void> {
  const path = gatewayFilePath(dataDir);
  const draft = `${path}.${randomHex(8)}`;
  await writeFile(draft, `${JSON.stringify(file)}\n`, { mode: PRIVATE_MODE, flag: "wx" });
  await rename(draft, path);
}

/** Removes the file unless a later gateway has written its own. */
export async function removeGatewayFile(dataDir: string, instance: string): Promise<void> {
  const found = await readGatewayFile(dataDir);
  if (found?.instance === instance) await rm(gatewayFilePath(dataDir), { force: true });
}

/** Undefined when there is none or it is not one of ours. */
export async function readGatewayFile(dataDir: string): Promise<GatewayFile | undefined> {
  const text = await readFile(gatewayFilePath(dataDir), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const file = JSON.parse(text) as Partial<GatewayFile> | null;
    return isGatewayFile(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The token in a data directory; undefined when no gateway has started there yet.
 * Throws `unauthorized` when the file is there and cannot be used.
 */
export async function readToken(dataDir: string): Promise<string | undefined> {
  const path = tokenPath(dataDir);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw fault("unauthorized", `The token file ${path} cannot be read.`, {
      next: "Run the command as the user who started the gateway.",
      cause: error,
    });
  }
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  throw fault("unauthorized", `The token file ${path} is damaged.`, {
    next: "Delete the file and start the gateway again; it makes a new token.",
  });
}

function isGatewayFile(file: Partial<GatewayFile> | null): file is GatewayFile {
  return (
    file !== null &&
    typeof file === "object" &&
    typeof file.url === "string" &&
    URL.canParse(file.url) &&
    Number.isSafeInteger(file.pid) &&
    typeof file.startedAt === "number" &&
    typeof file.version === "string" &&
    typeof file.instance === "string"
  );
}
