// The thread in which untrusted schemas meet untrusted values: a pattern may take for ever, so the thread
// can be ended. One schema and one value a thread; nothing is shared with the next.

import { parentPort } from "node:worker_threads";
import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ToValidator, ValidatorAnswer } from "./protocol.ts";

/** Most errors that are told. */
const ERRORS_MAX = 8;
const ERROR_CHARS_MAX = 300;

parentPort?.on("message", (message: ToValidator) => parentPort?.postMessage(answer(message)));
parentPort?.postMessage({ kind: "ready" } satisfies ValidatorAnswer);

function answer({ schema, dialect, valueText }: ToValidator): ValidatorAnswer {
  const options = { strict: false, allErrors: true, ownProperties: true, logger: false } as const;
  const ajv = dialect === "draft-07" ? new Ajv(options) : new Ajv2020(options);
  let validate: ReturnType<typeof ajv.compile>;
  try {
    formats.default(ajv);
    validate = ajv.compile(schema);
  } catch (error) {
    return { kind: "unusable", message: cut(error instanceof Error ? error.message : String(error)) };
  }
  if (valueText === undefined) return { kind: "valid" };
  try {
    if (validate(JSON.parse(valueText))) return { kind: "valid" };
  } catch (error) {
    return {
      kind: "invalid",
      errors: [cut(`cannot be checked: ${error instanceof Error ? error.message : "unknown"}`)],
    };
  }
  const errors = validate.errors ?? [];
  const told = errors.slice(0, ERRORS_MAX).map(errorText);
  if (errors.length > told.length) told.push(`and ${errors.length - told.length} more`);
  return { kind: "invalid", errors: told };
}

function errorText({ instancePath, message, params }: ErrorObject): string {
  return cut(`${instancePath || "the value"} ${message ?? "is wrong"} ${JSON.stringify(params)}`);
}

function cut(text: string): string {
  return text.length <= ERROR_CHARS_MAX ? text : `${text.slice(0, ERROR_CHARS_MAX)}…`;
}
