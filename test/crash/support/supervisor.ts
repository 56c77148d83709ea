// Keeps a host alive on one data directory: starts it again after each death, repeats the submits that
// were not acknowledged, and writes down everything that was.

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "../../support/temp.ts";
import { type Acknowledged, type Violation, violationsOf } from "./checker.ts";
import { Host, type HostConfig, type Stored, type Told } from "./host-process.ts";
import type { Job } from "./jobs.ts";
import { type LedgerLine, readLedger } from "./ledger.ts";

/** As in settings.mjs. */
const CAPS = { group: 3, global: 8 };

export type Start = Partial<Pick<HostConfig, "kill" | "plant" | "settings" | "paced" | "gates">> & {
  wrapper?: string[];
};

export class Supervisor {
  readonly jobs: Job[] = [];
  readonly acknowledged: Acknowledged = { submits: new Map(), children: [], ends: [] };
  /** Runs that were put aside because their resume took the process down too often. */
  quarantines = 0;
  /** Submits that were refused because the disk did not take them, with the fault's code. */
  readonly refusals: { key: string; code: string }[] = [];
  #again: Job[] = [];
  /** Things that a host said went wrong inside, or refused. */
  readonly complaints: string[] = [];
  readonly dataDir: string;
  readonly #ledgerFile: string;
  #incarnation = 0;
  #after = 0;
  host: Host | undefined;

  constructor(place: { dataDir?: string } = {}) {
    const dir = tempDir();
    this.dataDir = place.dataDir ?? join(dir, "data");
    this.#ledgerFile = join(dir, "ledger.jsonl");
    onTestFinished(() => void this.host?.kill());
  }

  get ledger(): LedgerLine[] {
    return readLedger(this.#ledgerFile);
  }

  get incarnations(): number {
    return this.#incarnation;
  }

  /** Starts a host; resolves when it is ready (true) or has died before that (false). */
  async start({ wrapper, ...changes }: Start = {}): Promise<boolean> {
    this.#incarnation += 1;
    const config = {
      dataDir: this.dataDir,
      ledger: this.#ledgerFile,
      incarnation: this.#incarnation,
      after: this.#after,
    };
    this.host = new Host({ paced: true, ...config, ...changes }, (told) => this.#note(told), wrapper);
    return (await this.host.heard("ready")) !== undefined;
  }

  /** Orders all jobs whose submit was not acknowledged, these included. */
  submit(...jobs: Job[]): void {
    this.jobs.push(...jobs);
    this.#again = this.jobs.filter(({ key }) => !this.acknowledged.submits.has(key));
    this.#repeat();
  }

  #repeat(): void {
    for (const { key, script, args, workflows, budget } of this.#again) {
      this.host?.send({ what: "submit", key, script, args, workflows, budget });
    }
    this.#again = [];
  }

  /** Resolves when each submit was acknowledged or refused. */
  async untilAnswered(): Promise<void> {
    const open = ({ key }: Job): boolean =>
      !this.acknowledged.submits.has(key) && !this.#again.some((job) => job.key === key);
    while (!this.host?.over && this.jobs.some(open)) await this.host?.change();
  }

  get unfinished(): number {
    return this.acknowledged.submits.size - this.acknowledged.ends.length;
  }

  /** Lets the host finish everything, and reads what it has stored. Undefined when it dies before. */
  async finish(guardMs?: number): Promise<Stored | undefined> {
    const { host } = this;
    if (!host) return undefined;
    while (!host.over && this.jobs.some(({ key }) => !this.acknowledged.submits.has(key))) {
      this.#repeat();
      await host.change();
    }
    await host.ask({ what: "drain" }, "drained", guardMs).catch((error: Error) => this.complaints.push(error.message));
    return host.ask({ what: "dump" }, "dump");
  }

  /** Resumes what was quarantined, as a person would. */
  async release(): Promise<void> {
    const stored = await this.host?.ask({ what: "dump" }, "dump");
    for (const { runId, state } of stored?.runs ?? []) {
      if (state === "quarantined") await this.host?.ask({ what: "resume", runId }, "resumed");
    }
  }

  check(stored: Stored): Violation[] {
    const { jobs, acknowledged, ledger } = this;
    return violationsOf({ jobs, acknowledged, ledger, stored, caps: CAPS });
  }

  /** Ends the host as a person would. */
  async close(): Promise<void> {
    this.host?.send({ what: "close" });
    await this.host?.death;
  }

  #note(told: Told): void {
    if ("seq" in told) this.#after = Math.max(this.#after, told.seq);
    if (told.what === "submitted") this.acknowledged.submits.set(told.key, told.runId);
    if (told.what === "child") {
      const { runId, status, result, line } = told;
      this.acknowledged.children.push({ runId, status, result, incarnation: this.#incarnation, line });
    }
    if (told.what === "ended") {
      const { runId, state, result } = told;
      if (state === "quarantined") this.quarantines += 1;
      else this.acknowledged.ends.push({ runId, state, result: JSON.stringify(result ?? null) });
    }
    if (told.what === "log") this.complaints.push(`${told.message} ${JSON.stringify(told.fields)}`);
    if (told.what === "rejected" && told.code.startsWith("storage_")) {
      this.refusals.push({ key: told.key, code: told.code });
      this.#again.push(...this.jobs.filter(({ key }) => key === told.key));
    } else if (told.what === "rejected") this.complaints.push(`${told.key} was refused: ${told.code}: ${told.message}`);
    if (told.what === "refused") this.refusals.push({ key: `start: ${told.message}`, code: told.code });
  }
}
