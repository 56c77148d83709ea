// Runs that want a turn: FIFO, each at most once, a bounded number at work. A run that is added while
// its turn is under way gets another one after it, so no wake is lost.

export class ReadyQueue {
  readonly #max: number;
  readonly #advance: (runId: string) => Promise<void>;
  /** Insertion order is the queue's order. */
  readonly #ready = new Set<string>();
  readonly #working = new Map<string, Promise<void>>();
  readonly #roomWaiters: (() => void)[] = [];
  #closed = false;

  /** @param advance never rejects */
  constructor(max: number, advance: (runId: string) => Promise<void>) {
    this.#max = max;
    this.#advance = advance;
  }

  add(runId: string): void {
    if (this.#closed) return;
    this.#ready.add(runId);
    this.#pump();
  }

  /** Whether the run waits here or is at work. */
  has(runId: string): boolean {
    return this.#ready.has(runId) || this.#working.has(runId);
  }

  /** Resolves when fewer than `count` runs wait here, or when it closes: for whoever adds many (backpressure). */
  async room(count: number): Promise<void> {
    while (this.#ready.size >= count && !this.#closed) {
      await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
    }
  }

  get inFlight(): number {
    return this.#working.size;
  }

  /** Starts nothing more and waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ready.clear();
    this.#tellRoom();
    await Promise.all(this.#working.values());
  }

  #pump(): void {
    if (this.#working.size >= this.#max) return;
    for (const runId of this.#ready) {
      if (this.#working.has(runId)) continue;
      this.#ready.delete(runId);
      this.#working.set(
        runId,
        this.#advance(runId).finally(() => {
          this.#working.delete(runId);
          this.#pump();
          this.#tellRoom();
        }),
      );
      if (this.#working.size >= this.#max) return;
    }
  }

  #tellRoom(): void {
    for (const resolve of this.#roomWaiters.splice(0)) resolve();
  }
}
