// Where a worker thread may not be ended. Node 20 takes the whole process down when a thread is terminated
// between the birth of a zlib handle and its initialization, so the thread passes a gate around each use
// and its owner shuts the gate before it terminates (L7). Four states of one shared number; no locks.

const OPEN = 0;
const INSIDE = 1;
const SHUT = 2;
/** The owner wants to end the thread, which is inside and will stand still when it comes out. */
const INSIDE_SHUT = 3;

/** A thread that does not come out of the gate for so long is terminated all the same, milliseconds. */
const PASS_MS_MAX = 10_000;

export class EndingGate {
  /** What the other side makes its own from. */
  readonly shared: SharedArrayBuffer;
  readonly #state: Int32Array<SharedArrayBuffer>;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  /** In the thread: does `work` without being ended meanwhile. Not to be nested. Does not return once the gate is shut. */
  pass<Value>(work: () => Value): Value {
    if (Atomics.compareExchange(this.#state, 0, OPEN, INSIDE) !== OPEN) this.#standStill();
    try {
      return work();
    } finally {
      if (Atomics.compareExchange(this.#state, 0, INSIDE, OPEN) !== INSIDE) this.#standStill();
    }
  }

  /** In the owner, before it terminates the thread: resolves when the thread is outside and stays there. */
  async shut(): Promise<void> {
    if (Atomics.compareExchange(this.#state, 0, OPEN, SHUT) === OPEN) return;
    if (Atomics.compareExchange(this.#state, 0, INSIDE, INSIDE_SHUT) === SHUT) return;
    if (Atomics.load(this.#state, 0) === INSIDE_SHUT) {
      await Atomics.waitAsync(this.#state, 0, INSIDE_SHUT, PASS_MS_MAX).value;
      return;
    }
    // It came out, or went in, between the two looks.
    await this.shut();
  }

  /** Waits to be terminated. */
  #standStill(): void {
    Atomics.store(this.#state, 0, SHUT);
    Atomics.notify(this.#state, 0);
    Atomics.wait(this.#state, 0, SHUT);
  }
}
