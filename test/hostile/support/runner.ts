// The children of hostile scripts: what a prompt asks for is what comes back, so that a script chooses the
// answers that it is attacked with. Prompts that say nothing of that are held until the test answers.

import type { Json } from "../../../src/contract/json.ts";
import type { ChildOutcome, ChildWork } from "../../../src/swarm/runner.ts";
import { HandRunner } from "../../support/hand-runner.ts";

/** The word before the first blank says how the rest is answered. */
const REPLIES: { [word: string]: (rest: string) => ChildOutcome } = {
  say: (text) => ({ status: "done", text }),
  json: (text) => ({ status: "done", text, structured: JSON.parse(text) as Json }),
  repeat: (count) => ({ status: "done", text: "x".repeat(Number(count)) }),
  fail: (error) => ({ status: "failed", error, retryable: false }),
  "fail-long": (count) => ({ status: "failed", error: "e".repeat(Number(count)), retryable: false }),
};

export class ReplyingRunner extends HandRunner {
  override run(work: ChildWork): Promise<ChildOutcome> {
    const [word = ""] = work.prompt.split(" ", 1);
    const reply = Object.hasOwn(REPLIES, word) ? REPLIES[word] : undefined;
    return reply ? Promise.resolve(reply(work.prompt.slice(word.length + 1))) : super.run(work);
  }

  /** Forgets what was started; held prompts and answers would count as a leak. */
  forget(): void {
    this.ledger.length = 0;
  }
}
