// The command for the next page of a list, as it can be pasted: with the options that this one was given.

import type { Context } from "./context.ts";

/** `options` by their names on the command line; what is undefined or false is left out. */
export function nextPage(
  { typed = {} }: Pick<Context, "typed">,
  command: string,
  options: { readonly [name: string]: string | number | boolean | undefined },
): string {
  const words = ["quickswarm", command];
  for (const [name, value] of [...Object.entries(typed), ...Object.entries(options)]) {
    if (value === undefined || value === false) continue;
    words.push(`--${name}`);
    if (value !== true) words.push(quoted(String(value)));
  }
  return `There are more: ${words.join(" ")}`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
