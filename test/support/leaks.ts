// What a process holds open: active handles by kind, timers, worker threads, and temp folders.
// The leak check of every test file compares it before and after (law L7).

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";

/** Kinds of active handles and how many of each; for example `{ ProcessWrap: 1, TCPServerWrap: 1 }`. */
export type Held = ReadonlyMap<string, number>;

export interface Census {
  /** How many are alive. */
  count(): number;
  end(): void;
}

/** Requests end by themselves, standard streams belong to the runner, and timers are counted by `countTimers`. */
const NOT_HELD = /^(FSReq|FileHandle|CloseReq|TTYWrap|WriteWrap|ShutdownWrap|Immediate|Timeout)/;

export function heldNow(): Held {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (!NOT_HELD.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** What is held now and was not before, one text for each kind. */
export function leftOpen(before: Held, after: Held): string[] {
  return [...after].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0);
    return more > 0 ? [`${more} × ${kind}`] : [];
  });
}

/** Counts the worker threads that are begun from now on. */
export function countWorkers(): Census {
  const alive = new Set<Worker>();
  const onWorker = (worker: Worker): void => {
    alive.add(worker);
    worker.once("exit", () => alive.delete(worker));
  };
  process.on("worker", onWorker);
  return { count: () => alive.size, end: () => void process.off("worker", onWorker) };
}

/**
 * Counts the timers that are set from now on and keep the process alive. It stands before the global functions and
 * hands everything on; the test runner's own timers were taken before and are not counted.
 */
export function countTimers(): Census {
  const { setTimeout: setOnce, setInterval: setAgain, clearTimeout: clearOnce, clearInterval: clearAgain } = globalThis;
  const alive = new Set<unknown>();
  type Run = (...values: unknown[]) => void;
  const once = (run: Run, ms?: number, ...values: unknown[]): NodeJS.Timeout => {
    const timer: NodeJS.Timeout = setOnce(() => {
      alive.delete(timer);
      run(...values);
    }, ms);
    alive.add(timer);
    return timer;
  };
  const again = (run: Run, ms?: number, ...values: unknown[]): NodeJS.Timeout => {
    const timer = setAgain(run, ms, ...values);
    alive.add(timer);
    return timer;
  };
  const clear = (timer: NodeJS.Timeout | undefined): void => {
    alive.delete(timer);
    clearOnce(timer);
  };
  // Promisified forms and the like stay reachable on the functions that stand before.
  const standIn = { setTimeout: Object.assign(once, setOnce), setInterval: Object.assign(again, setAgain) };
  Object.assign(globalThis, standIn, { clearTimeout: clear, clearInterval: clear });
  return {
    count: () => [...alive].filter((timer) => (timer as NodeJS.Timeout).hasRef()).length,
    end() {
      const original = {
        setTimeout: setOnce,
        setInterval: setAgain,
        clearTimeout: clearOnce,
        clearInterval: clearAgain,
      };
      Object.assign(globalThis, original);
    },
  };
}

/** Gives this process, and those it starts, a temp folder of its own, so that what is left in it is known to be theirs. */
export function ownTempFolder(): { leftBehind(): string[]; remove(): void } {
  const outer = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "quickswarm-test-"));
  process.env.TMPDIR = folder;
  return {
    leftBehind: () => readdirSync(folder).filter((name) => name.startsWith("quickswarm-")),
    remove() {
      if (outer === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = outer;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
