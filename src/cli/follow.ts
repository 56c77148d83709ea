// Follows a run to its end, over restarts of the gateway, and says how it ended. Used by `run` and `resume`.

import { excerptAt } from "../config/excerpt.ts";
import type { SwarmEvent } from "../contract/events.ts";
import { EXIT } from "../contract/fault-table.ts";
import type { RunDetail, RunRecord } from "../contract/records.ts";
import { readWorkflow } from "../contract/workflow.ts";
import type { ScriptCheck } from "./check/check.ts";
import { closingText, runExitCode } from "./closing.ts";
import type { Context } from "./context.ts";
import { faultText } from "./failure.ts";
import { jsonText, plural } from "./format.ts";
import type { Interrupt } from "./interrupt.ts";
import type { Link } from "./link.ts";
import { liveOf } from "./states.ts";
import { overRestarts } from "./staying.ts";
import { type StorageWatch, watchStorage } from "./storage-watch.ts";
import { type ProgressView, progressView } from "./view.ts";

/** A run that has ended has also said so in its events; this is how long they may take to arrive. */
const LAST_EVENTS_WAIT_MS = 2_000;

export function isFinal(run: RunRecord): boolean {
  return run.state !== "running" && run.state !== "waiting";
}

export interface Following {
  link: Link;
  /** The run as it was last seen. */
  run: RunRecord;
  /** Watched, and given back, by the caller. */
  interrupt: Interrupt;
  /** The run's text where it is at hand: an error is then shown with its line. */
  script?: string;
  /** The check of the script that goes on beside the run; its caller ends it. */
  check?: ScriptCheck | undefined;
}

/** Shows progress until the run has ended, prints the result, and gives the exit code. Ctrl-C detaches. */
export async function followToEnd(
  context: Context,
  { link, run, interrupt, script, check }: Following,
): Promise<number> {
  const declared = await declaredPhases(link, run, script);
  const view = await progressView(context, `${run.name}  ${run.runId}`, declared);
  const storage = watchStorage(context.clock, link, (line) => view.say(line));
  const told = check?.tell((line) => view.say(line));
  const watch: Watch = { view, interrupt, storage, after: 0 };
  try {
    const ended = await untilEnded(context, link, run.runId, watch);
    if (!ended) {
      storage.end();
      view.end();
      return await detach(context, link, run.runId);
    }
    if (link.embedded) await childrenEnded(link, run.runId, watch);
    check?.hurry();
    await told;
    storage.end();
    view.end();
    const detail = withExcerpt(await link.client.runDetail(run.runId), script);
    const exitCode = printOutcome(context, detail);
    if (link.embedded) await sayUnfinished(context, link, detail.run);
    return interrupt.signal.aborted ? EXIT.interrupted : exitCode;
  } finally {
    storage.end();
    view.end();
  }
}

/** The phases that a workflow says it means to go through. */
async function declaredPhases({ client }: Link, run: RunRecord, script: string | undefined): Promise<string[]> {
  const known =
    script === undefined ? (await client.runDetail(run.runId)).workflow : readWorkflow(script, run.name)?.meta;
  return known?.phases.map(({ title }) => title) ?? [];
}

/** The document of `run --json` and `resume --json`, or the result alone on stdout with the rest on stderr. */
export function printOutcome(context: Context, detail: RunDetail): number {
  const { io } = context;
  const { run, census } = detail;
  io.whenLost = `The run is kept; read its result with \`quickswarm show ${run.runId} --json\`.`;
  if (context.json) {
    io.out.line(jsonText({ run, census, ...(run.error && { error: run.error }) }));
    return runExitCode(run);
  }
  if (run.state === "done") io.out.line(jsonText(run.result));
  else if (run.error) io.err.line(faultText(run.error, io.err.paint));
  io.err.line(closingText(detail, io.err.paint));
  return runExitCode(run);
}

