// A child runner that answers by the words of its prompt and writes everything into the ledger: what
// it started, which steps were durable, what it finished. Its answers depend on the prompt alone.
//
//   hold …       never ends by itself        fail …    fails for good
//   misfit …     does not fit its schema     anything with a schema   a value of its shape
//   flaky …      its first attempt fails     steps N   stores N steps, and goes on behind the stored ones
//   value …      answers with a value        gate …    waits until the gates are open
//   anything  A(prompt), after as many milliseconds as its text says

const PACE_MS_MAX = 9;

/** @param {{ ledger: { write(entry: object): void }, clock: { setTimer(ms: number, run: () => void): object }, paced: boolean, gates: Gates }} parts */
export function scriptedRunner({ ledger, clock, paced, gates }) {
  return {
    handles: (model) => model.startsWith("test:"),
    async run(work) {
      const { childId: child, attempt, prompt, signal, steps } = work;
      const pause = (ms) => (paced ? pauseFor(clock, ms, signal) : undefined);
      ledger.write({ what: "start", child, attempt, prompt, steps });
      if (prompt.startsWith("gate")) await gates.pass(aborted(signal));
      const outcome = await perform(work, pause, ledger);
      ledger.write({ what: signal.aborted ? "abort" : "finish", child, attempt, status: outcome.status });
      return outcome;
    },
  };
}

/** Children wait here until somebody opens. */
export class Gates {
  #waiting = new Set();
  #open = () => {};
  #opened = new Promise((resolve) => {
    this.#open = resolve;
  });

  async pass(given) {
    const turn = Promise.race([this.#opened, given]);
    this.#waiting.add(turn);
    await turn;
  }

  /** Resolves when all who waited have gone through. */
  async open() {
    this.#open();
    await Promise.all(this.#waiting);
  }
}

function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function pauseFor(clock, ms, signal) {
  let timer;
  const over = new Promise((resolve) => {
    timer = clock.setTimer(ms, resolve);
  });
  await Promise.race([over, aborted(signal)]);
  timer.cancel();
}

async function perform(work, pause, ledger) {
  const { childId: child, attempt, prompt, session, signal, steps } = work;
  const [word, count] = prompt.split(" ");
  if (word === "hold") await aborted(signal);
  if (signal.aborted) return { status: "failed", error: "ended from outside", retryable: false };
  await pause(paceOf(prompt));
  if (word === "misfit") {
    const schemaError = `${prompt}: /count is missing`;
    return {
      status: "failed",
      error: "The answer did not fit.",
      errorCode: "schema_failed",
      schemaError,
      retryable: false,
    };
  }
  if (word === "fail") return { status: "failed", error: `no ${prompt}`, retryable: false };
  if (word === "flaky" && attempt === 1) return { status: "failed", error: "for the moment", retryable: true };
  if (word === "steps") {
    for (let step = steps.length; step < Number(count); step += 1) {
      await work.recordStep({ step });
      ledger.write({ what: "step", child, attempt, step });
      await pause(2);
    }
  }
  const text = session ? `A(${prompt}) after ${session.history.length}` : `A(${prompt})`;
  const usage = { inputTokens: prompt.length, outputTokens: text.length };
  const structured = word === "value" ? { letters: prompt.length } : work.schema && shaped(work.schema, prompt);
  return { status: "done", text, usage, structured };
}

/** A value of a schema's shape, the same for the same prompt. */
function shaped(schema, prompt) {
  const size = prompt.length;
  if (schema.enum) return schema.enum[paceOf(prompt) % schema.enum.length];
  if (schema.type === "object") {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, shaped(part, prompt)]));
  }
  if (schema.type === "array") return [shaped(schema.items, prompt)];
  if (schema.type === "boolean") return paceOf(prompt) % 4 > 0;
  return schema.type === "string" ? `S(${prompt})` : size;
}

/** The same for the same prompt, and different between prompts. */
function paceOf(prompt) {
  let sum = 0;
  for (const letter of prompt) sum = (sum * 31 + letter.charCodeAt(0)) % 9_973;
  return sum % PACE_MS_MAX;
}
