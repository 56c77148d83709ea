// Child runners without an outside: what is measured is the swarm, not a provider.

/** Answers at once, with the prompt's length as text. `onStart` sees each work before it is answered. */
export function instantRunner(onStart = () => {}) {
  return {
    handles: (model) => model.startsWith("bench:"),
    run(work) {
      onStart(work);
      return Promise.resolve({ status: "done", text: `answer of ${work.prompt.length} characters` });
    },
  };
}

/** Answers at once, but for prompts that begin with "hold": those stay open until their signal ends them. */
export function holdingRunner(onHeld) {
  const instant = instantRunner();
  return {
    handles: instant.handles,
    run(work) {
      if (!work.prompt.startsWith("hold")) return instant.run(work);
      return new Promise((resolve) => {
        const aborted = () => resolve({ status: "failed", error: "aborted", retryable: false });
        work.signal.addEventListener("abort", aborted, { once: true });
        onHeld(work);
      });
    },
  };
}
