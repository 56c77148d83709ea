// One signal out of several, with an end: the listeners on long-lived signals are taken off again when
// the work is over (law L7).

export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(): void;
  /** Lets go of the sources. */
  end(): void;
}

/** Aborted as soon as one of `sources` is. */
export function linkSignals(sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const source of sources) {
    if (source.aborted) abort();
    else source.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: controller.signal,
    abort,
    end: () => {
      for (const source of sources) source.removeEventListener("abort", abort);
    },
  };
}
