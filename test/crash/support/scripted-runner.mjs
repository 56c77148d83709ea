// A child runner that answers by the words of its prompt and writes everything into the ledger: what
// it started, which steps were durable, what it finished. Its answers depend on the prompt alone.
//
//   hold …       never ends by itself        fail …    fails for good
//   flaky …      its first attempt fails     steps N   stores N steps, and goes on behind the stored ones
//   value …      answers with a value        gate …    waits until the gates are open
//   anything  A(prompt), after as many milliseconds as its text says

const PACE_MS_MAX = 9;

/** @param {{ ledger: { write(entry: object): void }, clock: { setTimer(ms: number, run: () => void): object }, paced: boolean, gates: boolean }} parts */
export function scriptedRunner({ ledger, clock, paced, gates }) {
  const pause = (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted || (!paced && ms !== Infinity)) return resolve();
      const timer = ms === Infinity ? undefined : clock.setTimer(ms, resolve);
      signal.addEventListener("abort", () => resolve(timer?.cancel()), { once: true });
    });
  return {
    handles: (model) => model.startsWith("test:"),
    async run(work) {
      const { childId: child, attempt, prompt, signal, steps } = work;
      ledger.write({ what: "start", child, attempt, prompt, steps });
      const held = prompt.startsWith("hold") || (prompt.startsWith("gate") && !gates);
      const outcome = held
        ? await endedFromOutside(pause, signal)
        : await perform(work, (ms) => pause(ms, signal), ledger);
      ledger.write({ what: signal.aborted ? "abort" : "finish", child, attempt, status: outcome.status });
      return outcome;
    },
  };
}

async function endedFromOutside(pause, signal) {
  await pause(Infinity, signal);
  return { status: "failed", error: "ended from outside", retryable: false };
}

async function perform(work, pause, ledger) {
  const { childId: child, attempt, prompt, session, steps } = work;
  const [word, count] = prompt.split(" ");
  await pause(paceOf(prompt));
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
  return { status: "done", text, usage, ...(word === "value" ? { structured: { letters: prompt.length } } : {}) };
}

/** The same for the same prompt, and different between prompts. */
function paceOf(prompt) {
  let sum = 0;
  for (const letter of prompt) sum = (sum * 31 + letter.charCodeAt(0)) % 9_973;
  return sum % PACE_MS_MAX;
}
