// What the declarations of commands share: how a command is run, and how the numbers it is given are read.

import { type Command, InvalidArgumentError } from "commander";
import { type Context, contextOf, type GlobalOptions } from "../context.ts";
import type { Io } from "../io.ts";

/** One command line: the streams that its command is given, and the exit code that it leaves. */
export interface Call {
  io: Io;
  exitCode: number;
}

/** Makes a command's action: its context from the options of all levels, its exit code to `call`. */
export function action<Rest extends unknown[]>(
  call: Call,
  run: (context: Context, ...rest: Rest) => Promise<number>,
): (...given: [...Rest, Command]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const context = contextOf(command.optsWithGlobals<GlobalOptions>(), call.io);
    call.exitCode = await run(context, ...(given.slice(0, -1) as Rest));
  };
}

/** Options whose value may be an empty text; of other empty values they say themselves what is wrong. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["args", "argsText", "answer", "comment"]);

/**
 * Refuses an empty text as the value of an option or an argument, in `command` and below it: it comes from a
 * variable of the shell that is not set, and would otherwise count as not given.
 */
export function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    if (option.required && !option.parseArg && !MAY_BE_EMPTY.has(option.attributeName())) option.argParser(filled);
  }
  for (const argument of command.registeredArguments) {
    if (argument.variadic) {
      argument.argParser((text: string, before: string[] | undefined) => [...(before ?? []), filled(text)]);
    } else if (!argument.parseArg) argument.argParser(filled);
  }
  for (const sub of command.commands) refuseEmpty(sub);
}

function filled(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("Expected a value that is not empty.");
}

export function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a positive integer.");
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number.");
}

export function positiveNumber(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError("Expected a positive number.");
}
