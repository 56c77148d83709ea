// What a run's events have said so far, by phase, and how that looks: one frame for a terminal that is
// drawn again and again, or one plain line for each event elsewhere (I-003).

import type { SwarmEvent } from "../contract/events.ts";
import type { ChildCounts, ChildStatus } from "../contract/records.ts";
import { duration, oneLine } from "./format.ts";
import type { Paint } from "./io.ts";
import { countsText, totalOf } from "./states.ts";

interface ChildSeen {
  name: string;
  phase: string;
  status: ChildStatus;
}

export interface Progress {
  title: string;
  /** In the order in which they first appeared. */
  phases: Map<string, ChildCounts>;
  children: Map<string, ChildSeen>;
  /** Titles of those that wait for a person, by their ids. */
  approvals: Map<string, string>;
  /** The last few notes and failures, oldest first. */
  recent: string[];
}

/** Children that name no phase are counted here. */
const NO_PHASE = "";
const APPROVALS_SHOWN_MAX = 5;
const RECENT_COUNT_MAX = 5;
const PHASES_SHOWN_MAX = 15;
const DOTS_MAX = 30;
const NAME_CHARS_MAX = 60;
const LINE_CHARS_MAX = 500;

/** @param declared phases that the run means to go through; they stand there before they begin (D-001) */
export function newProgress(title: string, declared: readonly string[] = []): Progress {
  const phases = new Map(declared.map((phase) => [phase, noCounts()]));
  return { title, phases, children: new Map(), approvals: new Map(), recent: [] };
}

/** Takes one event in; the answer is its plain line, or undefined when it has none. Repeated events change nothing. */
export function applyEvent(progress: Progress, event: SwarmEvent): string | undefined {
  switch (event.type) {
    case "run.resumed":
      return remember(progress, entry("resumed", `after turn ${event.turn}`));
    case "run.note":
      return note(progress, event);
    case "child.spawned": {
      const child = seen(progress, event.childId, event.phase);
      child.name = oneLine(event.label ?? event.childId, NAME_CHARS_MAX);
      return undefined;
    }
    case "child.started":
      move(progress, seen(progress, event.childId, undefined), "running");
      return undefined;
    case "child.ended":
      return childEnded(progress, event);
    case "approval.requested":
      progress.approvals.set(event.approvalId, oneLine(event.title, NAME_CHARS_MAX));
      return entry("asks", `${oneLine(event.title, LINE_CHARS_MAX)}; ${howToAnswer(event.approvalId)}`);
    case "approval.decided":
      progress.approvals.delete(event.approvalId);
      return remember(progress, entry(event.state, decidedText(event)));
    default:
      return undefined;
  }
}

/** The frame for a terminal of `columns` characters. */
export function frame(progress: Progress, elapsedMs: number, columns: number, paint: Paint): string {
  const lines = [`${paint.bold(oneLine(progress.title, columns - 10))}  ${paint.dim(duration(elapsedMs))}`];
  const phases = [...progress.phases];
  const width = Math.min(24, Math.max(6, ...phases.map(([phase]) => phaseName(phase).length)));
  for (const [phase, counts] of phases.slice(-PHASES_SHOWN_MAX)) {
    const total = totalOf(counts);
    const text = total === 0 ? "" : `${dots(counts, paint)} ${countsText(counts)}`;
    lines.push(`  ${phaseName(phase).slice(0, width).padEnd(width)}  ${text}`);
  }
  for (const [approvalId, title] of [...progress.approvals].slice(0, APPROVALS_SHOWN_MAX)) {
    lines.push(
      `  ${paint.yellow(oneLine(`waits for an answer: ${title}`, columns - 4))}`,
      `    quickswarm approve ${approvalId}`,
    );
  }
  for (const line of progress.recent) lines.push(paint.dim(`  ${oneLine(line, columns - 4)}`));
  return lines.join("\n");
}

