// A run of a team from its prompt to its result: the strategy, the approval of the final text, its parsing and
// repetition, the totals and the limits. `generate()`, streams, sessions and nested agencies all end here.

import { fault } from "../contract/fault.ts";
import type { Breach } from "./breach.ts";
import { callbacksOf } from "./callbacks.ts";
import type { AgencyResult, GenerateOptions, UsageTotals } from "./config.ts";
import { checkControls, limitError } from "./controls.ts";
import { parseReply, type Reading } from "./json-reply.ts";
import { askAgain, askForJson } from "./output-prompt.ts";
import type { AgencyHost, SeatMessage, SeatUsage } from "./port.ts";
import { Run, type RunContext } from "./run.ts";
import type { Strategy, StrategyResult } from "./strategy.ts";
import type { Team } from "./team.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

export const VALIDATION_RETRIES_DEFAULT = 1;

/** What one agency keeps between its runs. */
export interface Engine {
  team: Team;
  host: AgencyHost;
  strategy: Strategy;
  newRunId(): string;
  /** Shared with its copies. */
  totals: { now: UsageTotals };
}

export interface RunRequest {
  prompt: string;
  options: GenerateOptions;
  emit?: RunContext["emit"];
  /** Aborts when the reader of the stream has left. */
  left?: AbortSignal | undefined;
  parent?: RunContext["parent"];
  history?: readonly SeatMessage[] | undefined;
}

export interface Performed {
  result: AgencyResult<never>;
  isAnswered: boolean;
  durationMs: number;
}

export function newTotals(): Engine["totals"] {
  return { now: { ...NO_USAGE, failed: NO_USAGE } };
}

/** @throws what the strategy failed with; AgencyConfigError for a limit under onLimitReached: 'error' */
export async function perform(engine: Engine, request: RunRequest): Promise<Performed> {
  const { team, host, totals } = engine;
  checkPrompt(request.prompt);
  checkControls(team.controls, { usage: totals.now }, callbacksOf(team.on, host));
  const id = request.parent?.run.id ?? request.options.runId ?? engine.newRunId();
  const run = new Run({ id, host, team, ...request });
  const billAsFailed = (usage: SeatUsage): void => {
    totals.now = { ...totals.now, failed: addUsage(totals.now.failed, usage) };
  };
  let isBilled = false;
  const bill = (): void => {
    totals.now = { ...addUsage(totals.now, run.usage), failed: totals.now.failed };
    isBilled = true;
  };
  const started = host.clock.monotonic();
  run.fire("agentStart", { agent: team.name, input: request.prompt });
  reportGuardrails(run, "input");
  try {
    const { strategyResult, text, parsed } = await attempts(run, engine.strategy, request.prompt);
    const durationMs = host.clock.monotonic() - started;
    reportGuardrails(run, "output");
    run.emit({ type: "final-output", text, ...(parsed === undefined ? {} : { parsed }) });
    run.fire("agentEnd", { agent: team.name, output: text, durationMs });
    run.trail?.record("output", { text });
    // A-026: before a limit is thrown.
    bill();
    const agentCalls = run.records().length;
    if (!run.breach) checkControls(team.controls, { usage: run.usage, durationMs, agentCalls }, run.fire);
    const result = resultOf(run, strategyResult, { text, parsed });
    return { result, isAnswered: strategyResult.isAnswered, durationMs };
  } catch (error) {
    const approval = run.approvalFailure;
    const stopped = team.controls.onLimitReached === "warn" ? undefined : run.breach;
    if (stopped && !isBilled) {
      bill();
      if (team.controls.onLimitReached === "error") throw limitError(stopped);
      return partialOf(run, stopped, host.clock.monotonic() - started);
    }
    // H-024: the strategy did end, so what it used is in the totals.
    if (approval && error === approval.error) bill();
    if (!isBilled) {
      billAsFailed(run.usage);
      run.failed(team.name, error);
    }
    // H-028: a strategy's own failure does not take its place.
    throw approval ? approval.error : error;
  } finally {
    run.end(billAsFailed);
  }
}

