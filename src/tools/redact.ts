// What is said about a tool's failure: the reason in words of our own, and the tool's words without secrets
// for the host's log.

import type { Secret } from "../contract/model-settings.ts";

const LOG_CHARS_MAX = 500;
const MASK = "••••";
/** Shorter values are no secrets, and masking them would make a text unreadable. */
const SECRET_CHARS_MIN = 4;

/** `text` on one line, cut, and without any of the secrets. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const secret of secrets) {
    const value = secret.reveal();
    if (value.length < SECRET_CHARS_MIN) continue;
    clean = clean.replaceAll(value, MASK);
    // "Bearer …": the token alone is as secret as the whole.
    const token = value.slice(value.lastIndexOf(" ") + 1);
    if (token.length >= SECRET_CHARS_MIN) clean = clean.replaceAll(token, MASK);
  }
  const line = clean.replace(/\s+/g, " ").trim();
  return line.length <= LOG_CHARS_MAX ? line : `${line.slice(0, LOG_CHARS_MAX)}…`;
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: "its program, or its working directory, was not found",
  EACCES: "its program may not be run by this user",
  ECONNREFUSED: "nothing answers at its address",
  ENOTFOUND: "its address has no such host",
  CONNECTION_CLOSED: "its connection ended",
};

/** Why a server is not there, without a path, an address or a secret. */
export function reasonOf(error: unknown, exit: number | string | undefined): string {
  if (exit !== undefined) {
    return typeof exit === "number" ? `its program ended with exit code ${exit}` : `its program was ended by ${exit}`;
  }
  const code = codeOf(error);
  if (code !== undefined && Object.hasOwn(REASONS, code)) return REASONS[code] ?? code;
  const status = (error as { data?: { status?: unknown } } | null)?.data?.status;
  if (typeof status === "number") return `it answered with HTTP status ${status}`;
  return `it does not speak MCP as expected${code === undefined ? "" : ` (${code})`}`;
}

/** The code that an error, or what caused it, carries: the system's, or the package's. */
function codeOf(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; typeof at === "object" && at !== null && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === "string" && /^[A-Z_]{1,60}$/.test(code)) return code;
    at = cause;
  }
  return undefined;
}