/** What else this process's gateway has begun is parked when it closes; nobody should have to find that out. */
async function sayUnfinished({ io }: Context, { client }: Link, { runId, children }: RunRecord): Promise<void> {
  const live = liveOf(children);
  if (live > 0) {
    io.err.line(`${plural(live, "child is", "children are")} parked; go on with \`quickswarm resume ${runId}\``);
  }
  const [running, waiting] = await Promise.all([client.runs({ state: "running" }), client.runs({ state: "waiting" })]);
  const count = running.rows.length + waiting.rows.length;
  if (count === 0) return;
  const more = running.next === undefined && waiting.next === undefined ? "" : "more than ";
  io.err.line(
    `${more}${plural(count, "other run is", "other runs are")} not finished; \`quickswarm gateway\` goes on with them`,
  );
}

function withExcerpt(detail: RunDetail, script: string | undefined): RunDetail {
  const { error } = detail.run;
  const { line, column = 1, excerpt } = error?.place ?? {};
  if (!error || line === undefined || excerpt !== undefined || script === undefined) return detail;
  const shown = excerptAt(script, line, column);
  if (shown === undefined) return detail;
  return { ...detail, run: { ...detail.run, error: { ...error, place: { ...error.place, excerpt: shown } } } };
}

interface Watch {
  view: ProgressView;
  interrupt: Interrupt;
  storage: StorageWatch;
  /** The last event that was shown; a stream goes on behind it. */
  after: number;
}

/** True when the run has ended, false when the person interrupted. */
async function untilEnded(context: Context, link: Link, runId: string, watch: Watch): Promise<boolean> {
  const { interrupt, view } = watch;
  const take = (event: SwarmEvent): void => {
    watch.after = event.seq;
    watch.storage.heard();
    view.event(event);
  };
  const staying = { clock: context.clock, link, signal: interrupt.signal, say: (line: string) => view.say(line) };
  try {
    await overRestarts(staying, () =>
      eventsUntilEnd(context, link, { runId, after: watch.after }, interrupt.signal, take),
    );
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
  }
  return !interrupt.signal.aborted;
}

/**
 * Children that the script did not await go on when their run has ended; they would be parked when this
 * process's own gateway closes, so it stays open for them. Ctrl-C ends the wait.
 */
async function childrenEnded({ client }: Link, runId: string, watch: Watch): Promise<void> {
  const { view, after } = watch;
  const { signal } = watch.interrupt;
  const live = async (): Promise<number> => liveOf((await client.run(runId)).children);
  const count = await live();
  if (count === 0 || signal.aborted) return;
  view.say(
    `waiting for ${plural(count, "child", "children")} that the script did not await; Ctrl-C leaves ${count === 1 ? "it" : "them"} parked`,
  );
  try {
    for await (const event of client.events({ runId, after, signal })) {
      watch.storage.heard();
      view.event(event);
      if (event.type === "child.ended" && (await live()) === 0) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function eventsUntilEnd(
  { clock }: Context,
  { client }: Link,
  from: { runId: string; after: number },
  interrupted: AbortSignal,
  take: (event: SwarmEvent) => void,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([interrupted, stop.signal]);
  const ended = client.runEnded(from.runId, signal);
  let late: { cancel(): void } | undefined;
  const guard = ended.then(
    () => {
      late = clock.setTimer(LAST_EVENTS_WAIT_MS, () => stop.abort());
    },
    () => {},
  );
  try {
    for await (const event of client.events({ ...from, signal })) {
      take(event);
      if (event.type === "run.ended" && event.runId === from.runId) break;
    }
    if (!interrupted.aborted) await ended;
  } finally {
    stop.abort();
    await guard;
    late?.cancel();
  }
}

async function detach(context: Context, link: Link, runId: string): Promise<number> {
  const { io } = context;
  const embedded = link.embedded;
  // Closing first: the message is true only when the run is parked.
  await link.close();
  const what = embedded
    ? `detached: ${runId} is parked; go on with \`quickswarm resume ${runId}\``
    : `detached: ${runId} goes on in the gateway; look at it with \`quickswarm logs -f ${runId}\``;
  if (context.json) io.out.line(jsonText({ runId, detached: true, parked: embedded }));
  io.err.line(what);
  return EXIT.interrupted;
}
