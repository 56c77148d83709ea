// Wakes those who wait for one id, from the commit that concerns it (L8, S-015). It carries no state:
// whoever is woken reads the registry.

export class Notifier {
  readonly #listeners = new Map<string, Set<() => void>>();

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

  /** Wakes everybody, for shutdown. */
  emitAll(): void {
    for (const id of [...this.#listeners.keys()]) this.emit(id);
  }

  get size(): number {
    return this.#listeners.size;
  }
}
