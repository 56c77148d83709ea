// A host for teams that answers by script and keeps what it was asked; with a journal it answers settled keys
// from it, as a durable host does, and can die at any key.

import { setImmediate as soon } from "node:timers/promises";
import type { AgencyHost, SeatAnswer, SeatKey, SeatRequest } from "../../src/agency/port.ts";
import type { Json } from "../../src/contract/json.ts";
import { ManualClock } from "../support/manual-clock.ts";

export type Reply = string | (Partial<SeatAnswer> & { wait?: Promise<unknown> });
export type Script = (request: SeatRequest) => Reply | Promise<Reply>;

export interface Logged {
  level: string;
  event: string;
  details: { [key: string]: Json };
}

/** What outlives a process: settled keys and their answers. */
export type Journal = Map<string, string>;

export class Killed extends Error {
  override readonly name = "Killed";
}

export interface HostSettings {
  journal?: Journal;
  /** Dies when so many keys have been settled: nothing is answered or kept from then on. */
  killAfter?: number;
}

export class ScriptedHost implements AgencyHost {
  readonly clock = new ManualClock();
  /** Requests that were really sent, in order. */
  readonly sent: SeatRequest[] = [];
  readonly logged: Logged[] = [];
  readonly #script: Script;
  readonly #journal: Journal;
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  readonly #keys = new Set<string>();
  #left: number;

  constructor(script: Script, { journal = new Map(), killAfter = Number.POSITIVE_INFINITY }: HostSettings = {}) {
    this.#script = script;
    this.#journal = journal;
    this.#left = killAfter;
  }

  /** What each request said last, with who was asked: the shape of a run. */
  get asked(): [string, string][] {
    return this.sent.map((request) => [request.agent, lastText(request)]);
  }

  call = async (request: SeatRequest): Promise<SeatAnswer> => {
    const answer = await this.#settled(request.key, async () => {
      this.sent.push(request);
      return wholeAnswer(await this.#script(request)) as unknown as Json;
    });
    return answer as unknown as SeatAnswer;
  };

  once = (key: SeatKey, work: () => Promise<Json>): Promise<Json> => this.#settled(key, work);

  log = (level: string, event: string, details: { [key: string]: Json }): void => {
    this.logged.push({ level, event, details });
  };

  /** Resolves when `count` keys are settled, and whoever waited for them has heard of it. */
  async settled(count: number): Promise<void> {
    if (this.#journal.size < count) await new Promise<void>((resolve) => void this.#waiting.push({ count, resolve }));
    await soon();
  }

  async #settled(key: SeatKey, work: () => Promise<Json>): Promise<Json> {
    const name = `${key.runId} ${key.path} ${key.index}`;
    // Two calls with one key would get one answer.
    if (this.#keys.has(name)) throw new Error(`two calls have the key ${name}`);
    this.#keys.add(name);
    const known = this.#journal.get(name);
    if (known !== undefined) return JSON.parse(known) as Json;
    if (this.#left <= 0) throw new Killed(`killed before ${name}`);
    const value = await work();
    await soon();
    if (this.#left <= 0) throw new Killed(`killed before ${name} was kept`);
    this.#left -= 1;
    this.#journal.set(name, JSON.stringify(value));
    for (const waiter of this.#waiting) if (this.#journal.size >= waiter.count) waiter.resolve();
    return JSON.parse(JSON.stringify(value)) as Json;
  }
}

export function wholeAnswer(reply: Reply): SeatAnswer {
  const given = typeof reply === "string" ? { text: reply } : reply;
  const text = given.text ?? "";
  return {
    text,
    toolCalls: [],
    usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12, costUSD: 0.5 },
    provider: "openai",
    model: "gpt-4.1",
    durationMs: 7,
    ...given,
  };
}

export function lastText(request: SeatRequest): string {
  const last = request.messages.at(-1);
  if (last?.role === "tool") return last.results.map((result) => result.text).join("\n");
  return last?.text ?? "";
}

/** Answers `<name> says <count>`, counted by name. */
export function numbered(): Script {
  const counts = new Map<string, number>();
  return ({ agent }) => {
    const count = (counts.get(agent) ?? 0) + 1;
    counts.set(agent, count);
    return `${agent} says ${count}`;
  };
}
