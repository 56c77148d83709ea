// The rich script in the machine's own engine, its calls answered one by one in the order in which they
// were made, each to quiet: what a VM must come to as well, wherever it was parked in between.

import { setImmediate } from "node:timers/promises";
import { runInThisContext } from "node:vm";
import { wrapped } from "./guest.ts";
import { RICH_SCRIPT, richAnswer } from "./rich-script.ts";

interface OpenCall {
  method: string;
  argument: unknown;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export async function richReference(): Promise<string> {
  const calls: OpenCall[] = [];
  const host = new Proxy(
    {},
    {
      get: (_target, method) => (argument: unknown) =>
        new Promise((resolve, reject) => {
          calls.push({ method: String(method), argument, resolve, reject });
        }),
    },
  );
  const begin = runInThisContext(`(host) => ${wrapped(RICH_SCRIPT)}`) as (given: object) => () => Promise<unknown>;
  let result: string | undefined;
  const running = begin(host)().then((value) => {
    result = JSON.stringify(value);
  });
  while (result === undefined) {
    await setImmediate();
    const call = calls.shift();
    if (!call) break;
    const answer = richAnswer(call.method, structuredClone(call.argument));
    if (answer.ok) call.resolve(answer.value);
    else call.reject(new Error(answer.message));
  }
  await running;
  return result ?? "the script did not end";
}