/** A-181: nothing is evaluated, and that is said. */
function reportGuardrails(run: Run, stage: "input" | "output"): void {
  const { name: agent, guardrails } = run.team;
  for (const guardrailId of guardrails[stage]) {
    run.fire("guardrailResult", { agent, guardrailId, stage, passed: true, enforced: false, action: "allow" });
  }
}

interface Final {
  text: string;
  parsed: unknown;
}

/** A-149: again while the text does not fit `output` and tries are left. */
async function attempts(run: Run, strategy: Strategy, prompt: string) {
  const { output, controls } = run.team;
  const asked = output ? askForJson(prompt, output) : prompt;
  // A-138: a run that is streamed is never repeated.
  const retries = run.isStream ? 0 : (controls.maxValidationRetries ?? VALIDATION_RETRIES_DEFAULT);
  let current = asked;
  for (let left = retries; ; left -= 1) {
    const strategyResult = await strategy(run, current);
    if (run.signal.aborted) throw run.signal.reason;
    // H-027: nothing is finalized, and nothing repeated.
    if (run.approvalFailure) throw run.approvalFailure.error;
    const approved = await approvedText(run, strategyResult);
    const final = finalOf(run, strategyResult, approved);
    if (!output || final.isFinal || left <= 0) return { strategyResult, text: approved.text, parsed: final.parsed };
    current = askAgain(asked, approved.text);
  }
}

interface Approved {
  text: string;
  /** Whether the approver put another text in its place (A-155). */
  isReplaced: boolean;
}

async function approvedText(run: Run, { text, isAnswered }: StrategyResult): Promise<Approved> {
  if (!run.team.hitl?.approvals?.beforeReturn || !isAnswered) return { text, isReplaced: false };
  const { approved, reason, modifications } = await run.approve(
    {
      type: "output",
      agent: run.team.name,
      action: "return the answer",
      description: "Let the final text be returned.",
      details: { output: text },
    },
    run.place(":return"),
  );
  if (!approved) {
    throw fault("agency_approval", `The final text was not approved${reason ? `: ${reason}` : "."}`, {
      next: "The approver refused the answer; run the agency again, or change what it is asked.",
    });
  }
  const output = modifications?.output;
  return output === undefined || output === text ? { text, isReplaced: false } : { text: output, isReplaced: true };
}

function finalOf(run: Run, result: StrategyResult, { text, isReplaced }: Approved) {
  const { output, name: agency, strategy } = run.team;
  if (!result.isAnswered) run.host.log("info", "agency_no_seat_answered", { agency });
  if (!output) return { parsed: isReplaced ? undefined : result.parsed, isFinal: true };
  const reading: Reading<unknown> = parseReply(text, output);
  if (reading.success) return { parsed: reading.data, isFinal: true };
  // A-154: a retry would throw the approver's text away.
  if (isReplaced) run.host.log("info", "agency_replacement_unparsed", { agency, strategy });
  return { parsed: undefined, isFinal: isReplaced || !result.isAnswered };
}

/** B-004: what there is when a limit stops a run: the last answer of a member, and all records. */
function partialOf(run: Run, stopped: Breach, durationMs: number): Performed {
  const agentCalls = run.records();
  const text = agentCalls.at(-1)?.output ?? "";
  run.emit({ type: "final-output", text });
  const result = { ...resultOf(run, { text, isAnswered: text !== "" }, { text, parsed: undefined }), stopped };
  return { result, isAnswered: agentCalls.length > 0, durationMs };
}

function resultOf(run: Run, { provider, model }: StrategyResult, { text, parsed }: Final): AgencyResult<never> {
  return {
    text,
    usage: run.usage,
    agentCalls: run.records(),
    ...(run.isStream || provider === undefined ? {} : { provider }),
    ...(run.isStream || model === undefined ? {} : { model }),
    ...(parsed === undefined ? {} : { parsed: parsed as never }),
    ...(run.trail ? { provenanceTrail: run.trail.entries() } : {}),
  };
}

function checkPrompt(prompt: unknown): void {
  if (typeof prompt === "string" && prompt.trim() !== "") return;
  const got = typeof prompt === "string" ? "an empty one" : `a ${prompt === null ? "null" : typeof prompt}`;
  throw fault("option_type", `prompt: expected a text, got ${got}`);
}
