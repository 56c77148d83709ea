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
