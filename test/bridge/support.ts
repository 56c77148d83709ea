// A guest host and runs in it, driven by hand: a test starts a script, looks at what it asked for, and
// answers. Snapshots are kept as the registry keeps them, so that any turn can go on after an eviction.

import { openGuestHost } from "../../src/bridge/host.ts";
import type {
  Answer,
  GuestBudget,
  GuestHost,
  GuestToolServer,
  GuestTurnReport,
  GuestTurnRequest,
} from "../../src/bridge/port.ts";
import type { Call, CallMethod } from "../../src/contract/calls.ts";
import { systemClock } from "../../src/contract/clock.ts";
import { newRunId } from "../../src/contract/ids.ts";
import type { DialectLimits } from "../../src/contract/settings.ts";
import type { SnapshotBlob } from "../../src/contract/snapshot.ts";

export const TEST_LIMITS: GuestTurnRequest["limits"] = {
  timeoutMs: 20_000,
  memoryLimitBytes: 64 * 1024 * 1024,
  maxOutputBytes: 64 * 1024,
  maxSnapshotBytes: 10 * 1024 * 1024,
  maxPendingToolCalls: 10_000,
};

export function openTestHost(): Promise<GuestHost> {
  return openGuestHost({
    macKey: new Uint8Array(32).fill(7),
    workerCount: 1,
    hotVmsPerWorker: 8,
    image: async () => undefined,
    clock: systemClock,
  });
}

export interface RunOptions {
  args?: unknown;
  limits?: Partial<GuestTurnRequest["limits"]>;
  language?: "js" | "ts";
  fileName?: string;
  dialect?: DialectLimits;
  budget?: GuestBudget;
  tools?: GuestToolServer[];
}

/** One run of a script. `report` is that of its last turn. */
export class TestRun {
  readonly runId = newRunId();
  readonly host: GuestHost;
  readonly reports: GuestTurnReport[] = [];
  readonly #chain: SnapshotBlob[] = [];
  readonly #limits: GuestTurnRequest["limits"];

  constructor(host: GuestHost, options: RunOptions = {}) {
    this.host = host;
    this.#limits = { ...TEST_LIMITS, ...options.limits };
  }

  get report(): GuestTurnReport {
    const last = this.reports.at(-1);
    if (!last) throw new RangeError("the run has no turn yet");
    return last;
  }

  /** Forgets the VM: the next turn restores it from the snapshots. */
  evict(): void {
    this.host.evict(this.runId);
  }

  async start(text: string, options: RunOptions = {}): Promise<GuestTurnReport> {
    const fileName = options.fileName ?? "script.js";
    const code = await this.host.compile({ text, language: options.language ?? "js", fileName });
    const args = options.args === undefined ? undefined : JSON.stringify(options.args);
    const { dialect, budget, tools } = options;
    return this.#turn({ start: { code, fileName, args, dialect, budget, tools }, answers: [] });
  }

  answer(...answers: Answer[]): Promise<GuestTurnReport> {
    return this.#turn({ answers });
  }

  async #turn(part: Pick<GuestTurnRequest, "start" | "answers">): Promise<GuestTurnReport> {
    const report = await this.host.turn({
      runId: this.runId,
      turn: this.reports.length + 1,
      chain: async () => this.#sinceFull(),
      limits: this.#limits,
      nowMs: systemClock.now(),
      ...part,
    });
    this.reports.push(report);
    if (report.snapshot) this.#chain.push(report.snapshot);
    return report;
  }

  #sinceFull(): SnapshotBlob[] {
    const full = this.#chain.findLastIndex((blob) => blob.parentTurn === null);
    return this.#chain.slice(full);
  }
}

/** What answers a call in `runScript`; undefined leaves it waiting. */
export type Answering = (call: Call) => Answer | undefined;

/** Calls in the order in which the guest made them, answered until the script is over or waits for nothing. */
export async function runScript(
  host: GuestHost,
  text: string,
  answering: Answering = () => undefined,
  options: RunOptions = {},
): Promise<{ run: TestRun; calls: Call[]; notes: string[]; result: unknown; report: GuestTurnReport }> {
  const run = new TestRun(host, options);
  const calls: Call[] = [];
  let report = await run.start(text, options);
  for (;;) {
    calls.push(...report.calls);
    const answers = report.calls.flatMap((call) => answering(call) ?? []);
    if (report.outcome || answers.length === 0) break;
    report = await run.answer(...answers);
  }
  const notes = run.reports.flatMap((each) => each.notes.map((note) => note.text));
  const result = report.outcome?.state === "done" ? JSON.parse(report.outcome.result) : undefined;
  return { run, calls, notes, result, report };
}

export function ok(callId: number, value: unknown, meta?: Answer["meta"]): Answer {
  return { callId, ok: true, value: JSON.stringify(value), meta };
}

export function childError(callId: number, data: { [key: string]: unknown }, message = "the child failed"): Answer {
  return { callId, ok: false, error: { name: "SwarmAgentError", message, data } };
}

/** Answers every wait of a child with `text`, and every sleep. */
export const answerAll =
  (text: unknown): Answering =>
  (call) =>
    call.method === "agentSpawn" ? undefined : ok(call.callId, call.method === "agentWait" ? text : null);

/** The call of a report that has this method; the first, or the one at `index`. */
export function callOf<M extends CallMethod>(calls: Call[], method: M, index = 0): Extract<Call, { method: M }> {
  const found = calls.filter((call): call is Extract<Call, { method: M }> => call.method === method)[index];
  if (!found) throw new RangeError(`there is no ${method} at ${index}: ${JSON.stringify(calls)}`);
  return found;
}

export function resultOf(report: GuestTurnReport): unknown {
  if (report.outcome?.state !== "done") throw new RangeError(`not done: ${JSON.stringify(report.outcome)}`);
  return JSON.parse(report.outcome.result);
}

export function failureOf(report: GuestTurnReport) {
  if (report.outcome?.state !== "failed") throw new RangeError(`not failed: ${JSON.stringify(report.outcome)}`);
  return report.outcome.error;
}
