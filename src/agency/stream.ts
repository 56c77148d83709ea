// A run that is read while it goes on. What is not read yet is kept; leaving early stops the run (B-007), unless
// another reader is still there.

import type { AgencyStream, StreamPart } from "./parts.ts";

/** Starts a run at once; `start` gets where its parts go, and a signal that aborts when nobody reads any more. */
export function openStream<Result extends { text: string }>(
  start: (emit: (part: StreamPart) => void, left: AbortSignal) => Promise<Result>,
  isLive: (part: StreamPart & { type: "text" }) => boolean,
): AgencyStream<Result> {
  const parts = new Parts();
  const left = new AbortController();
  const result = start((part) => parts.add(part), left.signal);
  result.then(
    () => parts.end(),
    (error) => parts.fail(error),
  );
  const text = result.then((done) => done.text);
  // Whoever only reads the stream meets the failure there.
  result.catch(() => {});
  text.catch(() => {});
  const leave = (): void => left.abort();
  return {
    textStream: parts.read((part) => (part.type === "text" && isLive(part) ? part.text : undefined), leave),
    fullStream: parts.read((part) => part, leave),
    finalTextStream: parts.read((part) => (part.type === "final-output" ? part.text : undefined), leave),
    text,
    result,
  };
}

/** All parts so far, and who waits for more. */
class Parts {
  readonly #parts: StreamPart[] = [];
  readonly #waiting: (() => void)[] = [];
  #readers = 0;
  #isEnded = false;
  #failure: { error: unknown } | undefined;

  add(part: StreamPart): void {
    this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.end();
  }

  read<Value>(pick: (part: StreamPart) => Value | undefined, leave: () => void): AsyncIterable<Value> {
    return { [Symbol.asyncIterator]: () => this.#iterate(pick, leave) };
  }

  async *#iterate<Value>(pick: (part: StreamPart) => Value | undefined, leave: () => void): AsyncGenerator<Value> {
    this.#readers += 1;
    try {
      for (let at = 0; ; at += 1) {
        while (at >= this.#parts.length && !this.#isEnded) {
          await new Promise<void>((resolve) => void this.#waiting.push(resolve));
        }
        const part = this.#parts[at];
        if (!part) break;
        const value = pick(part);
        if (value !== undefined) yield value;
      }
      if (this.#failure) throw this.#failure.error;
    } finally {
      this.#readers -= 1;
      if (!this.#isEnded && this.#readers === 0) leave();
    }
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
