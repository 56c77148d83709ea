// Forks as their tests make them, and what is looked at while they go on.

import { expect } from "vitest";
import { type ForkInput, forkRequestSchema } from "../../src/contract/api.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import { OPERATOR, type World } from "../support/world.ts";

export async function fork(world: World, runId: string, input: ForkInput = {}): Promise<RunRecord> {
  return (await world.runtime.fork(OPERATOR, runId, forkRequestSchema.parse(input))).run;
}

/** On a loaded machine too. */
export function eventually<Value>(look: () => Value | Promise<Value>) {
  return expect.poll(look, { timeout: 30_000 });
}

export async function untilTurn(world: World, runId: string, turn: number): Promise<void> {
  await eventually(async () => (await world.runtime.run(OPERATOR, runId)).turn).toBeGreaterThanOrEqual(turn);
}

export function prompts(world: World): string[] {
  return world.hand.ledger.map(({ prompt }) => prompt);
}
