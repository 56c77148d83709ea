// What children pay with: a request is reserved in the registry before it leaves and settled after it (B-005).
// A request that would fit once others give back what they do not use waits here for the next settlement, woken
// by it (L8). Nothing here is truth: what is reserved and spent stands in the registry.

import { fault } from "../contract/fault.ts";
import type { Reservation, SpendingEstimate, Spent, TokenPrice } from "../contract/spending.ts";
import type { ChildForRun } from "../registry/port.ts";
import type { Bill, ReserveAnswer } from "../registry/spending-port.ts";
import type { SwarmContext } from "./context.ts";
import { untilStored } from "./until-stored.ts";

export class Purse {
  readonly #context: Pick<SwarmContext, "registry" | "clock">;
  #waiting: (() => void)[] = [];
  /** Settlements so far: one that came between question and answer is not slept through. */
  #settlements = 0;

  constructor(context: Pick<SwarmContext, "registry" | "clock">) {
    this.#context = context;
  }

  /** Something was given back: whoever waits for room asks again, in the order in which they came. */
  freed(): void {
    this.#settlements += 1;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The purse of one attempt. */
  forAttempt(child: ChildForRun, signal: AbortSignal): AttemptPurse {
    return new AttemptPurse(this, child, signal);
  }

  /** @throws Fault `budget_exceeded`, `price_unknown`, `child_killed`, `stale_epoch` */
  async reserve(
    child: ChildForRun,
    estimate: SpendingEstimate,
    signal: AbortSignal,
  ): Promise<Exclude<ReserveAnswer, { kind: "wait" }>> {
    const { registry, clock } = this.#context;
    const { runId: childId, attempts: attempt } = child.record;
    for (;;) {
      const seen = this.#settlements;
      const answer = await untilStored(clock, signal, () =>
        registry.reserve({ childId, attempt, estimate, at: clock.now() }),
      );
      if (answer.kind !== "wait") return answer;
      if (seen === this.#settlements) await this.#nextSettlement(signal);
      if (signal.aborted) throw fault("child_killed", "The child was stopped while it waited for room in its budget.");
    }
  }

  async bill(bill: Bill, signal: AbortSignal): Promise<void> {
    const { registry, clock } = this.#context;
    await untilStored(clock, signal, () => registry.bill(bill));
    this.freed();
  }

  #nextSettlement(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.#waiting.push(end);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
    });
  }
}

/** Knows what one attempt has reserved and not settled. */
export class AttemptPurse {
  readonly #purse: Purse;
  readonly #child: ChildForRun;
  readonly #signal: AbortSignal;
  #open = 0;

  constructor(purse: Purse, child: ChildForRun, signal: AbortSignal) {
    this.#purse = purse;
    this.#child = child;
    this.#signal = signal;
  }

  /** Whether something is reserved still; the end of the attempt gives it back. */
  get holds(): boolean {
    return this.#open > 0;
  }

  async reserve(estimate: SpendingEstimate): Promise<Reservation> {
    const answer = await this.#purse.reserve(this.#child, estimate, this.#signal);
    const reservationId = answer.kind === "reserved" ? answer.reservationId : null;
    const outputTokensMax = answer.kind === "reserved" ? answer.outputTokens : undefined;
    if (reservationId !== null) this.#open += 1;
    let settled = false;
    return {
      outputTokensMax,
      settle: async (spent) => {
        if (settled) return;
        settled = true;
        const bill = billOf(this.#child.record.runId, reservationId, spent, estimate.price);
        if (bill) await this.#purse.bill(bill, this.#signal);
        if (reservationId !== null) this.#open -= 1;
      },
    };
  }
}

/** Undefined when there is nothing to write. */
function billOf(
  childId: string,
  reservationId: number | null,
  spent: Spent,
  price: TokenPrice | undefined,
): Bill | undefined {
  const { usage, costUsd, unanswered } = spent;
  if (reservationId === null && usage === undefined && costUsd === undefined) return undefined;
  const bill: Bill = { childId, reservationId, usage, costUsd };
  if (!unanswered || usage !== undefined) return bill;
  const { inputTokens, outputTokens } = unanswered;
  const usd = price ? inputTokens * price.input + outputTokens * price.output : 0;
  return { ...bill, assumed: { tokens: inputTokens + outputTokens, usd } };
}
