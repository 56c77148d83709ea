// How states, counts and children are shown everywhere (S-018, D-010).

import type { Census, ChildCounts, ChildRecord, ChildStatus, RunRecord, RunState } from "../contract/records.ts";
import { duration, oneLine, plural } from "./format.ts";
import type { Output, Paint } from "./io.ts";
import { type Column, table } from "./table.ts";

export function paintState(paint: Paint, state: RunState | ChildStatus | string): string {
  if (state === "done" || state === "approved") return paint.green(state);
  if (state === "failed" || state === "timeout" || state === "quarantined" || state === "rejected")
    return paint.red(state);
  if (state === "killed") return paint.magenta(state);
  if (state === "running" || state === "pending" || state.includes("approval")) return paint.yellow(state);
  return paint.dim(state);
}

/** `waiting, 1 approval`: what waits for a person says so. */
export function stateText({ state, pendingApprovals = 0 }: RunRecord): string {
  return pendingApprovals === 0 ? state : `${state}, ${plural(pendingApprovals, "approval", "approvals")}`;
}

const COUNT_ORDER = ["done", "running", "queued", "failed", "timeout", "killed"] as const;

/** `8 done, 1 failed`; `none` when all are zero. */
export function countsText(counts: ChildCounts): string {
  const parts = COUNT_ORDER.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

export function totalOf(counts: ChildCounts): number {
  return COUNT_ORDER.reduce((sum, name) => sum + counts[name], 0);
}

/** Children that have not ended. */
export function liveOf({ running, queued }: ChildCounts): number {
  return running + queued;
}

/** `12 children: 10 done, 1 without a valid answer, 1 still running`; `counts` tells of those that have not ended. */
export function censusText(census: Census, counts: ChildCounts): string {
  const ended = census.done + census.failed + census.killed + census.timeout + census.schema + (census.budget ?? 0);
  const total = ended + liveOf(counts);
  if (total === 0) return "no children";
  const parts = ended === 0 ? [] : [`${census.done} done`];
  if (census.reused) parts.push(`${census.reused} of them reused`);
  if (census.failed > 0) parts.push(`${census.failed} failed`);
  if (census.schema > 0) parts.push(`${census.schema} without a valid answer`);
  if (census.budget) parts.push(`${census.budget} cut by a budget`);
  if (census.timeout > 0) parts.push(`${census.timeout} timed out`);
  if (census.killed > 0) parts.push(`${census.killed} killed`);
  if (counts.running > 0) parts.push(`${counts.running} still running`);
  if (counts.queued > 0) parts.push(`${counts.queued} still queued`);
  return `${plural(total, "child", "children")}: ${parts.join(", ")}`;
}

/** The children's table of S-018: label, status, model, phase, tokens, cost, elapsed. */
export function childrenTable(output: Output, children: ChildRecord[], now: number): Promise<string> {
  const columns: Column[] = [
    { head: "LABEL", shrinks: true },
    { head: "STATUS", paint: (text) => paintState(output.paint, text) },
    { head: "MODEL" },
    { head: "PHASE" },
    { head: "TOKENS", align: "right" },
    { head: "COST", align: "right" },
    { head: "ELAPSED", align: "right" },
    { head: "ID" },
  ];
  return table(
    output,
    columns,
    children.map((child) => childRow(child, now)),
  );
}

function childRow(child: ChildRecord, now: number): string[] {
  const tokens = child.usage ? `${child.usage.inputTokens}+${child.usage.outputTokens}` : "-";
  const elapsed = child.startedAt === undefined ? "-" : duration((child.endedAt ?? now) - child.startedAt);
  return [
    child.label ?? oneLine(child.prompt, 40),
    child.status,
    child.model,
    child.phase ?? "-",
    tokens,
    child.costUsd === undefined ? "-" : `$${child.costUsd.toFixed(4)}`,
    child.reusedFrom !== undefined ? "reused" : child.attempts > 1 ? `${elapsed} (attempt ${child.attempts})` : elapsed,
    child.runId,
  ];
}

/** `✗ reader-2 failed: the reason`, one for each child that did not succeed. */
export function problemLines(census: Census, paint: Paint, linesMax: number): string[] {
  const shown = census.problems.slice(0, linesMax).map((problem) => {
    const name = oneLine(problem.label ?? problem.runId, 60);
    return `  ${paint.red("✗")} ${name} ${paintState(paint, problem.status)}: ${oneLine(problem.reason, 300)}`;
  });
  const rest = census.problems.length - shown.length;
  return rest > 0 ? [...shown, `  … and ${rest} more`] : shown;
}
