// Two places to play a script: in this process, where a restart is close and open, and in a process of
// its own, where it is SIGKILL at a failure point. Both keep their data directory and their clock.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { submitRequestSchema } from "../../../src/contract/api.ts";
import type { SwarmSettings } from "../../../src/contract/settings.ts";
import { openRuntime } from "../../../src/runtime/open.ts";
import { testSettings } from "../../support/settings.ts";
import { tempDir } from "../../support/temp.ts";
import { openStage, type Stage } from "./stage.mjs";

const HOST = fileURLToPath(new URL("stage-host.mjs", import.meta.url));
const DIST = new URL("../../../dist/", import.meta.url).href;
const START_MS = 1_800_000_000_000;

/** Small lanes, so that children queue; room for everything else. */
const SWARM: Partial<SwarmSettings> = {
  maxConcurrent: 3,
  maxChildrenPerGroup: 10_000,
  maxTotalPerGroup: 100_000,
  archiveAfterMinutes: 0,
};

/** The process died while it was asked. */
export class Died extends Error {}

export interface Theatre {
  readonly stage: Stage;
  /** Attempts in the order in which they started, in all processes. */
  readonly started: { childId: string; attempt: number }[];
  /** How often it went on with the same folder. */
  restarts(): number;
  /** Ends what runs, if it runs, and goes on with the same folder at the same time. */
  restart(): Promise<void>;
  /** From now on the process dies at the n-th occurrence of the point; null takes that back. */
  arm(point: string | null, occurrence: number): Promise<void>;
}

export async function openHere(): Promise<Theatre> {
  const settings = testSettings(tempDir(), { swarm: SWARM });
  const started: Theatre["started"] = [];
  const onStart = (childId: string, attempt: number): void => void started.push({ childId, attempt });
  const begin = (now: number): Promise<Stage> =>
    openStage({ openRuntime, submitRequestSchema, settings, now, onStart });
  let stage = await begin(START_MS);
  let restarts = 0;
  onTestFinished(() => stage.close());
  return {
    get stage() {
      return stage;
    },
    started,
    restarts: () => restarts,
    async restart() {
      restarts += 1;
      const now = stage.now();
      await stage.close();
      stage = await begin(now);
    },
    arm: () => Promise.reject(new Error("a process that is shared is not killed")),
  };
}

/** @param plant a defect that is planted there */
export async function openElsewhere(plant?: string): Promise<Theatre> {
  const dataDir = join(tempDir(), "data");
  const started: Theatre["started"] = [];
  const onStart = (start: { childId: string; attempt: number }): void => void started.push(start);
  let restarts = 0;
  let remote = new RemoteStage({ dist: DIST, dataDir, now: START_MS, swarm: SWARM, plant }, onStart);
  onTestFinished(() => remote.end());
  return {
    get stage() {
      return remote;
    },
    started,
    restarts: () => restarts,
    async restart() {
      restarts += 1;
      await remote.end();
      remote = new RemoteStage({ dist: DIST, dataDir, now: remote.now(), swarm: SWARM, plant }, onStart);
    },
    arm: (point, occurrence) => remote.ask("arm", point, occurrence).then(() => {}),
  };
}

interface RemoteAnswer {
  id: number;
  value?: unknown;
  error?: string;
}

class RemoteStage implements Stage {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  readonly #death: Promise<unknown>;
  #now: number;
  #lastId = 0;
  #stderr = "";
  #over = false;

  constructor(
    config: { now: number; [name: string]: unknown },
    onStart: (start: { childId: string; attempt: number }) => void,
  ) {
    this.#now = config.now;
    this.#process = spawn(process.execPath, [HOST, JSON.stringify(config)], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#process.on("error", () => {});
    const ready = new Promise<unknown>((resolve, reject) => this.#waiting.set(0, { resolve, reject }));
    this.#process.on("message", (told: RemoteAnswer | { childId: string; attempt: number }) => {
      if ("childId" in told) onStart(told);
      else this.#answered(told);
    });
    this.#death = once(this.#process, "close").then(([code, signal]) => {
      this.#over = true;
      const error = signal === "SIGKILL" ? new Died() : new Error(`the host ended with ${code}: ${this.#stderr}`);
      for (const { reject } of this.#waiting.values()) reject(error);
    });
    // Orders are sent at once and wait in the channel until the host is ready; a start that fails fails them.
    ready.catch(() => {});
  }

  now(): number {
    return this.#now;
  }

  async close(): Promise<void> {
    await this.ask("close");
    await this.#death;
  }

  submit(script: string): Promise<string> {
    return this.ask("submit", script) as Promise<string>;
  }

  /** Sent; that it was open was seen before. */
  settle(childId: string): boolean {
    this.ask("settle", childId).catch(() => {});
    return true;
  }

  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
    this.ask("moveTo", time).catch(() => {});
  }

  quiet(runId: string): ReturnType<Stage["quiet"]> {
    return this.ask("quiet", runId) as ReturnType<Stage["quiet"]>;
  }

  history(): ReturnType<Stage["history"]> {
    return this.ask("history") as ReturnType<Stage["history"]>;
  }

  /** Rejects with `Died` when the process is killed before it answers. */
  ask(order: string, ...values: unknown[]): Promise<unknown> {
    if (this.#over) return Promise.reject(new Died());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, order, values }, () => {});
    });
  }

  async end(): Promise<void> {
    if (!this.#over) this.#process.kill("SIGKILL");
    await this.#death;
  }

  #answered({ id, value, error }: RemoteAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}
