// What the gateway finds wrong with a submit, in the words of the command line: options instead of the fields
// of a request.

import { fault, isFault } from "../contract/fault.ts";

const OPTIONS: { readonly [path: string]: string } = {
  "body.name": "--name",
  "body.model": "--model",
  "body.agentId": "--agent",
  "body.groupId": "--group",
  "body.idempotencyKey": "--idempotency-key",
  "body.reuse": "--reuse",
  "body.keepHistory": "--keep-history",
  "body.args": "--args",
};

/** A `bad_request` about fields that are options is about options; everything else stays what it is. */
export function inOptions(error: unknown): unknown {
  if (!isFault(error) || error.code !== "bad_request") return error;
  const issues = error.details?.issues;
  if (!Array.isArray(issues) || issues.length === 0) return error;
  const told: string[] = [];
  for (const issue of issues) {
    const { path, message } = (issue ?? {}) as { path?: unknown; message?: unknown };
    const option = OPTIONS[String(path)];
    if (option === undefined) return error;
    told.push(`${option}: ${plain(String(message))}`);
  }
  return fault("option_type", told.join("; "), { cause: error });
}

function plain(message: string): string {
  const most = /^Too big: expected string to have <=(\d+) characters$/.exec(message)?.[1];
  return most === undefined ? message : `longer than ${most} characters`;
}
