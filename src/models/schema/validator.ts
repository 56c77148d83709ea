// Validates values against checked schemas, in threads that can be ended. Threads are there as long as some
// child holds the validator, and shared by all that do; after the last one nothing is left (L7, L11).

import PQueue from "p-queue";
import { fault } from "../../contract/fault.ts";
import type { Json } from "../../contract/json.ts";
import type { CheckedSchema } from "./gate.ts";
import type { ValidatorAnswer } from "./protocol.ts";
import { ValidatorThread } from "./thread.ts";

const THREADS_MAX = 2;
/** Schemas that are known to be usable, so that a fan-out checks its schema once. */
const KNOWN_SCHEMAS_MAX = 50;

export class Validator {
  readonly #lane = new PQueue({ concurrency: THREADS_MAX });
  readonly #known = new Set<string>();
  readonly #idle: ValidatorThread[] = [];
  #holders = 0;

  /** Runs `use` with threads at hand; they are gone when the last such call has ended. */
  async during<Value>(use: () => Promise<Value>): Promise<Value> {
    this.#holders++;
    try {
      return await use();
    } finally {
      this.#holders--;
      if (this.#holders === 0) await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
    }
  }

  /** @throws Fault `schema_unsupported` when the schema cannot be used, whatever the value */
  async prepare(checked: CheckedSchema): Promise<void> {
    const name = JSON.stringify(checked);
    if (this.#known.has(name)) return;
    const answer = await this.#ask(checked, undefined);
    if (answer.kind !== "valid") throw unusable(answer.kind === "unusable" ? answer.message : "checking it failed");
    const oldest = this.#known.values().next();
    if (this.#known.size >= KNOWN_SCHEMAS_MAX && !oldest.done) this.#known.delete(oldest.value);
    this.#known.add(name);
  }

  /** What is wrong with `value`; empty when it fits. */
  async errorsOf(checked: CheckedSchema, value: Json): Promise<string[]> {
    const answer = await this.#ask(checked, JSON.stringify(value));
    if (answer.kind === "unusable") return [`the schema cannot be used: ${answer.message}`];
    return answer.kind === "invalid" ? answer.errors : [];
  }

  #ask({ schema, dialect }: CheckedSchema, valueText: string | undefined): Promise<ValidatorAnswer> {
    return this.#lane.add(async () => {
      const thread = this.#idle.pop() ?? new ValidatorThread();
      const answer = await thread.check({ schema, dialect, valueText });
      if (!thread.isUsable) await thread.end();
      else if (this.#holders > 0) this.#idle.push(thread);
      else await thread.end();
      return answer;
    });
  }
}

function unusable(message: string) {
  return fault("schema_unsupported", `The schema cannot be used: ${message}.`);
}
