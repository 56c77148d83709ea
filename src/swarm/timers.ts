// One armed timer for the earliest due moment of all sleeps and waits (G-008). What is due is in the
// registry; here is only the alarm. A set clock is noticed within TIMER_RECHECK_MS: a jump forward
// makes nothing stuck, a jump backward wakes nothing early.

import type { Timer } from "../contract/clock.ts";
import { isFault } from "../contract/fault.ts";
import type { SwarmContext } from "./context.ts";

/** Longest time between two looks at the wall clock while something is armed. */
const TIMER_RECHECK_MS = 30_000;
/** Timers settled in one transaction. */
const TIMERS_PER_COMMIT_MAX = 1_000;
const STORAGE_RETRY_MS = 500;

/** Who goes on when something was due. */
export interface AlarmTurns {
  wake(runIds: string[]): void;
  /** Ends what runs of children that a budget of time has cut (S-019). */
  cut(childIds: string[]): void;
  /** Resolves when more may be woken. */
  room(): Promise<void>;
}

export class Alarm {
  readonly #context: SwarmContext;
  readonly #turns: AlarmTurns;
  #dueAt: number | null = null;
  #timer: Timer | undefined;
  #firing: Promise<void> | undefined;
  #closed = false;

  constructor(context: SwarmContext, turns: AlarmTurns) {
    this.#context = context;
    this.#turns = turns;
  }

  /** Makes sure that the alarm rings at `dueAt` (milliseconds since the epoch) or earlier. */
  arm(dueAt: number | null): void {
    if (dueAt === null || this.#closed) return;
    if (this.#dueAt !== null && this.#dueAt <= dueAt) return;
    this.#dueAt = dueAt;
    this.#schedule(dueAt - this.#context.clock.now());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#firing;
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#context.clock.setTimer(Math.min(Math.max(delayMs, 0), TIMER_RECHECK_MS), () => this.#ring());
  }

  #ring(): void {
    if (this.#closed || this.#firing || this.#dueAt === null) return;
    const left = this.#dueAt - this.#context.clock.now();
    if (left > 0) {
      this.#schedule(left);
      return;
    }
    this.#dueAt = null;
    this.#firing = this.#fire().finally(() => {
      this.#firing = undefined;
      if (this.#dueAt !== null && !this.#closed) this.#schedule(this.#dueAt - this.#context.clock.now());
    });
  }

  async #fire(): Promise<void> {
    const { registry, clock, log, failurePoint } = this.#context;
    try {
      for (let more = true; more && !this.#closed; ) {
        failurePoint("beforeTimers");
        const fired = await registry.fireTimers(clock.now(), TIMERS_PER_COMMIT_MAX);
        failurePoint("afterTimers");
        this.#turns.cut(fired.cut);
        this.#turns.wake(fired.wake);
        if (fired.earliestDueAt !== null && (this.#dueAt === null || fired.earliestDueAt < this.#dueAt)) {
          this.#dueAt = fired.earliestDueAt;
        }
        more = fired.more;
        // When very many are due at once, the first of them go on before the last are settled.
        if (more) await this.#turns.room();
      }
    } catch (error) {
      if (isFault(error) && error.code === "storage_closed") return;
      log("warn", "timers could not be settled; trying again", { code: isFault(error) ? error.code : "internal" });
      this.#dueAt = clock.now() + STORAGE_RETRY_MS;
    }
  }
}
