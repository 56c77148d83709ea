// Errors as data (I-005): one class, closed string codes, and a table that says for each code whose
// fault it is, whether a retry can help, its HTTP status, its exit code and what to do next.
// Recognised by `name` and `code`, never by instanceof: faults cross threads and HTTP as FaultData.

import { FAULT_TABLE, type FaultCode, type FaultRow } from "./fault-table.ts";
import type { Json } from "./json.ts";

export type { FaultCode } from "./fault-table.ts";

/** Where in a script or document something stands; line and column count from 1. */
export interface Place {
  file?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
  /** The source line with a caret below it, ready to print. */
  excerpt?: string | undefined;
}

/** A fault as plain data: what is stored, sent and printed. */
export interface FaultData {
  code: FaultCode;
  message: string;
  /** What to do next, one sentence. */
  next: string;
  place?: Place | undefined;
  details?: { [key: string]: Json } | undefined;
}

/** Classes of faults that are told apart by name. */
const FAULT_NAMES: ReadonlySet<unknown> = new Set(["Fault", "AgencyConfigError", "AgencyQuorumError"]);

export class Fault extends Error {
  override readonly name: string = "Fault";
  readonly code: FaultCode;
  readonly next: string;
  readonly place: Place | undefined;
  readonly details: { [key: string]: Json } | undefined;

  constructor(data: FaultData, cause?: unknown) {
    super(data.message, cause === undefined ? undefined : { cause });
    this.code = data.code;
    this.next = data.next;
    this.place = data.place;
    this.details = data.details;
  }
}

export interface FaultExtras {
  /** Replaces the table's advice when the place of the error knows better. */
  next?: string;
  place?: Place;
  details?: { [key: string]: Json };
  cause?: unknown;
}

/** Makes a fault: `fault("child_limit", "…what was wrong, with the numbers…", { details })`. */
export function fault(code: FaultCode, message: string, extras: FaultExtras = {}): Fault {
  const data: FaultData = { code, message, next: extras.next ?? FAULT_TABLE[code].next };
  if (extras.place) data.place = extras.place;
  if (extras.details) data.details = extras.details;
  return new Fault(data, extras.cause);
}

export function isFault(error: unknown): error is Fault {
  return (
    typeof error === "object" &&
    error !== null &&
    FAULT_NAMES.has((error as { name?: unknown }).name) &&
    isFaultCode((error as { code?: unknown }).code)
  );
}

export function isFaultCode(code: unknown): code is FaultCode {
  return typeof code === "string" && Object.hasOwn(FAULT_TABLE, code);
}

export function faultRow(code: FaultCode): FaultRow {
  return FAULT_TABLE[code];
}

/** Any thrown thing as FaultData; what is no fault becomes `internal` and keeps no stack or path. */
export function toFaultData(error: unknown): FaultData {
  if (isFault(error)) {
    const data: FaultData = { code: error.code, message: error.message, next: error.next };
    if (error.place) data.place = error.place;
    if (error.details) data.details = error.details;
    return data;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, next: FAULT_TABLE.internal.next };
}

export function faultFromData(data: FaultData): Fault {
  return new Fault(data);
}
