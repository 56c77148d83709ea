// One thread that checks values, one job at a time, each with a deadline. A thread that failed or took too
// long is ended and never used again (L7, L10). Its deadlines are the machine's time, not the clock that
// children wait by: a check that blocks does so in real time.

import { Worker } from "node:worker_threads";
import { systemClock, type Timer } from "../../contract/clock.ts";
import type { ToValidator, ValidatorAnswer } from "./protocol.ts";

/** Time for one schema and one value, milliseconds, once the thread is up: ample, for a loaded machine must not find a value wrong. */
export const VALIDATION_MS_MAX = 10_000;
/** Hang guard for the thread's start, milliseconds. */
const START_MS_MAX = 60_000;
const THREAD_HEAP_MB = 128;

/** Started from the sources, worker threads still run as compiled JavaScript. */
const workerUrl = import.meta.url.endsWith(".ts")
  ? new URL("../../../dist/models/schema/worker.js", import.meta.url)
  : new URL("./worker.js", import.meta.url);

export class ValidatorThread {
  readonly #worker: Worker;
  readonly #exit: Promise<void>;
  readonly #isUp: Promise<boolean>;
  #isUsable = true;
  #answered: ((answer: ValidatorAnswer) => void) | undefined;

  constructor() {
    this.#worker = new Worker(workerUrl, {
      name: "quickswarm-schema",
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
      env: {},
      execArgv: [],
    });
    let up: (isUp: boolean) => void = () => {};
    this.#isUp = new Promise((resolve) => {
      up = resolve;
    });
    this.#worker.on("message", (answer: ValidatorAnswer) =>
      answer.kind === "ready" ? up(true) : this.#answered?.(answer),
    );
    this.#worker.on("error", () => this.#lost("the check failed, for example for lack of memory"));
    this.#exit = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        up(false);
        this.#lost("the check came to no end");
        resolve();
      });
    });
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Never rejects: what fails or takes too long has found the value wrong. */
  async check(message: ToValidator): Promise<ValidatorAnswer> {
    const start = this.#limit(START_MS_MAX);
    const isUp = await this.#isUp;
    start.cancel();
    if (!isUp) return wrong("the check could not be started");
    const answer = new Promise<ValidatorAnswer>((resolve) => {
      this.#answered = resolve;
    });
    const limit = this.#limit(VALIDATION_MS_MAX);
    this.#worker.postMessage(message);
    const result = await answer;
    limit.cancel();
    this.#answered = undefined;
    if (!this.#isUsable) await this.end();
    return result;
  }

  /** Resolves when the thread is gone. */
  async end(): Promise<void> {
    this.#isUsable = false;
    void this.#worker.terminate();
    await this.#exit;
  }

  #limit(delayMs: number): Timer {
    return systemClock.setTimer(delayMs, () => {
      this.#lost(`the check was ended after ${delayMs} ms`);
      void this.#worker.terminate();
    });
  }

  #lost(why: string): void {
    this.#isUsable = false;
    this.#answered?.(wrong(why));
  }
}

function wrong(message: string): ValidatorAnswer {
  return { kind: "invalid", errors: [message] };
}
