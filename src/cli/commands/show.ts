// `quickswarm show RUN`: everything that is committed about one run (L9): state, phases, children, the
// source line of each call that waits, notes, and the error with its excerpt.

import { EXIT } from "../../contract/fault-table.ts";
import type { ChildCounts, PendingCall, RunDetail } from "../../contract/records.ts";
import type { Context } from "../context.ts";
import { expectRunId } from "../expect-run.ts";
import { faultText } from "../failure.ts";
import { block, duration, jsonText, moment, oneLine, plural } from "../format.ts";
import type { Output } from "../io.ts";
import { openLink } from "../link.ts";
import { spendingText } from "../spending.ts";
import { censusText, childrenTable, countsText, paintState, problemLines, stateText, totalOf } from "../states.ts";

const CHILDREN_SHOWN_MAX = 50;
const NOTES_SHOWN_MAX = 30;
const PENDING_SHOWN_MAX = 20;
const PROBLEMS_SHOWN_MAX = 50;
const NO_COUNTS: ChildCounts = { queued: 0, running: 0, done: 0, failed: 0, killed: 0, timeout: 0 };

export async function showCommand(context: Context, runId: string): Promise<number> {
  expectRunId(runId);
  const link = await openLink(context, "look");
  try {
    const detail = await link.client.runDetail(runId);
    if (context.json) context.io.out.line(jsonText(detail));
    else await print(context.io.out, detail, context.clock.now());
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

async function print(out: Output, detail: RunDetail, now: number): Promise<void> {
  const { run } = detail;
  const { paint } = out;
  const took = duration((run.endedAt ?? now) - run.createdAt);
  out.line(`${paint.bold(oneLine(run.name))}  ${run.runId}`);
  out.line(
    `state     ${paintState(paint, stateText(run))}, turn ${run.turn}${run.phase ? `, phase ${oneLine(run.phase)}` : ""}`,
  );
  out.line(`created   ${moment(run.createdAt)}${run.endedAt ? `, ended ${moment(run.endedAt)}` : ""}, ${took}`);
  if (detail.workflow) out.line(`does      ${oneLine(detail.workflow.description, 200)}`);
  out.line(`model     ${oneLine(run.model)}`);
  out.line(`group     ${oneLine(run.groupId)}`);
  if (run.forkedFrom) out.line(`fork of   ${run.forkedFrom.runId}, after turn ${run.forkedFrom.turn}`);
  if (run.reuse) out.line(`reuses    results of ${run.reuse}`);
  out.line(`children  ${isOver(detail) ? censusText(detail.census, NO_COUNTS) : countsText(run.children)}`);
  const spending = spendingText({
    ...{ spent: run.spent, budget: run.budget, children: totalOf(run.children) },
    seconds: ((run.endedAt ?? now) - run.createdAt) / 1000,
  });
  if (spending !== undefined) out.line(`spent     ${spending}`);
  if (run.archivedAt) out.line(`archived  ${moment(run.archivedAt)}; transcripts and snapshots are gone`);
  printPhases(out, detail);
  if (detail.children.length > 0) {
    out.line();
    out.line(await childrenTable(out, detail.children.slice(0, CHILDREN_SHOWN_MAX), now));
    const rest = detail.children.length - CHILDREN_SHOWN_MAX;
    if (rest > 0) out.line(`… and ${rest} more: quickswarm group ${JSON.stringify(run.groupId)}`);
  }
  const problems = problemLines(detail.census, paint, PROBLEMS_SHOWN_MAX);
  if (problems.length > 0) section(out, "did not succeed", problems);
  const warnings = detail.census.warnings.map((warning) => `  ${oneLine(warning, 300)}`);
  if (warnings.length > 0) section(out, "warnings", warnings);
  printPending(out, detail, now);
  printNotes(out, detail);
  if (run.error) section(out, "error", [faultText(run.error, paint)]);
  if (run.result !== undefined) section(out, "result", [jsonText(run.result)]);
}

function isOver(detail: RunDetail): boolean {
  return detail.children.every((child) => child.endedAt !== undefined);
}

export function section(out: Output, title: string, lines: string[]): void {
  out.line();
  out.line(out.paint.dim(title));
  for (const line of lines) out.line(line);
}

/** Phases that the workflow declared, begun or not, then the others in the order of their first child. */
function printPhases(out: Output, detail: RunDetail): void {
  const declared = detail.workflow?.phases ?? [];
  const phases = new Map<string, ChildCounts>(declared.map(({ title }) => [title, { ...NO_COUNTS }]));
  const details = new Map(declared.map(({ title, detail: text }) => [title, text]));
  for (const child of detail.children) {
    if (child.phase === undefined) continue;
    const counts = phases.get(child.phase) ?? { ...NO_COUNTS };
    counts[child.status] += 1;
    phases.set(child.phase, counts);
  }
  if (phases.size === 0) return;
  section(
    out,
    "phases",
    [...phases].map(([phase, counts]) => {
      const text = details.get(phase);
      const begun = totalOf(counts) > 0 || phase === detail.run.phase || hasBegun(detail, phase);
      return `  ${oneLine(phase, 40)}: ${begun ? countsText(counts) : "not begun"}${text ? `  ${out.paint.dim(oneLine(text, 80))}` : ""}`;
    }),
  );
}

function hasBegun({ notes }: RunDetail, phase: string): boolean {
  return notes.some(({ kind, text }) => kind === "phase" && text === phase);
}

function printPending(out: Output, { pending, run }: RunDetail, now: number): void {
  if (pending.length === 0) return;
  const lines = pending.slice(0, PENDING_SHOWN_MAX).map((call) => `  ${pendingText(call, now)}`);
  if (pending.length > PENDING_SHOWN_MAX) lines.push(`  … and ${pending.length - PENDING_SHOWN_MAX} more`);
  section(out, "waits at", lines);
  const answers = pending.slice(0, PENDING_SHOWN_MAX).flatMap((call) => answerText(call, run.runId) ?? []);
  if (answers.length > 0) section(out, "answer with", answers);
}

export function pendingText(call: PendingCall, now: number): string {
  const place = call.line === undefined ? "an unknown line" : `line ${call.line}`;
  const source = call.sourceLine === undefined ? "" : `  ${oneLine(call.sourceLine, 80)}`;
  const whom = call.children?.length ? `, for ${plural(call.children.length, "child", "children")}` : "";
  const due = call.dueAt === undefined ? "" : `, due in ${duration(call.dueAt - now)}`;
  return `${place}${source}  (${call.method}${whom}${due}, since ${duration(now - call.createdAt)})`;
}

/** How to answer a call that waits for somebody outside. */
function answerText(call: PendingCall, runId: string): string | undefined {
  if (call.event !== undefined) return `  quickswarm event ${runId} ${call.event} JSON`;
  if (call.approvalId === undefined) return undefined;
  return `  quickswarm approve ${call.approvalId} [--reject]  ${oneLine(call.title ?? "", 80)}`;
}

function printNotes(out: Output, detail: RunDetail): void {
  if (detail.notes.length === 0) return;
  const shown = detail.notes.slice(-NOTES_SHOWN_MAX);
  const lines = shown.map((note) => `  ${noteText(note)}`);
  const before = detail.notes.length - shown.length;
  if (before > 0) lines.unshift(`  … ${before} before: quickswarm logs ${detail.run.runId}`);
  section(out, "notes", lines);
}

/** `12:03:04  log    text`; the lines of a long note stand below each other. */
export function noteText(note: RunDetail["notes"][number]): string {
  const mark = note.level === "warn" || note.level === "error" ? `${note.level}: ` : "";
  const [first = "", ...more] = block(note.text).split("\n");
  const head = `${moment(note.at).slice(11, 19)}  ${note.kind.padEnd(7)}  ${mark}${first}`;
  return [head, ...more.map((line) => `                   ${line}`)].join("\n  ");
}
