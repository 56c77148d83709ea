// Runs that end badly, each in another way and all of them soon, by the hundred: what one of them leaves behind in
// its worker would add up.

import { type HostileWorld, OPERATOR, STRANGER } from "./world.ts";

/** Script and how it ends. None takes the worker down. */
const ENDINGS: readonly [string, string][] = [
  ["throw new Error('x');", "script_error"],
  ["await agents.run('say x'); throw new Error('x');", "script_error"],
  ["return { f() {} };", "result_not_json"],
  ["Promise.reject(new Error('x')); await sleep('1h');", "unhandled_rejection"],
  ["await new Promise(() => {});", "deadlock"],
  ["await agents.run('say x'); await new Promise(() => {});", "deadlock"],
  ["const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1));", "memory_limit"],
  ["const f = () => f() + 1; f();", "script_error"],
  [
    "let x = 1; const noise = new Uint32Array(1e5).map(() => (x = (x * 48271) % 2147483647)); await sleep('1h'); return noise;",
    "snapshot_too_large",
  ],
  ["for (let i = 0; i < 501; i += 1) sleep('1h'); await sleep('2h');", "too_many_calls"],
];

/** Runs `count` of them one after the other; the codes that were not as expected. */
export async function endBadly(world: HostileWorld, count: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const [script, code] = ENDINGS[index % ENDINGS.length] ?? ["", ""];
    const run = await world.submit(STRANGER, { script });
    const { error } = await world.runtime.runEnded(OPERATOR, run.runId);
    if (error?.code !== code) wrong.push(`${code}: ${error?.code} ${error?.message}`);
    world.runner.forget();
  }
  return wrong;
}
