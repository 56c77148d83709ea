// What swarm sees of the guest: typed calls out, answers in. The only door (laws L2, L5, L6).

import type { Call, Note } from "../contract/calls.ts";
import type { FaultData } from "../contract/fault.ts";
import type { JsonText } from "../contract/json.ts";
import type { DialectLimits } from "../contract/settings.ts";
import type { ImageBlob, SnapshotBlob } from "../contract/snapshot.ts";

/** The answer to one call. `meta` is what the controller accounts but the script does not see in the value. */
export type Answer =
  | { callId: number; ok: true; value: JsonText; meta?: AnswerMeta | undefined }
  | { callId: number; ok: false; error: GuestErrorData; meta?: AnswerMeta | undefined };

export interface AnswerMeta {
  /** Of this answer's child; what a controller of before the budgets adds up. */
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  /** Of the whole run, as it stands with this answer. */
  run?: GuestSpending | undefined;
}

/** What a script reads in `budget`; null: not limited. */
export interface GuestSpending {
  tokens: number;
  usd: number;
  tokensLeft: number | null;
  usdLeft: number | null;
}

export interface GuestBudget extends GuestSpending {
  tokensTotal: number | null;
  usdTotal: number | null;
}

/** An error as it is rebuilt inside the guest: `name`, `message` and own enumerable data properties (G-004). */
export interface GuestErrorData {
  name: string;
  message: string;
  data: { [key: string]: unknown };
}

export interface Script {
  text: string;
  language: "js" | "ts";
  fileName: string;
  /** A workflow that another one calls (D-005). */
  isNested?: boolean | undefined;
}

/** What a run begins with; only turn 1 carries it. */
export interface GuestStart {
  /** JavaScript from `compile`. */
  code: string;
  fileName: string;
  /** JSON text, or undefined when no args were given (then `args` is undefined). */
  args: JsonText | undefined;
  /** Given for a workflow: it sees `agent`, `parallel`, `pipeline` and `workflow` as well. */
  dialect?: DialectLimits | undefined;
  /** Undefined: no limit, nothing spent. */
  budget?: GuestBudget | undefined;
  /** The servers whose tools it may call, with their declarations where the script may read them (G-014). */
  tools?: GuestToolServer[] | undefined;
}

export interface GuestToolServer {
  name: string;
  declarations?: string | undefined;
}

export interface GuestTurnRequest {
  runId: string;
  turn: number;
  start?: GuestStart | undefined;
  /** In settle order (L4). */
  answers: Answer[];
  chain: () => Promise<SnapshotBlob[]>;
  limits: {
    timeoutMs: number;
    memoryLimitBytes: number;
    /** Most bytes of notes kept from one turn. Calls have bounds of their own (CALL_BYTES_MAX, CALLS_PER_TURN_MAX), and so has the result. */
    maxOutputBytes: number;
    maxSnapshotBytes: number;
    /** Most calls that may wait at the end of a turn; more are the fault `too_many_calls`. */
    maxPendingToolCalls: number;
    maxFuel?: number | undefined;
  };
  nowMs: number;
}

export type GuestOutcome = { state: "done"; result: JsonText } | { state: "failed"; error: FaultData };

export interface GuestTurnReport {
  /** Calls and notes in the order in which the guest made them. */
  calls: Call[];
  /** Calls that the host's schemas refuse; each is answered with the error in the same commit. */
  refused: {
    callId: number;
    method: string;
    error: GuestErrorData;
    line?: number | undefined;
    column?: number | undefined;
  }[];
  notes: Note[];
  /** Notes that were cut away, for the visible truncation mark. */
  notesDropped: number;
  outcome: GuestOutcome | null;
  /** Null exactly when there is an outcome. */
  snapshot: SnapshotBlob | null;
  restored: boolean;
  cpuMs: number;
}

/** A kept state of one run that another run begins with. */
export interface GuestForkRequest {
  /** The new run. */
  runId: string;
  source: { runId: string; turn: number };
  chain: () => Promise<SnapshotBlob[]>;
  limits: GuestTurnRequest["limits"];
  nowMs: number;
}

export interface GuestHost {
  readonly baseImage: ImageBlob;
  /** Throws `script_syntax` with its place, `script_too_large`. */
  compile(script: Script): Promise<string>;
  /** Runs one turn. Throws the Faults of `VmPool.slice`, `too_many_calls` among them; the run is at its last snapshot then. */
  turn(request: GuestTurnRequest): Promise<GuestTurnReport>;
  /**
   * The same state as the first one of another run: a full snapshot after the same turn, with a random stream of
   * its own (G-013). Throws the Faults of `VmPool.slice`, and `snapshot_foreign` when the controller that the run
   * began with cannot be forked.
   */
  fork(request: GuestForkRequest): Promise<SnapshotBlob>;
  evict(runId: string): void;
  interrupt(runId: string): void;
  stats(): { workers: number; hot: number; restores: number; terminated: number };
  close(): Promise<void>;
}
