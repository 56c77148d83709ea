// A runtime whose children and whose clock are moved by hand, one decision at a time: between two
// decisions everything is quiet. Plain JavaScript without imports, because it runs in the test's own
// process over the sources, and over the compiled ones in a process that is killed.

const OPERATOR = { sessionKey: "operator", operator: true };
/** Hang guard: far above what quiet takes, so that a defect shows as a failure. */
const QUIET_MS_MAX = 20_000;
const EVENTS_PAGE_ROWS = 1_000;

/** A clock that stands still until it is moved. */
function standingClock(startMs) {
  let now = startMs;
  const timers = new Set();
  return {
    now: () => now,
    monotonic: () => now - startMs,
    setTimer(delayMs, run) {
      const timer = { due: now + Math.max(delayMs, 0), run };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    /** Runs what comes due on the way, in order. */
    moveTo(target) {
      for (;;) {
        const [next] = [...timers].filter(({ due }) => due <= target).sort((a, b) => a.due - b.due);
        if (!next) break;
        timers.delete(next);
        now = Math.max(now, next.due);
        next.run();
      }
      now = Math.max(now, target);
    },
  };
}

/** Answers when it is told to; the answer is made of the prompt. */
function handRunner(onStart) {
  const open = new Map();
  return {
    open,
    handles: (model) => model.startsWith("test:"),
    run(work) {
      onStart(work.childId, work.attempt);
      return new Promise((resolve) => {
        const end = (outcome) => {
          open.delete(work.childId);
          resolve(outcome);
        };
        open.set(work.childId, { work, end });
        const aborted = () => end({ status: "failed", error: "aborted", retryable: false });
        work.signal.addEventListener("abort", aborted, { once: true });
      });
    },
  };
}

function outcomeOf({ prompt, session }) {
  if (prompt.startsWith("fail")) return { status: "failed", error: `no ${prompt}`, retryable: false };
  const text = session ? `${prompt} after ${session.history.length}` : `A(${prompt})`;
  return { status: "done", text, usage: { inputTokens: 3, outputTokens: 4 } };
}

/**
 * @param {object} parts `openRuntime` and `submitRequestSchema` of the sources or of what was compiled, `settings`,
 * `now` where the clock stands, `failurePoint`, and `onStart(childId, attempt)` for each attempt that starts
 */
export async function openStage({ openRuntime, submitRequestSchema, settings, now, failurePoint, onStart }) {
  const clock = standingClock(now);
  const hand = handRunner(onStart);
  const runtime = await openRuntime(settings, { clock, runners: [hand], failurePoint });
  const cap = settings.swarmFor(undefined).maxConcurrent;
  return {
    now: () => clock.now(),
    close: () => runtime.close(),
    async submit(script) {
      const { run } = await runtime.submit(OPERATOR, submitRequestSchema.parse({ script }));
      return run.runId;
    },
    /** False when it is not open (any more). */
    settle(childId) {
      const found = hand.open.get(childId);
      found?.end(outcomeOf(found.work));
      return found !== undefined;
    },
    moveTo: (time) => clock.moveTo(time),
    quiet: (runId) => quiet({ runtime, hand, clock, cap }, runId),
    history: () => history(runtime),
  };
}

/** How things stand once nothing moves by itself any more. Throws when that does not come. */
async function quiet({ runtime, hand, clock, cap }, runId) {
  for (const start = performance.now(); performance.now() - start < QUIET_MS_MAX; ) {
    await new Promise((resolve) => setImmediate(resolve));
    // What was armed for a moment that is past rings now.
    clock.moveTo(clock.now());
    if (runtime.health().activeRuns > 0) continue;
    const { run, children, pending, notes } = await runtime.runDetail(OPERATOR, runId);
    const count = (status) => children.filter((child) => child.status === status).length;
    const ended = run.state !== "running" && run.state !== "waiting";
    const due = ended ? [] : pending.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
    if (run.state === "running" || due.some((time) => time <= clock.now())) continue;
    if (count("running") !== hand.open.size || (count("queued") > 0 && count("running") < cap)) continue;
    return {
      ended,
      end: { state: run.state, result: run.result ?? null, code: run.error?.code ?? null },
      notes: notes.map(({ kind, text }) => `${kind} ${text}`),
      children: children
        .map(({ runId: childId, callId, prompt, status, attempts }) => ({ childId, callId, prompt, status, attempts }))
        .sort((a, b) => a.callId - b.callId),
      open: [...hand.open.keys()],
      nextDue: due.length === 0 ? null : Math.min(...due),
    };
  }
  const { run, pending } = await runtime.runDetail(OPERATOR, runId);
  throw new Error(`it does not come to rest: ${run.state}, ${JSON.stringify(pending)}, open ${hand.open.size}`);
}

async function history(runtime) {
  const events = [];
  for (let page = [{ seq: 0 }]; page.length > 0; events.push(...page)) {
    page = await runtime.eventsAfter(OPERATOR, page.at(-1).seq, undefined, EVENTS_PAGE_ROWS);
  }
  return events;
}
