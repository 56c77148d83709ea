// What the registry's contract is tested with: runs, turns, children and calls with sensible values,
// and a driver that commits the turns of one run as swarm does.

import { onTestFinished } from "vitest";
import type { ApproveArgs, Call, ChildOptions, ToolCallArgs } from "../../../src/contract/calls.ts";
import { approvalIdOf, childIdOf } from "../../../src/contract/ids.ts";
import type { Json } from "../../../src/contract/json.ts";
import type {
  ChildCompletion,
  DetachedSpawn,
  NewChild,
  NewRun,
  Registry,
  RunOutcome,
  TurnCommit,
  TurnCommitted,
  UndeliveredAnswer,
} from "../../../src/registry/port.ts";
import type { Viewer } from "../../../src/registry/readers-port.ts";

/** Any moment; tests add to it. */
export const AT = 1_800_000_000_000;
export const OWNER: Viewer = { sessionKey: "owner", all: false };
export const STRANGER: Viewer = { sessionKey: "stranger", all: false };
export const OPERATOR: Viewer = { sessionKey: "operator", all: true };
export const ROOMY = { maxChildrenPerGroup: 1_000, maxTotalPerGroup: 10_000 };
export const PAGE = { limit: 100 };

/** One store under test; `restart` ends it as a clean stop does and opens it on what was kept. */
export interface Store {
  readonly registry: Registry;
  restart(): Promise<Registry>;
}

/** Opens an empty store; the suite ends it. */
export type OpenStore = () => Promise<Store>;

export function runIdOf(number: number): string {
  return `run_${number.toString(16).padStart(32, "0")}`;
}

export function newRun(number: number, over: Partial<NewRun> = {}): NewRun {
  const runId = runIdOf(number);
  return {
    runId,
    sessionKey: OWNER.sessionKey,
    parentSessionKey: null,
    groupId: `swarm:owner:${runId}`,
    name: "script.js",
    language: "js",
    fileName: "script.js",
    sourceText: "await agents.run('x');",
    code: "(async () => { await agents.run('x'); })()",
    args: undefined,
    model: "offline:echo",
    agentId: undefined,
    idempotencyKey: undefined,
    limits: "{}",
    at: AT,
    ...over,
  };
}

export function detached(childId: string, over: Partial<NewChild> = {}): DetachedSpawn {
  return {
    child: {
      childId,
      callId: 0,
      agentId: undefined,
      model: "offline:echo",
      prompt: "do it",
      options: {},
      groupId: "detached",
      sessionKey: OWNER.sessionKey,
      depth: 1,
      admitted: false,
      deadlineAt: null,
      ...over,
    },
    parentRunId: null,
    groupLimits: ROOMY,
    idempotencyKey: undefined,
    at: AT,
  };
}

export function detachedIdOf(number: number): string {
  return `agt_${number.toString(16).padStart(32, "0")}_0`;
}

/** A child that ended well, unless `over` says otherwise. */
export function ended(childId: string, over: Partial<ChildCompletion> = {}): ChildCompletion {
  return {
    childId,
    attempt: 1,
    status: "done",
    text: "the answer",
    structured: undefined,
    schemaError: undefined,
    error: undefined,
    errorCode: undefined,
    usage: undefined,
    costUsd: undefined,
    at: AT,
    ...over,
  };
}

export interface SpawnOptions {
  options?: ChildOptions;
  admitted?: boolean;
  prompt?: string;
  groupId?: string;
  deadlineAt?: number;
}

/** A run with the turns it commits; call ids are given like the VM's counter does. */
export class RunDriver {
  readonly runId: string;
  turn = 0;
  epoch = 1;
  #registry: Registry;
  #groupId: string;
  #sessionKey: string;
  #nextCall = 1;
  #calls: Call[] = [];
  #children: NewChild[] = [];

  constructor(registry: Registry, run: NewRun) {
    this.#registry = registry;
    this.runId = run.runId;
    this.#groupId = run.groupId;
    this.#sessionKey = run.sessionKey;
  }

  /** The same run in a store that was opened again. */
  goOn(registry: Registry): void {
    this.#registry = registry;
  }