/** The line for a time in which nothing is printed. */
export function stillRunning(progress: Progress): string {
  const counts = { running: 0, queued: 0 };
  for (const { status } of progress.children.values()) {
    if (status === "running" || status === "queued") counts[status] += 1;
  }
  const asked = progress.approvals.size;
  if (counts.running + counts.queued + asked === 0) {
    return "still running: no child is at work; the script computes, sleeps or waits for something outside";
  }
  const waits = asked === 0 ? "" : `, ${asked === 1 ? "an approval waits" : `${asked} approvals wait`} for an answer`;
  return `still running: ${counts.running} running, ${counts.queued} queued${waits}`;
}

function howToAnswer(approvalId: string): string {
  return `answer with \`quickswarm approve ${approvalId}\`, or with --reject`;
}

function decidedText(event: Extract<SwarmEvent, { type: "approval.decided" }>): string {
  const by = event.by === undefined ? "" : ` by ${oneLine(event.by, NAME_CHARS_MAX)}`;
  const comment = event.comment === undefined ? "" : `: ${oneLine(event.comment, LINE_CHARS_MAX)}`;
  return `${oneLine(event.title, NAME_CHARS_MAX)}${by}${comment}`;
}

function note(progress: Progress, event: Extract<SwarmEvent, { type: "run.note" }>): string {
  const text = oneLine(event.text, LINE_CHARS_MAX);
  if (event.kind === "phase") {
    countsOf(progress, text);
    return entry("phase", text);
  }
  const mark = event.level === "error" || event.level === "warn" ? `${event.level}: ` : "";
  return remember(progress, entry(event.kind, `${mark}${text}`));
}

function childEnded(progress: Progress, event: Extract<SwarmEvent, { type: "child.ended" }>): string | undefined {
  const child = seen(progress, event.childId, undefined);
  if (child.status === event.status) return undefined;
  move(progress, child, event.status);
  const phase = child.phase === NO_PHASE ? "" : ` [${child.phase}]`;
  if (event.status === "done") return entry("done", `${child.name}${phase}`);
  const reason = event.error === undefined ? "" : `: ${oneLine(event.error, LINE_CHARS_MAX)}`;
  return remember(progress, entry(event.status, `${child.name}${phase}${reason}`));
}

/** `log      text`: what it is about stands in a column of its own. */
export function entry(word: string, text: string): string {
  return `${word.padEnd(8)} ${text}`;
}

function remember(progress: Progress, line: string): string {
  progress.recent = [...progress.recent, line].slice(-RECENT_COUNT_MAX);
  return line;
}

function seen(progress: Progress, childId: string, phase: string | undefined): ChildSeen {
  const known = progress.children.get(childId);
  if (known) return known;
  const child: ChildSeen = { name: childId, phase: oneLine(phase ?? NO_PHASE, NAME_CHARS_MAX), status: "queued" };
  progress.children.set(childId, child);
  countsOf(progress, child.phase).queued += 1;
  return child;
}

function move(progress: Progress, child: ChildSeen, status: ChildStatus): void {
  const counts = countsOf(progress, child.phase);
  counts[child.status] -= 1;
  counts[status] += 1;
  child.status = status;
}

function countsOf(progress: Progress, phase: string): ChildCounts {
  let counts = progress.phases.get(phase);
  if (!counts) {
    counts = noCounts();
    progress.phases.set(phase, counts);
  }
  return counts;
}

function phaseName(phase: string): string {
  return phase === NO_PHASE ? "agents" : phase;
}

/** One dot for each child, or for each share of them when there are many. */
function dots(counts: ChildCounts, paint: Paint): string {
  const total = totalOf(counts);
  const scale = Math.min(1, DOTS_MAX / total);
  const many = (count: number): number => (count === 0 ? 0 : Math.max(1, Math.round(count * scale)));
  const bad = counts.failed + counts.timeout + counts.killed;
  return [
    paint.green("●".repeat(many(counts.done))),
    paint.red("✗".repeat(many(bad))),
    paint.yellow("◐".repeat(many(counts.running))),
    paint.dim("○".repeat(many(counts.queued))),
  ].join("");
}

function noCounts(): ChildCounts {
  return { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };
}
