// The last word on a run: how it ended, how long it took, and every child that did not succeed (D-010).

import { EXIT } from "../contract/fault-table.ts";
import type { Json } from "../contract/json.ts";
import type { RunDetail, RunRecord } from "../contract/records.ts";
import { exitCodeOf } from "./failure.ts";
import { duration, oneLine } from "./format.ts";
import type { Paint } from "./io.ts";
import { censusText, liveOf, paintState, problemLines } from "./states.ts";

/** Children named in the closing words; `show` has them all. */
const PROBLEMS_SHOWN_MAX = 10;

/** A run with dead children, or with some that have not ended, never closes as simply "done". */
export function closingText(detail: RunDetail, paint: Paint): string {
  const { run, census } = detail;
  const refusal = run.state === "done" ? refusalOf(run.result) : undefined;
  const dead = census.problems.length;
  const live = liveOf(run.children);
  const head =
    run.state !== "done"
      ? paintState(paint, run.state)
      : refusal !== undefined
        ? paint.yellow("done, the script returned an error")
        : dead > 0
          ? paint.yellow("done, but not every child succeeded")
          : live > 0
            ? paint.yellow("done, but not every child has ended")
            : paint.green("done");
  const lines = [
    `${head} in ${duration((run.endedAt ?? run.createdAt) - run.createdAt)}, ${censusText(census, run.children)}  ${paint.dim(run.runId)}`,
  ];
  if (refusal !== undefined) lines.push(`  the script says: ${oneLine(refusal, 300)}`);
  lines.push(...problemLines(census, paint, PROBLEMS_SHOWN_MAX));
  for (const warning of census.warnings) lines.push(`  ${paint.yellow("warning")}: ${oneLine(warning, 300)}`);
  if (dead > 0) lines.push(`  look at them with \`quickswarm show ${run.runId}\``);
  return lines.join("\n");
}

/** Done is 0; a failure has its fault's code; killed and quarantined have their own (see `--help`). */
export function runExitCode(run: RunRecord): number {
  if (run.state === "done") return EXIT.ok;
  if (run.state === "killed") return EXIT.killed;
  return run.error ? exitCodeOf(run.error.code) : EXIT.failed;
}

/** `return { error: … }` is the script's own refusal and its result (D-013). */
export function refusalOf(result: Json | undefined): string | undefined {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  const { error } = result;
  if (error === undefined || error === null || error === false) return undefined;
  return typeof error === "string" ? error : JSON.stringify(error);
}
