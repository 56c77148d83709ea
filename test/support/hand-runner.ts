// A child runner that a test drives by hand: an attempt ends when the test says so. It keeps a ledger
// of everything that was started, like a provider's bill.

import type { ChildOutcome, ChildRunner, ChildWork } from "../../src/swarm/runner.ts";

export interface StartedWork {
  work: ChildWork;
  done(text: string): void;
  end(outcome: ChildOutcome): void;
}

export class HandRunner implements ChildRunner {
  /** Every attempt that was ever started, in order. */
  readonly ledger: ChildWork[] = [];
  readonly open = new Map<string, StartedWork>();
  #arrivals: (() => void)[] = [];

  handles(model: string): boolean {
    return model.startsWith("test:");
  }

  run(work: ChildWork): Promise<ChildOutcome> {
    this.ledger.push(work);
    return new Promise((resolve) => {
      const end = (outcome: ChildOutcome): void => {
        this.open.delete(work.childId);
        resolve(outcome);
      };
      this.open.set(work.childId, { work, end, done: (text) => end({ status: "done", text }) });
      work.signal.addEventListener("abort", () => end({ status: "failed", error: "aborted", retryable: false }), {
        once: true,
      });
      for (const arrival of this.#arrivals.splice(0)) arrival();
    });
  }

  /** Resolves when `count` attempts are open at once. */
  async untilOpen(count: number): Promise<StartedWork[]> {
    while (this.open.size < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    return [...this.open.values()];
  }

  /** Resolves with the open attempt whose prompt is `prompt`, as soon as there is one. */
  async started(prompt: string): Promise<StartedWork> {
    for (;;) {
      const found = [...this.open.values()].find(({ work }) => work.prompt === prompt);
      if (found) return found;
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
  }
}
