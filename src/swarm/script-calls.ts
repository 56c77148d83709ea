// Calls of tools that scripts make (G-014): run after the commit that holds them (L1), so many of one script at
// once, and settled once (L3). A call that was under way when the process died runs again under the same key,
// (run, call), which is what its tool is told (L2, L12).

import PQueue from "p-queue";
import type { Call, ToolCallArgs } from "../contract/calls.ts";
import { isFault } from "../contract/fault.ts";
import type { ToolAnswer } from "../contract/tools.ts";
import type { Settled } from "../registry/port.ts";
import type { SwarmContext } from "./context.ts";
import { Pause } from "./pause.ts";

const STORAGE_RETRY_MS = 500;
const PAGE_ROWS = 1_000;

export interface ScriptCall {
  callId: number;
  args: ToolCallArgs;
}

export function isToolCall(call: Call): call is Extract<Call, { method: "toolCall" }> {
  return call.method === "toolCall";
}

/** What of one run is under way; nothing is kept of a run without calls (L11). */
interface RunCalls {
  lane: PQueue;
  stop: AbortController;
  open: Set<number>;
}

export class ScriptCalls {
  readonly #context: SwarmContext;
  readonly #onSettled: (runIds: string[]) => void;
  readonly #runs = new Map<string, RunCalls>();
  readonly #work = new Set<Promise<void>>();
  readonly #pause: Pause;
  #closed = false;

  /** @param onSettled wakes runs that have an answer to consume */
  constructor(context: SwarmContext, onSettled: (runIds: string[]) => void) {
    this.#context = context;
    this.#onSettled = onSettled;
    this.#pause = new Pause(context.clock);
  }

  /** Their commit is durable. One that is under way already is left alone. */
  start(runId: string, calls: readonly ScriptCall[], attempt = 1): void {
    if (this.#closed) return;
    for (const call of calls) {
      const run = this.#run(runId);
      if (run.open.has(call.callId)) continue;
      run.open.add(call.callId);
      const work = run.lane
        .add(() => this.#one(runId, call, attempt, run.stop.signal), { signal: run.stop.signal })
        .catch(() => {})
        .finally(() => {
          run.open.delete(call.callId);
          if (run.open.size === 0 && this.#runs.get(runId) === run) this.#runs.delete(runId);
          this.#work.delete(work);
        });
      this.#work.add(work);
    }
  }

  /** runs what was not answered, of all runs that are going on or of one. */
  async recover(only: string | undefined): Promise<void> {
    const { registry } = this.#context;
    let page = await registry.pendingToolCalls(undefined, PAGE_ROWS, only);
    while (page.length > 0) {
      for (const { runId, ...call } of page) this.start(runId, [call], 2);
      page = page.length < PAGE_ROWS ? [] : await registry.pendingToolCalls(page.at(-1)?.place, PAGE_ROWS, only);
    }
  }

  /** The run has ended: nobody hears the answers any more. */
  end(runId: string): void {
    this.#runs.get(runId)?.stop.abort(new DOMException("The run has ended.", "AbortError"));
    this.#runs.delete(runId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#pause.close();
    for (const runId of [...this.#runs.keys()]) this.end(runId);
    await Promise.all(this.#work);
  }

  #run(runId: string): RunCalls {
    const known = this.#runs.get(runId);
    if (known) return known;
    const lane = new PQueue({ concurrency: this.#context.tools.callsPerRunMax });
    const run: RunCalls = { lane, stop: new AbortController(), open: new Set() };
    this.#runs.set(runId, run);
    return run;
  }

  async #one(runId: string, { callId, args }: ScriptCall, attempt: number, signal: AbortSignal): Promise<void> {
    const { tools, registry, failurePoint } = this.#context;
    const { server, tool: name } = args;
    const idempotencyKey = `${runId}:${callId}`;
    const request = { server, name, args: args.args, idempotencyKey, attempt, signal };
    const answer = await tools.call(request).catch((error: unknown) => {
      if (!signal.aborted && !this.#closed) this.#context.log("error", "a tool's call failed", { runId, callId });
      throw error;
    });
    if (signal.aborted) return;
    const payload = answer.ok ? JSON.stringify(answer.value ?? answer.text) : refusedCallPayload(args, answer);
    failurePoint("beforeSettle");
    const settled = await this.#withStorage(() => registry.settleCall({ runId, callId }, { ok: answer.ok, payload }));
    failurePoint("afterSettle");
    if (settled) this.#onSettled(settled.runIds);
  }

  /** Repeats a write until the disk takes it; an answer is never dropped for a full disk. */
  async #withStorage(write: () => Promise<Settled>): Promise<Settled | undefined> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const code = isFault(error) ? error.code : "internal";
        if (this.#closed || (code !== "storage_full" && code !== "storage_io")) return undefined;
        await this.#pause.for(STORAGE_RETRY_MS);
      }
    }
  }
}

type Refusal = Pick<Extract<ToolAnswer, { ok: false }>, "message"> & { code: string };

/** What a script is told about a call that failed: an error with the name "ToolError" and a stable code. */
export function refusedCallPayload({ server, tool }: ToolCallArgs, { code, message }: Refusal): string {
  return JSON.stringify({ name: "ToolError", message, data: { server, tool, code } });
}
