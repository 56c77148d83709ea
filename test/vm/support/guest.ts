// A run as the tests drive it: starts a script, answers its calls, keeps its chain as the registry would.

import { systemClock } from "../../../src/contract/clock.ts";
import { newRunId, type RunId } from "../../../src/contract/ids.ts";
import type { SnapshotBlob } from "../../../src/contract/snapshot.ts";
import { openVmPool } from "../../../src/vm/pool.ts";
import type { Delivery, GuestMessage, SliceLimits, SliceReport, VmPool, VmPoolOptions } from "../../../src/vm/port.ts";
import { CONTROLLER, FROM_GUEST, TO_GUEST } from "./controller.ts";

export const MAC_KEY = new Uint8Array(32).fill(7);

export const LIMITS: SliceLimits = {
  timeoutMs: 10_000,
  memoryLimitBytes: 64 * 1024 * 1024,
  maxOutputBytes: 1024 * 1024,
  maxMessages: 20_000,
  maxSnapshotBytes: 10 * 1024 * 1024,
};

/** Fuel of tests whose script must be stopped: it does not depend on the machine's speed. */
export const LITTLE_FUEL = 50;

export function openTestPool(options: Partial<VmPoolOptions> = {}): Promise<VmPool> {
  return openVmPool({
    controller: CONTROLLER,
    reseedOp: TO_GUEST.reseed,
    finalOps: [FROM_GUEST.result, FROM_GUEST.failure],
    macKey: MAC_KEY,
    workerCount: 1,
    hotVmsMax: 16,
    image: async () => undefined,
    clock: systemClock,
    ...options,
  });
}

/** A script's text as `compile` would make it. */
export function wrapped(script: string): string {
  return `(async () => {${script}\n})`;
}

export class TestRun {
  readonly runId: RunId;
  readonly pool: VmPool;
  limits: SliceLimits = LIMITS;
  turn = 0;
  chain: SnapshotBlob[] = [];
  /** Calls that have no answer yet. */
  calls: GuestMessage[] = [];
  /** The script's value as JSON, or what it threw. */
  result: string | undefined;
  failure: { text: string; stack: string } | undefined;
  #nowMs = 1_800_000_000_000;

  constructor(pool: VmPool, runId: RunId = newRunId()) {
    this.pool = pool;
    this.runId = runId;
  }

  /** @param script a script's text, unwrapped */
  start(script: string): Promise<SliceReport> {
    return this.deliver({ op: TO_GUEST.start, id: 0, a: wrapped(script), b: "" });
  }

  fulfil(call: GuestMessage | undefined, value: unknown): Promise<SliceReport> {
    if (!call) throw new RangeError("the script made no such call");
    return this.deliver({ op: TO_GUEST.fulfil, id: call.id, a: JSON.stringify(value) ?? "", b: "" });
  }

  reject(call: GuestMessage | undefined, message: string): Promise<SliceReport> {
    if (!call) throw new RangeError("the script made no such call");
    return this.deliver({ op: TO_GUEST.reject, id: call.id, a: message, b: "" });
  }

  async deliver(...deliveries: Delivery[]): Promise<SliceReport> {
    const turn = this.turn + 1;
    const { runId, limits } = this;
    this.#nowMs += 1_000;
    const chain = async () => this.chain;
    const report = await this.pool.slice({ runId, turn, deliveries, chain, limits, nowMs: this.#nowMs });
    this.turn = turn;
    this.#keep(report, deliveries);
    return report;
  }

  /** Another run that goes on from where this one is. The pool sees the same run, restored. */
  forget(): void {
    this.pool.evict(this.runId);
  }

  #keep(report: SliceReport, deliveries: Delivery[]): void {
    if (report.snapshot) {
      this.chain = [...(report.snapshot.parentTurn === null ? [] : this.chain), report.snapshot];
    }
    this.calls = this.calls.filter((call) => !deliveries.some(({ op, id }) => op < TO_GUEST.start && id === call.id));
    for (const message of report.messages) {
      if (message.op === FROM_GUEST.call) this.calls.push(message);
      else if (message.op === FROM_GUEST.result) this.result = message.json;
      else this.failure = { text: message.method, stack: message.json };
    }
  }
}
