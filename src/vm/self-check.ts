// Proves at every start what engine-pin.ts claims, on an instance that is thrown away: rejections that
// are heard and unheard are told apart, reasons are read, free memory is found, tokens are placed.

import { fault } from "../contract/fault.ts";
import type { BaseImage } from "./base-image.ts";
import type { Engine } from "./engine.ts";
import { scrubHeap } from "./heap.ts";
import { Instance } from "./instance.ts";
import { quietUser } from "./instance-user.ts";
import { PageStore } from "./pages.ts";
import { RejectionLedger } from "./rejection-ledger.ts";

const CHECK_PAGES_MAX = 256;
const JOBS_MAX = 1000;
/** Built while it runs, so that the code's own text does not hold it. */
const DROPPED_TEXT = "to and fro ".repeat(40);

/** @throws Fault `internal` naming the claim that does not hold */
export async function selfCheck(engine: Engine, image: BaseImage): Promise<void> {
  const instance = await Instance.open(engine, image.pages, CHECK_PAGES_MAX);
  new PageStore(image).replay(instance.memory, []);
  instance.pointers = image.pointers;
  const ledger = new RejectionLedger();
  const user = quietUser(0);
  user.rejection = (promise, handled) => ledger.note(instance, promise, handled);
  const run = (code: string) => {
    instance.evaluate(user, code, "run");
    instance.drain(user, JOBS_MAX);
    return ledger.settle(instance);
  };
  claim(run('Promise.reject(new Error("heard")).catch(() => {})') === null, "a heard rejection");
  const unheard = run('(async () => { await null; throw new RangeError("unheard"); })()');
  claim(unheard?.name === "RangeError" && unheard.message === "unheard", "an unheard rejection");
  claim(run('Promise.reject(new Error("plain"))')?.name === "Error", "the name of a built-in error");
  claim(unheard?.stack.includes("script:1") === true, "the stack of a reason");
  run('(() => { "to and fro ".repeat(40); })()');
  claim(instance.memory.bytes.includes(DROPPED_TEXT), "memory that was let go of");
  scrubHeap(instance.memory);
  claim(!instance.memory.bytes.includes(DROPPED_TEXT), "memory that was scrubbed");
  claim(instance.evaluate(user, "let answer = ;", "parse")?.tokenAt === 13, "the place of a token");
  claim(instance.atRest(), "the stack at rest");
}

function claim(holds: boolean, what: string): void {
  if (!holds) throw fault("internal", `The engine's self-check failed at: ${what}.`);
}
