// The faults of a team that have a class of their own, told apart by `name`.

import { Fault, isFault } from "../contract/fault.ts";
import { FAULT_TABLE } from "../contract/fault-table.ts";
import type { Json } from "../contract/json.ts";

/** A configuration that cannot run, found when `agency()` is called, or a limit that was reached. */
export class AgencyConfigError extends Fault {
  override readonly name = "AgencyConfigError";

  constructor(message: string, details: { [key: string]: Json } = {}) {
    super({ code: "agency_config", message, next: FAULT_TABLE.agency_config.next, details });
  }
}

/** Fewer members answered than `quorum` asks for. `cause` is the first failed member's error. */
export class AgencyQuorumError extends Fault {
  override readonly name = "AgencyQuorumError";

  constructor(message: string, details: { [key: string]: Json }, cause?: unknown) {
    super({ code: "agency_quorum", message, next: FAULT_TABLE.agency_quorum.next, details }, cause);
  }
}

/** What a model may read of an error: its name and code, never a text of a provider or a handler (B-018). */
export function namedError(error: unknown): string {
  if (isFault(error)) return `${error.name} (${error.code})`;
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  const shownName = typeof name === "string" && NAME.test(name) ? name : "Error";
  return typeof code === "string" && NAME.test(code) ? `${shownName} (${code})` : shownName;
}

const NAME = /^[A-Za-z_][\w.-]{0,63}$/;
