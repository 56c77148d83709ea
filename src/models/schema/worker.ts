// The thread in which untrusted schemas meet untrusted values: a pattern may take for ever, so the thread
// can be ended. Every schema has a compiler of its own, so that none sees another; only the check against the
// meta-schema, which keeps nothing, is shared.

import { parentPort } from "node:worker_threads";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Dialect } from "./gate.ts";
import type { ToValidator, ValidatorAnswer } from "./protocol.ts";

/** Most errors that are told. */
const ERRORS_MAX = 8;
const ERROR_CHARS_MAX = 300;
/** Compiled schemas that are kept for the next value. */
const COMPILED_MAX = 16;

const OPTIONS = { strict: false, allErrors: true, ownProperties: true, logger: false } as const;
const COMPILERS = { "draft-07": Ajv, "2020-12": Ajv2020 } as const;

const metaSchemas = new Map<Dialect, Ajv>();
const compiled = new Map<string, ValidateFunction>();

parentPort?.on("message", (message: ToValidator) => parentPort?.postMessage(answer(message)));
parentPort?.postMessage({ kind: "ready" } satisfies ValidatorAnswer);

function answer({ schema, dialect, valueText }: ToValidator): ValidatorAnswer {
  let validate: ValidateFunction;
  try {
    validate = validatorFor(schema, dialect);
  } catch (error) {
    return { kind: "unusable", message: cut(messageOf(error)) };
  }
  if (valueText === undefined) return { kind: "valid" };
  try {
    if (validate(JSON.parse(valueText))) return { kind: "valid" };
  } catch (error) {
    return { kind: "invalid", errors: [cut(`cannot be checked: ${messageOf(error)}`)] };
  }
  const errors = validate.errors ?? [];
  const told = errors.slice(0, ERRORS_MAX).map(errorText);
  if (errors.length > told.length) told.push(`and ${errors.length - told.length} more`);
  return { kind: "invalid", errors: told };
}

/** Throws what the compiler throws, or the meta-schema's complaint. */
function validatorFor(schema: ToValidator["schema"], dialect: Dialect): ValidateFunction {
  const name = `${dialect} ${JSON.stringify(schema)}`;
  const known = compiled.get(name);
  if (known) return known;
  const meta = metaSchemas.get(dialect) ?? new COMPILERS[dialect](OPTIONS);
  metaSchemas.set(dialect, meta);
  if (!meta.validateSchema(schema)) throw complaint(meta.errors ?? []);
  const ajv = new COMPILERS[dialect]({ ...OPTIONS, meta: false, validateSchema: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  const oldest = compiled.keys().next();
  if (compiled.size >= COMPILED_MAX && !oldest.done) compiled.delete(oldest.value);
  compiled.set(name, validate);
  return validate;
}

/** Read only by `messageOf`, a few lines above. */
function complaint(errors: ErrorObject[]): { message: string } {
  return { message: `it is no JSON Schema: ${errors.slice(0, ERRORS_MAX).map(errorText).join("; ")}` };
}

function messageOf(error: unknown): string {
  return (error as { message?: string } | null)?.message ?? "unknown";
}

function errorText({ instancePath, message, params }: ErrorObject): string {
  return cut(`${instancePath || "the value"} ${message ?? "is wrong"} ${JSON.stringify(params)}`);
}

function cut(text: string): string {
  return text.length <= ERROR_CHARS_MAX ? text : `${text.slice(0, ERROR_CHARS_MAX)}…`;
}
