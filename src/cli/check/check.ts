// The check of a script beside its run: warnings, which never keep a script from running, unless --strict.
// It runs in a process of its own while the script is submitted and followed, and is given up when it
// lasts (law L10).

import { excerptAt, placeOfOffset } from "../../config/excerpt.ts";
import type { Timer } from "../../contract/clock.ts";
import { fault, type Place } from "../../contract/fault.ts";
import type { Context } from "../context.ts";
import { placeText } from "../failure.ts";
import { block, oneLine, plural } from "../format.ts";
import type { ScriptText } from "../input/script.ts";
import type { Paint } from "../io.ts";
import type { Finding } from "./findings.ts";
import { findingsFrom } from "./process.ts";

/** Longest check; most take a tenth of a second. */
export const CHECK_MS_MAX = 10_000;
/** How long a check may go on when the run that it belongs to has ended. */
const CHECK_AFTER_RUN_MS_MAX = 5_000;
/** Findings that are shown; the others are counted. */
const FINDINGS_SHOWN_MAX = 20;

/** One finding as people and programs are shown it. */
export interface Diagnostic {
  code: string;
  message: string;
  place: Place;
}

export interface ScriptCheck {
  /** Says what is found, when it is found; resolves when nothing more will be said. */
  tell(say: (line: string) => void): Promise<void>;
  /** The run has ended: waits for the check a moment at most. */
  hurry(): void;
  /** Gives the check up (law L7). */
  end(): void;
}

/** Begins a check; nothing of it is awaited before `tell`. */
export function checkBeside({ clock, io }: Context, script: ScriptText): ScriptCheck {
  const stop = new AbortController();
  let timer: Timer | undefined;
  const giveUpIn = (delayMs: number): void => {
    timer?.cancel();
    timer = clock.setTimer(delayMs, () => stop.abort());
  };
  giveUpIn(CHECK_MS_MAX);
  let isOver = false;
  const found = look(script, stop.signal).finally(() => {
    isOver = true;
    timer?.cancel();
  });
  return {
    async tell(say) {
      const diagnostics = await found;
      if (diagnostics) for (const line of warningLines(diagnostics, io.err.paint)) say(line);
      else if (!stop.signal.aborted) say(MISSING_NOTICE);
    },
    hurry: () => {
      if (!isOver) giveUpIn(CHECK_AFTER_RUN_MS_MAX);
    },
    end: () => stop.abort(),
  };
}

/**
 * Everything that the check finds.
 * Faults: `checker_missing` when TypeScript is not installed, `check_too_slow`.
 */
export async function checkNow(context: Context, script: ScriptText): Promise<Diagnostic[]> {
  const stop = new AbortController();
  const timer = context.clock.setTimer(CHECK_MS_MAX, () => stop.abort());
  try {
    const diagnostics = await look(script, stop.signal);
    if (diagnostics) return diagnostics;
    if (!stop.signal.aborted) throw fault("checker_missing", "TypeScript, which checks scripts, is not installed");
    throw fault("check_too_slow", `${script.fileName}: the check did not end within ${CHECK_MS_MAX / 1000} s`);
  } finally {
    timer.cancel();
  }
}

/** For --strict. Faults: `script_check_failed` with the first place, and those of `checkNow`. */
export async function refuseFindings(context: Context, script: ScriptText): Promise<void> {
  const diagnostics = await checkNow(context, script);
  const [first, ...others] = diagnostics;
  if (!first) return;
  for (const line of warningLines(others, context.io.err.paint)) context.io.err.line(line);
  throw fault("script_check_failed", first.message, {
    place: first.place,
    details: { diagnostics: diagnostics.slice(0, FINDINGS_SHOWN_MAX).map(({ code, message }) => ({ code, message })) },
  });
}

const MISSING_NOTICE =
  "note: TypeScript is not installed, so scripts are not checked before they run (`npm install` without --omit=optional brings it).";

/** The diagnostics as text, the first ones in full. */
export function warningLines(diagnostics: readonly Diagnostic[], paint: Paint): string[] {
  const lines = diagnostics.slice(0, FINDINGS_SHOWN_MAX).map((one) => warningText(one, paint));
  const left = diagnostics.length - lines.length;
  if (left > 0) lines.push(`${paint.yellow("warning")}: ${plural(left, "more warning")} not shown`);
  return lines;
}

function warningText({ code, message, place }: Diagnostic, paint: Paint): string {
  const excerpt = block(place.excerpt ?? "").split("\n");
  return [
    `${paint.yellow(`warning[${code}]`)}: ${oneLine(message, MESSAGE_CHARS_MAX)}`,
    `  ${paint.dim("at")} ${placeText(place)}`,
    ...excerpt.map((line) => `  ${paint.dim("|")} ${line}`),
  ].join("\n");
}

const MESSAGE_CHARS_MAX = 500;

async function look(script: ScriptText, signal: AbortSignal): Promise<Diagnostic[] | undefined> {
  const found = await findingsFrom(script, signal);
  return found?.map((one) => diagnosticOf(one, script));
}

function diagnosticOf({ code, message, offset }: Finding, { script, fileName }: ScriptText): Diagnostic {
  const { line, column } = placeOfOffset(script, offset);
  const excerpt = excerptAt(script, line, column);
  return { code, message, place: { file: fileName, line, column, ...(excerpt !== undefined && { excerpt }) } };
}
