// `quickswarm wait ID…`: the records of what has completed, as agents_wait gives them (S-011, S-013).

import { fault } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import { WAIT_IDS_MAX, WAIT_TIMEOUT_SECONDS_DEFAULT } from "../../contract/limits.ts";
import type { Census, ChildCounts, ChildRecord, WaitAnswer } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { faultText } from "../failure.ts";
import { jsonText, oneLine } from "../format.ts";
import { watchInterrupt } from "../interrupt.ts";
import type { Paint } from "../io.ts";
import { type Link, openLink } from "../link.ts";
import { censusText, childrenTable, paintState, problemLines } from "../states.ts";
import { overRestarts, type Staying } from "../staying.ts";
import { watchStorage } from "../storage-watch.ts";

/** Children of one run that are named. */
const PROBLEMS_SHOWN_MAX = 10;
const NO_COUNTS: ChildCounts = { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };

export interface WaitOptions {
  timeout?: number | undefined;
  all?: boolean | undefined;
}

/** Without a time-out it comes back when it likes, completions or not. */
type Waiter = (ids: string[], timeoutSeconds: number | undefined) => Promise<WaitAnswer>;

/** How much later than its time-out a gateway's answer may come. */
const LATE_SECONDS_MAX = 2;
/** A gateway takes no time-out of zero. */
const LEFT_SECONDS_MIN = 0.001;

/** Faults: `bad_request` for more than WAIT_IDS_MAX ids. */
export async function waitCommand(context: Context, given: string[], options: WaitOptions): Promise<number> {
  const ids = [...new Set(given)];
  if (ids.length > WAIT_IDS_MAX) {
    throw fault("bad_request", `wait takes at most ${WAIT_IDS_MAX} ids at once; ${ids.length} were given`, {
      next: "Wait for them in several commands; with --all each comes back when its ids are complete.",
    });
  }
  const link = await openLink(context, "work");
  const interrupt = watchInterrupt();
  const say = (line: string): void => context.io.err.line(line);
  const storage = watchStorage(context.clock, link, say);
  try {
    const once = stayingWaiter({ clock: context.clock, link, signal: interrupt.signal, say });
    const answer = options.all
      ? await waitForAll(context, once, ids, options.timeout)
      : await once(ids, options.timeout ?? WAIT_TIMEOUT_SECONDS_DEFAULT);
    if (context.json) context.io.out.line(jsonText(answer));
    else await print(context, answer);
    return waitExitCode(answer, options.all === true);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    context.io.err.line("stopped waiting; the work itself goes on");
    return EXIT.interrupted;
  } finally {
    storage.end();
    interrupt.end();
    await link.close();
  }
}

/** Asks over restarts of the gateway; where none answers in the time that is given, nothing has completed. */
function stayingWaiter({ clock, link, signal, say }: Staying & { link: Link }): Waiter {
  return async (ids, timeoutSeconds) => {
    if (timeoutSeconds === undefined) {
      return overRestarts({ clock, link, signal, say }, () => link.client.wait(ids, undefined, signal));
    }
    const until = clock.monotonic() + timeoutSeconds * 1000;
    const over = new AbortController();
    const timer = clock.setTimer((timeoutSeconds + LATE_SECONDS_MAX) * 1000, () => over.abort());
    const either = AbortSignal.any([signal, over.signal]);
    try {
      return await overRestarts({ clock, link, signal: either, say }, () => {
        const leftSeconds = Math.max(LEFT_SECONDS_MIN, (until - clock.monotonic()) / 1000);
        return link.client.wait(ids, leftSeconds, either);
      });
    } catch (error) {
      if (!over.signal.aborted || signal.aborted) throw error;
      say("no gateway has answered within the time-out");
      return { completed: [], pending: ids, pendingDetail: [], errors: [] };
    } finally {
      timer.cancel();
    }
  };
}

/** Loops over the first completions until nothing is pending, or the time-out (in seconds, over all) is over. */
async function waitForAll(
  { clock }: Context,
  once: Waiter,
  ids: string[],
  timeoutSeconds: number | undefined,
): Promise<WaitAnswer> {
  const until = timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutSeconds * 1000;
  const all: WaitAnswer = { completed: [], pending: ids, pendingDetail: [], errors: [] };
  for (;;) {
    const leftSeconds = (until - clock.monotonic()) / 1000;
    if (all.pending.length === 0 || leftSeconds <= 0) return all;
    const answer = await once(all.pending, leftSeconds === Number.POSITIVE_INFINITY ? undefined : leftSeconds);
    all.completed.push(...answer.completed);
    all.errors.push(...answer.errors);
    all.pending = answer.pending;
    all.pendingDetail = answer.pendingDetail;
  }
}

/**
 * The worst of what came in: an unknown id, a failure, a kill; 75 when nothing (with --all: not everything)
 * has completed in time; else 0.
 */
export function waitExitCode(answer: WaitAnswer, all: boolean): number {
  if (answer.errors.length > 0) return EXIT.notFound;
  const statuses = new Set(answer.completed.map((record) => record.status));
  if (statuses.has("failed") || statuses.has("timeout")) return EXIT.failed;
  if (statuses.has("killed")) return EXIT.killed;
  return answer.pending.length > 0 && (all || answer.completed.length === 0) ? EXIT.pending : EXIT.ok;
}

async function print({ io, clock }: Context, answer: WaitAnswer): Promise<void> {
  const { out, err } = io;
  if (answer.completed.length > 0) out.line(await childrenTable(out, answer.completed, clock.now()));
  for (const record of answer.completed) {
    out.line(`\n${out.paint.dim(record.runId)}\n${resultText(record)}`);
    if (record.census) err.line(censusLines(record.census, err.paint).join("\n"));
  }
  for (const { runId, error } of answer.errors) err.line(faultText(refusal(oneLine(runId, 200), error), err.paint));
  for (const one of answer.pendingDetail) {
    err.line(`${oneLine(one.label ?? one.runId, 60)}: ${paintState(err.paint, one.status)}, not complete yet`);
  }
}

function refusal(id: string, error: WaitAnswer["errors"][number]["error"]) {
  if (error === "not_found") return fault("not_found", `there is no run or child ${id}`);
  return fault("forbidden", `${id} belongs to another session`, { next: "Wait for what this session started." });
}

/** A run whose children died is never shown as simply done (D-010). */
function censusLines(census: Census, paint: Paint): string[] {
  const head = paint.yellow(`not every child succeeded; ${censusText(census, NO_COUNTS)}`);
  const warnings = census.warnings.map((warning) => `  ${paint.yellow("warning")}: ${oneLine(warning, 300)}`);
  const lines = [...problemLines(census, paint, PROBLEMS_SHOWN_MAX), ...warnings];
  return census.problems.length > 0 ? [head, ...lines] : lines;
}

function resultText(record: ChildRecord): string {
  if (record.status !== "done") return oneLine(record.schemaError ?? record.error ?? record.status, 500);
  return jsonText(record.structured ?? record.result);
}
