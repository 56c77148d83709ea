// Plays a script with a settle order that is chosen in advance, and with restarts at chosen moments. An
// order is a list of dice: at each moment of quiet one of what is open is settled, or the clock is moved to
// the next sleeper. What a restart has undone is done again before anything else, so the order stays the same.

import type { Standing } from "./stage.mjs";
import { Died, type Theatre } from "./theatre.ts";

/** `calm`: once everything that the decision caused is over. `hasty`: at once. A point: when the process comes there. */
export type How = "calm" | "hasty" | { point: string; occurrence: number };

export interface Plan {
  dice: number[];
  /** Which decisions a restart comes with, or from which on a process dies at its point; 0 is the submit. */
  cuts: { at: number; how: How }[];
  /** Decide up to three things at once. */
  bursts: boolean;
}

type Choice = { childId: string; prompt: string } | { moveTo: number };

export interface Played {
  end: Standing["end"];
  notes: string[];
  children: { callId: number; prompt: string; status: string }[];
  /** Prompts in the order in which they were settled. */
  order: string[];
  /** What no order can excuse. */
  broken: string[];
}

export async function play(theatre: Theatre, script: string, plan: Plan): Promise<Played> {
  const begun = theatre.started.length;
  const runId = await theatre.stage.submit(script);
  const order: string[] = [];
  const final = new Set<string>();
  const broken: string[] = [];
  let standing: Standing | undefined;
  for (let step = 0; !standing?.ended; step += 1) {
    const choices: Choice[] = standing ? choose(standing, plan, step) : [];
    if (standing && choices.length === 0) throw new Error(`nothing can happen any more: ${JSON.stringify(standing)}`);
    for (const choice of choices) if ("prompt" in choice) order.push(choice.prompt);
    const startedBefore = theatre.started.length;
    standing = await decide(theatre, runId, choices, plan.cuts.find(({ at }) => at === step)?.how);
    const again = theatre.started.slice(startedBefore).filter(({ childId }) => final.has(childId));
    broken.push(...again.map(({ childId, attempt }) => `${childId} had ended and began again as attempt ${attempt}`));
    for (const { childId, status } of standing.children) if (isFinal(status)) final.add(childId);
  }
  if (plan.cuts.some(({ how }) => typeof how === "object")) await theatre.arm(null, 0);
  const { end, notes } = standing;
  const rest = await drain(theatre, runId, standing);
  broken.push(...attemptsBroken(theatre.started.slice(begun)));
  return {
    end,
    notes,
    children: rest.map(({ callId, prompt, status }) => ({ callId, prompt, status })),
    order,
    broken,
  };
}

/** What happens next, by the dice: a settlement, or the clock. */
function choose({ children, open, nextDue }: Standing, { dice, bursts }: Plan, step: number): Choice[] {
  const candidates: Choice[] = children.filter(({ childId }) => open.includes(childId));
  if (nextDue !== null) candidates.push({ moveTo: nextDue });
  const roll = (offset: number): number => dice[(step * 3 + offset) % dice.length] ?? 0;
  const count = bursts ? 1 + (roll(1) % 3) : 1;
  const chosen: Choice[] = [];
  for (let turn = 0; turn < count && candidates.length > 0; turn += 1) {
    chosen.push(...candidates.splice(roll(turn) % candidates.length, 1));
  }
  return chosen;
}

async function decide(theatre: Theatre, runId: string, choices: Choice[], how: How | undefined): Promise<Standing> {
  try {
    if (typeof how === "object") await theatre.arm(how.point, how.occurrence);
    for (const choice of choices) act(theatre, choice);
    if (how !== "hasty") {
      const standing = await theatre.stage.quiet(runId);
      if (how !== "calm") return standing;
    }
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
  await theatre.restart();
  return again(theatre, runId, choices);
}

function act(theatre: Theatre, choice: Choice): void {
  if ("moveTo" in choice) theatre.stage.moveTo(choice.moveTo);
  else theatre.stage.settle(choice.childId);
}

/** What was not durable has to be done again, in the same order. */
async function again(theatre: Theatre, runId: string, choices: Choice[]): Promise<Standing> {
  const standing = await theatre.stage.quiet(runId);
  const undone = choices.filter((choice) => {
    if ("moveTo" in choice) return choice.moveTo > theatre.stage.now();
    const child = standing.children.find(({ childId }) => childId === choice.childId);
    return child !== undefined && !isFinal(child.status);
  });
  if (undone.length === 0 || standing.ended) return standing;
  for (const choice of undone) act(theatre, choice);
  return theatre.stage.quiet(runId);
}

/** Children that the run left behind end as well. */
async function drain(theatre: Theatre, runId: string, ended: Standing): Promise<Standing["children"]> {
  let standing = ended;
  while (standing.children.some(({ status }) => !isFinal(status))) {
    for (const childId of standing.open) theatre.stage.settle(childId);
    standing = await theatre.stage.quiet(runId);
  }
  return standing.children;
}

function isFinal(status: string): boolean {
  return status !== "queued" && status !== "running";
}

function attemptsBroken(started: Theatre["started"]): string[] {
  const last = new Map<string, number>();
  return started.flatMap(({ childId, attempt }) => {
    const before = last.get(childId) ?? 0;
    last.set(childId, attempt);
    return attempt > before ? [] : [`${childId} began attempt ${attempt} after ${before}`];
  });
}
