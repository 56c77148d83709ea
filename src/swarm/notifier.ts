// Wakes those who wait for one id, from the commit that concerns it (L8, S-015). It carries no state:
// whoever is woken reads the registry.

export class Notifier {
  readonly #listeners = new Map<string, Set<() => void>>();
  #closed = false;

  /** Calls `listener` at each change of `id` until the returned function is called. */
  on(id: string, listener: () => void): () => void {
    let listeners = this.#listeners.get(id);
    if (!listeners) {
      listeners = new Set();
      this.#listeners.set(id, listeners);
    }
    listeners.add(listener);
    return () => {
      const current = this.#listeners.get(id);
      current?.delete(listener);
      if (current?.size === 0) this.#listeners.delete(id);
    };
  }

  emit(id: string): void {
    const listeners = this.#listeners.get(id);
    if (listeners) for (const listener of [...listeners]) listener();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Wakes everybody for the last time. Whoever is woken then looks at `closed` and reads no more. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#listeners.keys()]) this.emit(id);
  }

  get size(): number {
    return this.#listeners.size;
  }
}
