// The names of the offline models: what each one does, and how a name is read.

import { fault } from "../../contract/fault.ts";
import { SLEEP_MS_MAX } from "../../contract/limits.ts";

export type OfflineKind = "echo" | "slow" | "fail" | "flaky" | "hang" | "empty";

export interface OfflineName {
  kind: OfflineKind;
  /** `flaky`: how many attempts fail before one succeeds. */
  failures: number;
  /** From the suffix `@250ms`; undefined when the name has none. */
  delayMs: number | undefined;
}

/** As they are named to people. */
export const OFFLINE_NAMES: readonly string[] = [
  "offline:echo",
  "offline:slow",
  "offline:fail",
  "offline:flaky-1 to offline:flaky-9",
  "offline:hang",
  "offline:empty",
];

const NAME = /^offline(?::(?<kind>echo|slow|fail|hang|empty|flaky-(?<failures>[1-9])))?(?:@(?<delay>\d{1,12})ms)?$/;
const PREFIX = /^offline(?:$|[:@])/;

/** Whether `model` is an offline name, known or not. */
export function isOfflineName(model: string): boolean {
  return PREFIX.test(model);
}

/** Reads a model name; `offline` alone means `offline:echo`. Throws `model_unknown` with the known names. */
export function parseOfflineName(model: string): OfflineName {
  const groups = NAME.exec(model)?.groups;
  const delayMs = groups?.delay === undefined ? undefined : Number(groups.delay);
  if (!groups || (delayMs ?? 0) > SLEEP_MS_MAX) {
    const known = OFFLINE_NAMES.join(", ");
    throw fault("model_unknown", `There is no model "${model}". Offline models: ${known}; each may end in @250ms.`, {
      next: "Use one of the offline models that the message names.",
    });
  }
  const failures = Number(groups.failures ?? 0);
  const kind = failures > 0 ? "flaky" : ((groups.kind ?? "echo") as OfflineKind);
  return { kind, failures, delayMs };
}
