// What every write of the memory can say, and can be asked for. Upholds L1, L3.

/** Runs that have something to consume now. Duplicates are possible and harmless. */
export interface Wake {
  runIds: string[];
}

export interface Settled extends Wake {
  /** False: late, duplicate or foreign; nothing changed and it was counted (L3). */
  applied: boolean;
}

/** Options of every write. */
export interface WriteHooks<Value> {
  /**
   * Called as soon as the change is applied inside the open transaction, before it is durable; a store may never call it.
   * What is built on it must be condemned when the promise rejects: work may begin, nothing may leave (L1).
   */
  onApplied?: ((value: Value) => void) | undefined;
}
