// Scoreboard row 8: what four spinning scripts cost everybody else. Idle blocks and blocks beside them take turns,
// so that a machine with other work disturbs both alike; the figures are ratios.

import { Agent, get } from "node:http";
import { type Gateway, type OpenRuntime, startGateway } from "../../../src/gateway/listen.ts";
import { openRuntime } from "../../../src/runtime/open.ts";
import type { ChildOutcome, ChildRunner, ChildWork } from "../../../src/swarm/runner.ts";
import { testSettings } from "../../support/settings.ts";
import { OPERATOR } from "./world.ts";

const SPINNERS = 4;
/** Longer than a block takes, even on a busy machine: the scripts spin as long as they are measured. */
const SPIN_MS = 600_000;

const STEPS = `for (let step = 0; step < args.steps; step += 1) await agents.run("step " + step);
return args.steps;`;
const SPIN = "for (;;);";

export interface FairnessPlan {
  /** Pairs of an idle block and one beside the spinning scripts. */
  rounds: number;
  stepsPerBlock: number;
}

/** Milliseconds, one for each call of health over HTTP and for each step of the run. */
export interface Samples {
  health: number[];
  steps: number[];
}

export interface Fairness {
  idle: Samples;
  spinning: Samples;
}

/**
 * Opens a gateway in `dataDir` with as many VM workers as the machine gets, and lets both kinds of blocks take turns.
 * Throws when a step, an answer or a spinning script is not what it should be.
 */
export async function measureFairness(dataDir: string, plan: FairnessPlan): Promise<Fairness> {
  const runner = new SteppingRunner();
  const settings = testSettings(dataDir, { vmWorkers: 0, codeMode: { timeoutMs: SPIN_MS } });
  const open: OpenRuntime = (given) => openRuntime(given, { runners: [runner] });
  const gateway = await startGateway(settings, open, { log: () => {} });
  try {
    const bed: Bed = { gateway, runner, steps: plan.stepsPerBlock };
    const samples: Fairness = { idle: { health: [], steps: [] }, spinning: { health: [], steps: [] } };
    await block(bed, { health: [], steps: [] });
    for (let round = 0; round < plan.rounds; round += 1) {
      await block(bed, samples.idle);
      const spinners = await startSpinners(bed);
      await block(bed, samples.spinning);
      await stopSpinners(bed, spinners);
    }
    return samples;
  } finally {
    await gateway.close();
  }
}

/** For people: medians and 99th percentiles, and how many times as long they take beside the spinning scripts. */
export function fairnessText({ idle, spinning }: Fairness): string {
  const row = (kind: keyof Samples, percent: number): string => {
    const [alone, beside] = [idle, spinning].map((samples) => percentile(samples[kind], percent));
    if (alone === undefined || beside === undefined) return "";
    return `p${percent} ${alone.toFixed(2)} ms, beside ${beside.toFixed(2)} ms (× ${(beside / alone).toFixed(2)})`;
  };
  const rows = (["health", "steps"] as const).map((kind) => `${kind}: ${row(kind, 50)}; ${row(kind, 99)}`);
  return `fairness beside ${SPINNERS} spinning scripts\n${rows.join("\n")}`;
}

/** Answers at once and takes the time from each answer to the next child's start, as its script sees it. */
class SteppingRunner implements ChildRunner {
  #samples: number[] = [];
  #answeredAt: number | undefined;

  handles(model: string): boolean {
    return model.startsWith("test:");
  }

  async run(_work: ChildWork): Promise<ChildOutcome> {
    if (this.#answeredAt !== undefined) this.#samples.push(performance.now() - this.#answeredAt);
    this.#answeredAt = performance.now();
    return { status: "done", text: "done" };
  }

  begin(samples: number[]): void {
    this.#samples = samples;
    this.#answeredAt = undefined;
  }
}

interface Bed {
  gateway: Gateway;
  runner: SteppingRunner;
  steps: number;
}

/** Nearest rank. */
function percentile(samples: number[], percent: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)] ?? Number.NaN;
}

async function block(bed: Bed, into: Samples): Promise<void> {
  bed.runner.begin(into.steps);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const over = bed.gateway.runtime.runEnded(OPERATOR, await submit(bed, STEPS));
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!isOver) into.health.push(await timedHealth(bed.gateway, agent));
  agent.destroy();
  const { state, result } = await over;
  if (state !== "done" || result !== bed.steps) throw new RangeError(`the run beside ended as ${state}`);
}

async function startSpinners(bed: Bed): Promise<string[]> {
  return Promise.all(Array.from({ length: SPINNERS }, () => submit(bed, SPIN)));
}

async function stopSpinners({ gateway }: Bed, runIds: string[]): Promise<void> {
  for (const runId of runIds) {
    const { state } = await gateway.runtime.run(OPERATOR, runId);
    if (state !== "running") throw new RangeError(`a spinning script is ${state} while it should spin`);
    await gateway.runtime.stop(OPERATOR, runId);
  }
}

async function submit({ gateway, steps }: Bed, script: string): Promise<string> {
  const request = { script, language: "js", fileName: "script.js", args: { steps } } as const;
  return (await gateway.runtime.submit(OPERATOR, request)).run.runId;
}

function timedHealth(gateway: Gateway, agent: Agent): Promise<number> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${gateway.token}` };
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port: gateway.port, path: "/v1/health", agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new RangeError(`health answers ${response.statusCode}`));
      response.resume().once("end", () => resolve(performance.now() - began));
    });
    request.once("error", reject);
  });
}
