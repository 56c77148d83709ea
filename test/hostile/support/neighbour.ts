// The benign neighbours: runs that are in progress on the same worker while a hostile script runs, hold state
// of every kind, are TypeScript, and have to finish with the right answer. What is right is worked out here, without a VM.

import type { Json } from "../../../src/contract/json.ts";
import type { RunRecord } from "../../../src/contract/records.ts";
import { moment } from "./loop-watch.ts";
import { type HostileWorld, OPERATOR } from "./world.ts";

export const NEIGHBOUR = { sessionKey: "neighbour", operator: false };
export const NEIGHBOUR_KEY = "the neighbour's key";
const HALF_AN_HOUR_MS = 1_800_000;

const SCRIPT = `
class Tally {
  #sum = 0;
  add(n: number): this { this.#sum += n; return this; }
  get sum(): number { return this.#sum; }
}
function* pseudoRandom(n: number): Generator<number> { for (;;) { n = (n * 48271) % 2147483647; yield n; } }
const tally = new Tally();
const heard = new Map<string, string>();
const hear = (key: string) => (text: string): string => { heard.set(key, text); tally.add(text.length); return text; };
const random = pseudoRandom(args.seed);
const numbers = [random.next().value];
const one = agents.run("neighbour one " + args.tag, { key: ${JSON.stringify(NEIGHBOUR_KEY)} }).then(hear("one"));
const two = agents.run("neighbour two " + args.tag).then(hear("two"));
await one;
numbers.push(random.next().value);
await sleep("1h");
await two;
numbers.push(random.next().value);
phase("closing");
const last = await agents.run("neighbour last " + args.tag + " " + [...heard.values()].join("+"));
return { tag: args.tag, heard: [...heard], sum: tally.sum, numbers, last };
`;

/** What a foreign script is told of the neighbour, to attack it with. */
export type Foreign = { [name: string]: string } & { runId: string; childId: string; groupId: string; key: string };

export class Neighbour {
  readonly runId: string;
  readonly foreign: Foreign;
  readonly #world: HostileWorld;
  readonly #tag: string;
  readonly #seed: number;

  private constructor(world: HostileWorld, tag: string, seed: number, run: RunRecord, childId: string) {
    this.#world = world;
    this.#tag = tag;
    this.#seed = seed;
    this.runId = run.runId;
    this.foreign = { runId: run.runId, childId, groupId: run.groupId, key: NEIGHBOUR_KEY };
  }

  /** Starts one and leaves it parked with two children open. @param tag in its prompts and in its answer */
  static async begin(world: HostileWorld, tag: string, seed: number): Promise<Neighbour> {
    const run = await world.submit(NEIGHBOUR, { script: SCRIPT, language: "ts", args: { tag, seed } });
    const first = await world.runner.started(`neighbour one ${tag}`);
    await world.runner.started(`neighbour two ${tag}`);
    return new Neighbour(world, tag, seed, run, first.work.childId);
  }

  /** Answers its first child, so that its next turn is due in the middle of what the worker does now. */
  async goOn(): Promise<void> {
    await answer(this.#world, this.runId, `neighbour one ${this.#tag}`, `first ${this.#tag}`);
  }

  /** Lets it finish and says what is wrong with its answer; nothing when it is right. */
  async finish(secondAnswer = `second ${this.#tag}`): Promise<string[]> {
    const last = `neighbour last ${this.#tag} first ${this.#tag}+${secondAnswer}`;
    await answer(this.#world, this.runId, `neighbour two ${this.#tag}`, secondAnswer);
    await answer(this.#world, this.runId, last, `last ${this.#tag}`);
    return neighbourProblems(this.rightAnswer(), await this.#world.runtime.runEnded(OPERATOR, this.runId));
  }

  rightAnswer(): Json {
    const tag = this.#tag;
    const numbers: number[] = [];
    for (let n = this.#seed; numbers.length < 3; ) {
      n = (n * 48271) % 2147483647;
      numbers.push(n);
    }
    const heard = [
      ["one", `first ${tag}`],
      ["two", `second ${tag}`],
    ];
    return { tag, heard, sum: `first ${tag}second ${tag}`.length, numbers, last: `last ${tag}` };
  }
}

/** Answers a child of the run as soon as it is open, while time goes on for the run; or sees that the run is over. */
async function answer(world: HostileWorld, runId: string, prompt: string, text: string): Promise<void> {
  for (;;) {
    const open = [...world.runner.open.values()].find(({ work }) => work.prompt === prompt);
    if (open) return open.done(text);
    const run = await world.runtime.run(OPERATOR, runId);
    if (run.endedAt !== undefined) return;
    await moment();
    if (run.state === "waiting" && world.runtime.health().activeRuns === 0) world.clock.advance(HALF_AN_HOUR_MS);
  }
}

/** What is wrong with how a neighbour ended. */
export function neighbourProblems(right: Json, run: RunRecord): string[] {
  if (run.state !== "done") return [`the neighbour ended as ${run.state}: ${run.error?.code} ${run.error?.message}`];
  const [got, wanted] = [JSON.stringify(run.result), JSON.stringify(right)];
  return got === wanted ? [] : [`the neighbour answered ${got}, right is ${wanted}`];
}

const WITNESS_SCRIPT = `
const seen = new Map();
let sum = 0;
for (let step = 0; step < args.steps; step += 1) {
  const text = await agents.run("witness " + step);
  seen.set(step, text);
  sum += [...seen.values()].reduce((all, one) => all + Number(one), 0) % 1000003;
}
return { size: seen.size, sum };
`;

/** A run that is in progress from the first script of the corpus to the last, one step for each. */
export class Witness {
  readonly #world: HostileWorld;
  readonly #steps: number;
  readonly #runId: string;
  #step = 0;

  private constructor(world: HostileWorld, steps: number, runId: string) {
    this.#world = world;
    this.#steps = steps;
    this.#runId = runId;
  }

  static async begin(world: HostileWorld, steps: number): Promise<Witness> {
    const { runId } = await world.submit(NEIGHBOUR, { script: WITNESS_SCRIPT, args: { steps }, groupId: "witness" });
    return new Witness(world, steps, runId);
  }

  async step(): Promise<void> {
    const step = this.#step++;
    await answer(this.#world, this.#runId, `witness ${step}`, String(answerOf(step)));
  }

  /** What is wrong with its answer after its last step. */
  async finish(): Promise<string[]> {
    const all = Array.from({ length: this.#steps }, (_, step) => answerOf(step));
    let [total, sum] = [0, 0];
    for (const one of all) {
      total += one;
      sum += total % 1_000_003;
    }
    return neighbourProblems({ size: this.#steps, sum }, await this.#world.runtime.runEnded(OPERATOR, this.#runId));
  }
}

function answerOf(step: number): number {
  return step * step * 7919 + 1;
}
