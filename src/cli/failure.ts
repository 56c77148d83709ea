// How an error reaches a person or a program (I-005): `error[code]: message`, the place with its excerpt,
// and what to do next; under --json the same as one document `{ "error": … }` on stdout.

import { type FaultCode, type FaultData, faultRow, isFaultCode, toFaultData } from "../contract/fault.ts";
import { EXIT } from "../contract/fault-table.ts";
import { block, jsonText, oneLine } from "./format.ts";
import type { Io, Paint } from "./io.ts";

/** Prints what was thrown and gives the exit code that it stands for. */
export function reportFailure(io: Io, json: boolean, error: unknown): number {
  const data = toFaultData(error);
  if (json) io.out.line(jsonText({ error: data }));
  else io.err.line(faultText(data, io.err.paint));
  return exitCodeOf(data.code);
}

export function exitCodeOf(code: string): number {
  return isFaultCode(code) ? faultRow(code).exitCode : EXIT.internal;
}

/** The fault as several lines; without a line feed at the end. */
export function faultText(data: Omit<FaultData, "code"> & { code: FaultCode | string }, paint: Paint): string {
  const place = placeText(data.place);
  // A message that begins with the place would say it twice.
  const twice = place !== undefined && data.message.startsWith(`${place}: `);
  const message = twice ? data.message.slice(place.length + 2) : data.message;
  const lines = [`${paint.red(paint.bold(`error[${data.code}]`))}: ${block(message)}`];
  if (place !== undefined) lines.push(`  ${paint.dim("at")} ${place}`);
  if (data.place?.excerpt !== undefined) {
    lines.push(
      ...block(data.place.excerpt)
        .split("\n")
        .map((line) => `  ${paint.dim("|")} ${line}`),
    );
  }
  lines.push(`${paint.cyan("next")}: ${block(data.next)}`);
  return lines.join("\n");
}

export function placeText(place: FaultData["place"]): string | undefined {
  if (!place || (place.file === undefined && place.line === undefined)) return undefined;
  const parts = [place.file ?? "script", place.line, place.line === undefined ? undefined : place.column];
  return oneLine(parts.filter((part) => part !== undefined).join(":"));
}
