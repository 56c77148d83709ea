// `quickswarm logs RUN`: the notes that a run has left; with -f every event as it is committed, by SSE (I-002).

import { fault } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import type { Context } from "../context.ts";
import { expectRunId } from "../expect-run.ts";
import { isFinal } from "../follow.ts";
import { jsonText } from "../format.ts";
import { watchInterrupt } from "../interrupt.ts";
import { type Link, openLink } from "../link.ts";
import { applyEvent, entry, newProgress, type Progress } from "../progress.ts";
import { paintState } from "../states.ts";
import { overRestarts } from "../staying.ts";
import { watchStorage } from "../storage-watch.ts";
import { noteText } from "./show.ts";

export async function logsCommand(
  context: Context,
  runId: string,
  options: { follow?: boolean | undefined },
): Promise<number> {
  expectRunId(runId);
  const link = await openLink(context, "look");
  try {
    return options.follow ? await follow(context, link, runId) : await printNotes(context, link, runId);
  } finally {
    await link.close();
  }
}

async function printNotes({ io, json }: Context, { client }: Link, runId: string): Promise<number> {
  const { notes, run } = await client.runDetail(runId);
  if (json) io.out.line(jsonText({ runId, state: run.state, notes }));
  else if (notes.length === 0) io.err.line(`${runId} has left no notes; its state is ${run.state}`);
  else for (const note of notes) io.out.line(noteText(note));
  return EXIT.ok;
}

/** With --json one event a line. Ends with the run, or with Ctrl-C. */
async function follow(context: Context, link: Link, runId: string): Promise<number> {
  const { io, clock } = context;
  const interrupt = watchInterrupt();
  const { signal } = interrupt;
  const say = (line: string): void => io.err.line(line);
  const storage = watchStorage(clock, link, say);
  const seen: Seen = { runId, after: 0, progress: newProgress(runId), heard: () => storage.heard() };
  try {
    const told = await overRestarts({ clock, link, signal, say }, () => printEvents(context, link, seen, signal));
    if (!told) throw noGateway(runId);
    return signal.aborted ? EXIT.interrupted : EXIT.ok;
  } catch (error) {
    if (!signal.aborted) throw error;
    return EXIT.interrupted;
  } finally {
    storage.end();
    interrupt.end();
  }
}

interface Seen {
  runId: string;
  /** The last event that was printed; another gateway goes on behind it. */
  after: number;
  progress: Progress;
  heard: () => void;
}

/** Until the run's end or the signal; false when no gateway is there to work on the run. */
async function printEvents(
  { io, json }: Context,
  { client, embedded }: Link,
  seen: Seen,
  signal: AbortSignal,
): Promise<boolean> {
  const { runId, progress } = seen;
  const run = await client.run(runId);
  if (embedded && !isFinal(run)) return false;
  // The events of an archived run are gone, so its end would never come.
  if (isFinal(run) && run.archivedAt !== undefined) {
    io.err.line(`${runId} is archived; it ended ${run.state}`);
    return true;
  }
  for await (const event of client.events({ runId, after: seen.after, signal })) {
    seen.after = event.seq;
    seen.heard();
    const line = json ? jsonText(event, 0) : applyEvent(progress, event);
    if (line !== undefined) io.out.line(line);
    if (event.type !== "run.ended" || event.runId !== runId) continue;
    if (!json) io.out.line(entry("ended", paintState(io.out.paint, event.state)));
    break;
  }
  return true;
}

function noGateway(runId: string): Error {
  return fault("gateway_unreachable", `no gateway runs, so nothing more happens to ${runId}`, {
    next: `Go on with it by \`quickswarm resume ${runId}\`, or start \`quickswarm gateway\`.`,
  });
}
