// SQLite's and the file system's errors as faults, and nothing of their text that names a path.

import { type Fault, fault, isFault } from "../contract/fault.ts";

/** The code of a driver or file system error, or "". */
export function errorCode(error: unknown): string {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
}

/** Any thrown thing as a Fault: `storage_full`, `storage_io`, `storage_closed`, `database_damaged`, `database_locked` or `internal`. */
export function storageFault(error: unknown, doing: string): Fault {
  if (isFault(error)) return error;
  const code = errorCode(error);
  const told = `${doing}: ${code || "error"}`;
  const extras = { cause: error, details: { code } };
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return fault("storage_full", `No space left while ${told}.`, extras);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return fault("database_damaged", `Damage was found while ${told}.`, extras);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return fault("database_locked", `Another program held it while ${told}.`, extras);
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN|PERM|NOLFS|PROTOCOL)/.test(code) || /^E[A-Z]+$/.test(code)) {
    return fault("storage_io", `Reading or writing failed while ${told}.`, extras);
  }
  if (error instanceof Error && /database connection is not open/.test(error.message)) {
    return fault("storage_closed", `The registry is closed (${doing}).`, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return fault("internal", `${doing} failed: ${message}`, extras);
}
