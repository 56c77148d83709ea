// `quickswarm show RUN --history` and `--at TURN`: the kept turns of a run, and the run as it was after one of
// them.

import { EXIT } from "../../contract/fault-table.ts";
import type { PastCall, PointDetail, RunHistory } from "../../contract/history.ts";
import type { Context } from "../context.ts";
import { expectRunId } from "../expect-run.ts";
import { duration, jsonText, moment, oneLine, plural } from "../format.ts";
import type { Output } from "../io.ts";
import { openLink } from "../link.ts";
import { childrenTable, paintState } from "../states.ts";
import { table } from "../table.ts";
import { pendingText, section } from "./show.ts";

const CHILDREN_SHOWN_MAX = 50;
const PENDING_SHOWN_MAX = 50;
const ANSWER_CHARS_SHOWN_MAX = 100;

/** @param at the turn, or undefined for the list of kept turns */
export async function historyCommand(context: Context, runId: string, at: number | undefined): Promise<number> {
  expectRunId(runId);
  const { io, json } = context;
  const link = await openLink(context, "look");
  try {
    if (at === undefined) {
      const history = await link.client.history(runId);
      if (json) io.out.line(jsonText(history));
      else await printHistory(context, history);
    } else {
      const detail = await link.client.pointDetail(runId, at);
      if (json) io.out.line(jsonText(detail));
      else await printPoint(io.out, detail);
    }
    return EXIT.ok;
  } finally {
    await link.close();
  }
}

async function printHistory({ io }: Context, { run, points }: RunHistory): Promise<void> {
  if (points.length === 0) {
    io.err.line("No turn of this run is kept. Keep the last 20 of the next one: quickswarm run FILE --keep-history 20");
    return;
  }
  const columns = [
    { head: "TURN", align: "right" as const },
    { head: "AT" },
    { head: "AFTER", align: "right" as const },
    { head: "PHASE", shrinks: true },
    { head: "WAITS FOR", align: "right" as const },
  ];
  const cells = points.map((point) => [
    String(point.turn),
    moment(point.at),
    duration(point.at - run.createdAt),
    point.phase ?? "-",
    plural(point.pendingCalls, "call"),
  ]);
  io.out.line(await table(io.out, columns, cells));
}

async function printPoint(out: Output, { run, point, pending, children }: PointDetail): Promise<void> {
  const { paint } = out;
  out.line(`${paint.bold(oneLine(run.name))}  ${run.runId}, as it was after turn ${point.turn}`);
  out.line(`at        ${moment(point.at)}, ${duration(point.at - run.createdAt)} after its start`);
  if (point.phase !== undefined) out.line(`phase     ${oneLine(point.phase)}`);
  out.line(`now       ${paintState(paint, run.state)}, turn ${run.turn}`);
  if (children.length > 0) {
    out.line();
    out.line(await childrenTable(out, children.slice(0, CHILDREN_SHOWN_MAX), point.at));
    if (children.length > CHILDREN_SHOWN_MAX) out.line(`… and ${children.length - CHILDREN_SHOWN_MAX} more`);
  }
  const lines = pending.slice(0, PENDING_SHOWN_MAX).map((call) => `  ${callText(call, point.at)}`);
  if (pending.length > PENDING_SHOWN_MAX) lines.push(`  … and ${pending.length - PENDING_SHOWN_MAX} more`);
  if (lines.length > 0) section(out, "waited at", lines);
}

function callText(call: PastCall, at: number): string {
  return `call ${call.callId}: ${pendingText(call, at)}\n    ${answerText(call.answer)}`;
}

function answerText(answer: PastCall["answer"]): string {
  if (!answer) return "not answered yet";
  const who = answer.turn === undefined ? "no turn has consumed it" : `consumed by turn ${answer.turn}`;
  const what = answer.value === undefined ? "" : ` ${oneLine(jsonText(answer.value, 0), ANSWER_CHARS_SHOWN_MAX)}`;
  return `${answer.ok ? "answered" : "refused"}${what}  (${who})`;
}