  spawn(more: SpawnOptions = {}): string {
    const callId = this.#nextCall++;
    const childId = childIdOf(this.runId, callId);
    const prompt = more.prompt ?? "do it";
    const options = more.options ?? {};
    this.#calls.push({ callId, method: "agentSpawn", args: { prompt, options }, line: 1, column: 7 });
    this.#children.push({
      childId,
      callId,
      agentId: options.agentId,
      model: "offline:echo",
      prompt,
      options,
      groupId: more.groupId ?? this.#groupId,
      sessionKey: this.#sessionKey,
      depth: 1,
      admitted: more.admitted ?? true,
      deadlineAt: more.deadlineAt ?? null,
    });
    return childId;
  }

  /** `agents.run`: a spawn with its wait. */
  ask(more: SpawnOptions = {}): { childId: string; callId: number } {
    const childId = this.spawn(more);
    return { childId, callId: this.waitOne(childId) };
  }

  waitOne(childId: string): number {
    return this.#call({ method: "agentWait", args: { mode: "one", ids: [childId], timeoutMs: null } });
  }

  waitAny(ids: string[], timeoutMs: number | null = null): number {
    return this.#call({ method: "agentWait", args: { mode: "any", ids, timeoutMs } });
  }

  sleep(milliseconds: number): number {
    return this.#call({ method: "sleep", args: { milliseconds } });
  }

  /** A call that stays pending until somebody outside answers it. */
  callTool(tool: string, args: ToolCallArgs["args"] = {}): number {
    return this.#call({ method: "toolCall", args: { server: "files", tool, args } });
  }

  waitForEvent(name: string, timeoutMs: number | null = null): number {
    return this.#call({ method: "waitForEvent", args: { name, timeoutMs } });
  }

  /** An approval that is asked for; it waits for ever unless `over` says otherwise. */
  approve(title: string, over: Partial<ApproveArgs> = {}): { callId: number; approvalId: string } {
    const callId = this.#call({ method: "approve", args: { title, timeoutMs: null, onTimeout: "reject", ...over } });
    return { callId, approvalId: approvalIdOf(this.runId, callId) };
  }

  /** The script gives one of its waits up. */
  giveUp(callId: number): void {
    this.#call({ method: "waitCancel", args: { callId } });
  }

  /** The script gives back an event that it has no use for. */
  returnEvent(name: string, payload: Json): void {
    this.#call({ method: "eventReturn", args: { name, payload } });
  }

  cancel(id: string): number {
    return this.#call({ method: "agentCancel", args: { id, reason: "not needed" } });
  }

  /** A call number that the test uses by itself, for `settled`. */
  takeCallId(): number {
    return this.#nextCall++;
  }

  /** The turn as it would be committed; `commit` sends it. */
  plan(over: Partial<TurnCommit> = {}): TurnCommit {
    const turn = this.turn + 1;
    return {
      runId: this.runId,
      epoch: this.epoch,
      turn,
      consumed: [],
      calls: this.#calls,
      children: this.#children,
      groupLimits: ROOMY,
      settled: [],
      notes: [],
      notesDropped: 0,
      snapshot: over.outcome ? null : snapshotOf(this.runId, turn, turn === 1 ? null : turn - 1),
      outcome: null,
      at: AT,
      ...over,
    };
  }

  async commit(over: Partial<TurnCommit> = {}): Promise<TurnCommitted> {
    const commit = this.plan(over);
    this.#calls = [];
    this.#children = [];
    const committed = await this.#registry.commitTurn(commit);
    this.turn = commit.turn;
    return committed;
  }

  /** Commits a turn that consumes all that is there. */
  async consume(over: Partial<TurnCommit> = {}): Promise<UndeliveredAnswer[]> {
    const answers = await this.answers();
    const consumed = answers.map(({ callId, settleNumber }) => ({ callId, settleNumber }));
    await this.commit({ consumed, ...over });
    return answers;
  }

  end(outcome: RunOutcome = { state: "done", result: "null" }): Promise<TurnCommitted> {
    return this.commit({ outcome });
  }

  answers(): Promise<UndeliveredAnswer[]> {
    return this.#registry.undelivered(this.runId, 1_000, Number.MAX_SAFE_INTEGER);
  }

  #call(call: DistributiveOmit<Call, "callId">): number {
    const callId = this.#nextCall++;
    this.#calls.push({ ...call, callId, line: 1, column: 7 } as Call);
    return callId;
  }
}

type DistributiveOmit<Union, Key extends keyof Union> = Union extends unknown ? Omit<Union, Key> : never;

export function snapshotOf(
  runId: string,
  turn: number,
  parentTurn: number | null,
): NonNullable<TurnCommit["snapshot"]> {
  return { runId, turn, parentTurn, imageHash: "image", bytes: Buffer.from(`snapshot ${turn}`) };
}

export async function startRun(registry: Registry, number = 1, over: Partial<NewRun> = {}): Promise<RunDriver> {
  const run = newRun(number, over);
  await registry.createRun(run);
  return new RunDriver(registry, run);
}

/** The code of the fault that `work` rejects with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
  return "no fault";
}

/** Ends the store when the test ends. */
export function endsWithTest(store: Store): Store {
  onTestFinished(() => store.registry.close());
  return store;
}
