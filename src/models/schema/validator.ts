// Validates values against checked schemas, each in a thread of its own with a deadline: what does not end is
// ended (L7, L10). The only file of src/models that starts threads.

import { Worker } from "node:worker_threads";
import PQueue from "p-queue";
import type { Clock, Timer } from "../../contract/clock.ts";
import { fault } from "../../contract/fault.ts";
import type { Json } from "../../contract/json.ts";
import type { CheckedSchema } from "./gate.ts";
import type { ToValidator, ValidatorAnswer } from "./protocol.ts";

/** Time for one schema and one value, milliseconds, once the thread is up. */
export const VALIDATION_MS_MAX = 2_000;
/** Hang guard for the thread's start, milliseconds. */
const START_MS_MAX = 60_000;
const THREADS_MAX = 2;
const THREAD_HEAP_MB = 128;
/** Schemas that are known to be usable, so that a fan-out checks its schema once. */
const KNOWN_SCHEMAS_MAX = 50;

/** Started from the sources, worker threads still run as compiled JavaScript. */
const workerUrl = import.meta.url.endsWith(".ts")
  ? new URL("../../../dist/models/schema/worker.js", import.meta.url)
  : new URL("./worker.js", import.meta.url);

export interface Validator {
  /** @throws Fault `schema_unsupported` when the schema cannot be used, whatever the value */
  prepare(checked: CheckedSchema): Promise<void>;
  /** What is wrong with `value`; empty when it fits. */
  errorsOf(checked: CheckedSchema, value: Json): Promise<string[]>;
}

export function createValidator(clock: Clock): Validator {
  const lane = new PQueue({ concurrency: THREADS_MAX });
  const known = new Set<string>();
  const ask = ({ schema, dialect }: CheckedSchema, valueText: string | undefined) =>
    lane.add(() => inThread({ schema, dialect, valueText }, clock));
  return {
    async prepare(checked) {
      const name = JSON.stringify(checked);
      if (known.has(name)) return;
      const answer = await ask(checked, undefined);
      if (answer.kind !== "valid") throw unusable(answer.kind === "unusable" ? answer.message : "it took too long");
      const oldest = known.values().next();
      if (known.size >= KNOWN_SCHEMAS_MAX && !oldest.done) known.delete(oldest.value);
      known.add(name);
    },
    async errorsOf(checked, value) {
      const answer = await ask(checked, JSON.stringify(value));
      if (answer.kind === "unusable") return [`the schema cannot be used: ${answer.message}`];
      return answer.kind === "invalid" ? answer.errors : [];
    },
  };
}

/** Never rejects: a thread that fails or takes too long has found the value wrong. */
function inThread(message: ToValidator, clock: Clock): Promise<ValidatorAnswer> {
  return new Promise((resolve) => {
    const worker = new Worker(workerUrl, {
      name: "quickswarm-schema",
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
      env: {},
      execArgv: [],
    });
    let timer: Timer | undefined;
    let result: ValidatorAnswer | undefined;
    const end = (answer: ValidatorAnswer): void => {
      result ??= answer;
      timer?.cancel();
      void worker.terminate();
    };
    const limit = (delayMs: number): void => {
      timer?.cancel();
      timer = clock.setTimer(delayMs, () => end(wrong(`the check was ended after ${delayMs} ms`)));
    };
    limit(START_MS_MAX);
    worker.on("message", (answer: ValidatorAnswer) => {
      if (answer.kind !== "ready") return end(answer);
      limit(VALIDATION_MS_MAX);
      worker.postMessage(message);
    });
    worker.on("error", () => end(wrong("the check failed, for example for lack of memory")));
    // Only when the thread is really gone: nobody is left behind.
    worker.on("exit", () => {
      timer?.cancel();
      resolve(result ?? wrong("the check came to no end"));
    });
  });
}

function wrong(message: string): ValidatorAnswer {
  return { kind: "invalid", errors: [message] };
}

function unusable(message: string) {
  return fault("schema_unsupported", `The schema cannot be used: ${message}.`);
}
