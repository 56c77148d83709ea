// Starts the host program and speaks with it. A host that has died answers nothing any more: whoever
// waits for it learns how it ended.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SavedWorkflow } from "../../../src/contract/api.ts";
import type { Budget } from "../../../src/contract/budget.ts";
import { systemClock } from "../../../src/contract/clock.ts";
import type { SwarmEvent } from "../../../src/contract/events.ts";
import type { Json } from "../../../src/contract/json.ts";
import type { ChildRecord, RunRecord } from "../../../src/contract/records.ts";

const HOST = fileURLToPath(new URL("host.mjs", import.meta.url));
/** What the children run: made once before all tests. */
const DIST = new URL("../../../dist/", import.meta.url).href;
/** Hang guard: far above what any host needs, so that a defect shows as a failure and not as silence. */
const GUARD_MS = 60_000;

export interface HostConfig {
  dataDir: string;
  ledger: string;
  /** Counts the processes on this data directory, from 1. */
  incarnation: number;
  /** The last event that the supervisor has seen. */
  after: number;
  /** Whether children take their time; else they answer at once. */
  paced: boolean;
  /** Whether children that wait at a gate may go on. */
  gates?: boolean;
  settings?: { [name: string]: Json } | undefined;
  kill?: { point: string; occurrence: number } | undefined;
  plant?: string | undefined;
}

export type Told = { line: number } & (
  | { what: "ready"; pid: number; recovered: { runs: number; children: number } }
  | { what: "refused"; code: string; message: string }
  | { what: "submitted"; key: string; runId: string; created: boolean }
  | { what: "rejected"; key: string; code: string; message: string }
  | { what: "child"; seq: number; runId: string; status: string; result: string }
  | { what: "ended"; seq: number; runId: string; state: string; result?: Json; code?: string }
  | { what: "log"; message: string; fields?: { [name: string]: Json } }
  | { what: "health"; health: { storage: { ok: boolean; reason?: string } } }
  | { what: "resumed"; run: RunRecord }
  | { what: "drained" }
  | { what: "opened" }
  | ({ what: "dump" } & Stored)
);

/** Everything that the registry holds, as its readers show it. */
export interface Stored {
  runs: (RunRecord & { notes: string[] })[];
  children: ChildRecord[];
  events: SwarmEvent[];
}

export type Order =
  | {
      what: "submit";
      key: string;
      script: string;
      args?: Json | undefined;
      workflows?: SavedWorkflow[] | undefined;
      budget?: Budget | undefined;
    }
  | { what: "resume"; runId: string }
  | { what: "drain" | "dump" | "health" | "gates" | "close" };

export interface Death {
  code: number | null;
  signal: string | null;
  stderr: string;
}

export class Host {
  readonly death: Promise<Death>;
  over: Death | undefined;
  readonly #process: ChildProcess;
  readonly #heard: Told[] = [];
  /** The host's own process, which a wrapper started; known when it is ready. */
  #pid: number | undefined;
  #wake: (() => void)[] = [];

  /** @param wrapper a program and its arguments that start the host, such as a tracer */
  constructor(config: HostConfig, onTold: (told: Told) => void, wrapper: string[] = []) {
    const [program = process.execPath, ...args] = [
      ...wrapper,
      process.execPath,
      HOST,
      JSON.stringify({ ...config, dist: DIST }),
    ];
    const stdio: StdioOptions = ["ignore", "ignore", "pipe", "ipc"];
    this.#process = spawn(program, args, { stdio });
    let stderr = "";
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    this.#process.on("message", (told: Told) => {
      if (told.what === "ready") this.#pid = told.pid;
      this.#heard.push(told);
      onTold(told);
      this.#wakeAll();
    });
    // A host that dies while an order is on its way to it.
    this.#process.on("error", () => {});
    this.death = once(this.#process, "close").then(([code, signal]) => {
      this.over = { code, signal, stderr };
      this.#wakeAll();
      return this.over;
    });
  }

  send(order: Order): void {
    if (this.#process.connected) this.#process.send(order, () => {});
  }

  /** The first thing of that kind that it says, or has said; undefined when it dies before. */
  heard<What extends Told["what"]>(what: What, guardMs = GUARD_MS): Promise<(Told & { what: What }) | undefined> {
    return this.#heardFrom(0, what, guardMs);
  }

  /** Sends an order and waits for what it answers. */
  ask<What extends Told["what"]>(
    order: Order,
    what: What,
    guardMs = GUARD_MS,
  ): Promise<(Told & { what: What }) | undefined> {
    const from = this.#heard.length;
    this.send(order);
    return this.#heardFrom(from, what, guardMs);
  }

  async #heardFrom<What extends Told["what"]>(
    from: number,
    what: What,
    guardMs: number,
  ): Promise<(Told & { what: What }) | undefined> {
    let late = false;
    const guard = systemClock.setTimer(guardMs, () => {
      late = true;
      this.#wakeAll();
    });
    try {
      for (let at = from; ; ) {
        for (; at < this.#heard.length; at += 1) {
          const told = this.#heard[at];
          if (told?.what === what) return told as Told & { what: What };
        }
        if (this.over) return undefined;
        if (late) throw new Error(`the host did not say ${what} within ${guardMs} ms`);
        await this.change();
      }
    } finally {
      guard.cancel();
    }
  }

  /** Resolves when it says something more, or dies. */
  change(): Promise<void> {
    return this.over ? Promise.resolve() : new Promise((resolve) => this.#wake.push(resolve));
  }

  /** SIGKILL; resolves when it is gone, with everything that it had said before. */
  async kill(): Promise<Death> {
    if (this.#pid !== undefined && !this.over) process.kill(this.#pid, "SIGKILL");
    else this.#process.kill("SIGKILL");
    return this.death;
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
