// One attempt of one child: builds the work, runs the runner under deadline and abort, and turns
// whatever happens into an outcome. Stores nothing but steps (L12); a disk that refuses them for a while
// makes the attempt wait and does not fail it (L6).

import type { Clock, Timer } from "../contract/clock.ts";
import { type Fault, fault, isFault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import { CHILD_RESULT_BYTES_MAX } from "../contract/limits.ts";
import type { ChildForRun } from "../registry/port.ts";
import type { SwarmContext } from "./context.ts";
import type { AttemptPurse, Purse } from "./purse.ts";
import type { ChildOutcome, ChildRunner, ChildWork } from "./runner.ts";
import { untilStored } from "./until-stored.ts";

/** How long a runner may take to end after its signal aborted, before its slot is given on without it. */
const RUNNER_ABORT_GRACE_MS = 5_000;

/** `budget`: the child's own budget of time is over. */
type Verdict = "timeout" | "aborted" | "budget";

interface Rest {
  /** What the attempt has used and nobody has billed yet, whatever its status. */
  spent: Pick<ChildOutcome, "usage" | "costUsd">;
  /** Something it had reserved is still to be given back. */
  holds: boolean;
}

export type AttemptEnd = (ChildOutcome | { status: "timeout" } | { status: "aborted" } | { status: "budget" }) & Rest;

export interface Attempt {
  /** Never rejects. */
  readonly end: Promise<AttemptEnd>;
  /** Ends the runner; `end` becomes `aborted`. */
  abort(): void;
}

/** Starts an attempt of a child that is stored as `running`. */
export function startAttempt(context: SwarmContext, child: ChildForRun, purse: Purse): Attempt {
  const controller = new AbortController();
  const { signal } = controller;
  const own = purse.forAttempt(child, signal);
  let verdict: Verdict | undefined;
  let graceOver: () => void = () => {};
  let graceTimer: Timer | undefined;
  const stop = (reason: Verdict): void => {
    if (verdict) return;
    verdict = reason;
    controller.abort(fault(reason === "timeout" ? "child_timeout" : "child_killed", `The child was ended: ${reason}.`));
    graceTimer = context.clock.setTimer(RUNNER_ABORT_GRACE_MS, () => graceOver());
  };
  const deadlines = [
    armDeadline(context.clock, child, child.options.timeoutMs, () => stop("timeout")),
    armDeadline(context.clock, child, secondsOf(child), () => stop("budget")),
  ];
  const grace = new Promise<ChildOutcome>((resolve) => {
    graceOver = () =>
      resolve({ status: "failed", error: "The runner did not end after its signal.", retryable: false });
  });
  const end = Promise.race([runOnce(context, child, own, signal), grace]).then((outcome): AttemptEnd => {
    for (const deadline of deadlines) deadline?.cancel();
    graceTimer?.cancel();
    const spent = { usage: outcome.usage, costUsd: outcome.costUsd };
    return { ...(verdict ? { status: verdict } : outcome), spent, holds: own.holds };
  });
  return { end, abort: () => stop("aborted") };
}

function secondsOf({ options }: ChildForRun): number | undefined {
  return options.budget?.seconds === undefined ? undefined : options.budget.seconds * 1000;
}

function armDeadline(
  clock: Clock,
  child: ChildForRun,
  timeoutMs: number | undefined,
  onDeadline: () => void,
): Timer | undefined {
  if (timeoutMs === undefined) return undefined;
  // The time counts from the first start, so a restart does not give a child its whole time again;
  // nor does a clock that was set back meanwhile give it more than that.
  const startedAt = child.record.startedAt ?? clock.now();
  const leftMs = startedAt + timeoutMs - clock.now();
  return clock.setTimer(Math.min(Math.max(leftMs, 0), timeoutMs), onDeadline);
}

async function runOnce(
  context: SwarmContext,
  child: ChildForRun,
  purse: AttemptPurse,
  signal: AbortSignal,
): Promise<ChildOutcome> {
  try {
    const runner = runnerFor(context.runners, child.record.model);
    const work = await buildWork(context, child, purse, signal);
    if (signal.aborted) return { status: "failed", error: "aborted", retryable: false };
    const outcome = bounded(await runner.run(work));
    return runner.settlesRequests ? { ...outcome, usage: undefined, costUsd: undefined } : outcome;
  } catch (error) {
    if (isFault(error))
      return { status: "failed", error: error.message, errorCode: error.code, retryable: error.code === "internal" };
    return {
      status: "failed",
      error: error instanceof Error ? error.message : String(error),
      errorCode: "child_failed",
      retryable: true,
    };
  }
}

/** @throws Fault `model_unknown`, `model_key_missing`, `schema_unsupported` */
export function runnerFor(runners: ChildRunner[], model: string, schema?: ChildWork["schema"]): ChildRunner {
  const runner = runners.find((candidate) => candidate.handles(model));
  if (!runner)
    throw fault("model_unknown", `No runner answers for the model ${JSON.stringify(model)}.`, { details: { model } });
  runner.check?.(model);
  if (schema !== undefined) runner.checkSchema?.(schema);
  return runner;
}

/** The fault `model_key_missing` of a model that cannot be asked here and now, if it is that. */
export function missingKey(runners: ChildRunner[], model: string): Fault | undefined {
  try {
    runnerFor(runners, model);
  } catch (error) {
    if (isFault(error) && error.code === "model_key_missing") return error;
  }
  return undefined;
}

async function buildWork(
  context: SwarmContext,
  child: ChildForRun,
  purse: AttemptPurse,
  signal: AbortSignal,
): Promise<ChildWork> {
  const { record, options } = child;
  const { registry, clock } = context;
  const insist = <Value>(work: () => Promise<Value>): Promise<Value> => untilStored(clock, signal, work);
  const stored = record.attempts > 1 ? await insist(() => registry.steps(record.runId)) : [];
  const steps = stored.map((text) => JSON.parse(text) as Json);
  const { session: asked } = options;
  const session = asked && { ...asked, history: await insist(() => registry.sessionHistory(asked.id)) };
  return {
    childId: record.runId,
    attempt: record.attempts,
    prompt: record.prompt,
    model: record.model,
    agentId: record.agentId,
    schema: options.schema,
    thinking: options.thinking,
    fastMode: options.fastMode,
    tools: options.tools,
    session,
    steps,
    signal,
    reserve: (estimate) => purse.reserve(estimate),
    recordStep: (step) =>
      insist(() => registry.recordStep(record.runId, record.attempts, JSON.stringify(step), clock.now())),
  };
}

/** An answer over the limit is a failure that says so; it is never cut silently. */
function bounded(outcome: ChildOutcome): ChildOutcome {
  if (outcome.status !== "done") return outcome;
  const bytes =
    Buffer.byteLength(outcome.text) +
    (outcome.structured === undefined ? 0 : Buffer.byteLength(JSON.stringify(outcome.structured)));
  if (bytes > CHILD_RESULT_BYTES_MAX) {
    return {
      status: "failed",
      error: `The child's answer has ${bytes} bytes; at most ${CHILD_RESULT_BYTES_MAX} are kept.`,
      errorCode: "result_too_large",
      usage: outcome.usage,
      costUsd: outcome.costUsd,
      retryable: false,
    };
  }
  // An empty final text is a failure, not an answer (B-038).
  if (outcome.text === "" && outcome.structured === undefined) {
    return {
      status: "failed",
      error: "The child's final text is empty.",
      errorCode: "empty",
      usage: outcome.usage,
      costUsd: outcome.costUsd,
      retryable: true,
    };
  }
  return outcome;
}
