// kill -9 in the middle of writes: what was acknowledged is there, every run is before or after a turn,
// no child is there twice, and the next start needs no help.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FAILURE_POINTS } from "../../src/registry/open.ts";
import type { Registry } from "../../src/registry/port.ts";
import { OPERATOR } from "../suites/registry/builders.ts";
import { tempDir } from "../support/temp.ts";
import { databaseOf, integrityOf, openFor, startProgram } from "./files.ts";

/** Only a guard against hanging: each round starts a process. */
const HANG_MS = 300_000;

interface Acknowledged {
  turns: Map<string, number>;
  children: Map<string, string>;
}

function note(acknowledged: Acknowledged, line: { [key: string]: unknown }): void {
  if (typeof line.turn === "number") acknowledged.turns.set(String(line.runId), line.turn);
  else acknowledged.children.set(String(line.childId), String(line.text));
}

/** Reads a program's lines until it ends, killing it after `lines` of them. */
async function runUntilKilled(dataDir: string, lines: number, acknowledged: Acknowledged, values: string[] = []) {
  const program = startProgram("write.mjs", [dataDir, ...values]);
  for (let count = 0; ; count += 1) {
    if (count === lines) program.process.kill("SIGKILL");
    const line = await program.next();
    if (!line) break;
    note(acknowledged, line);
  }
  await program.ended;
}

async function checkRun(registry: Registry, runId: string, acknowledged: Acknowledged): Promise<void> {
  const row = await registry.runForTurn(runId);
  const turn = row?.run.turn ?? 0;
  expect(turn).toBeGreaterThanOrEqual(acknowledged.turns.get(runId) ?? 0);
  const { rows } = await registry.children(OPERATOR, { runId }, { limit: 1_000 });
  expect(rows.map(({ callId }) => callId)).toEqual(Array.from({ length: rows.length }, (_, index) => index * 2 + 1));
  expect(rows).toHaveLength(turn);
  expect(await registry.notes(runId, 0, 1_000)).toHaveLength(turn);
  const chain = await registry.snapshotChain(runId);
  expect(chain.at(-1)?.turn).toBe(turn === 0 ? undefined : turn);
  expect(chain.map(({ parentTurn }) => parentTurn)).toEqual(
    chain.map((_, index) => (index === 0 ? null : chain[index - 1]?.turn)),
  );
  const waiting = (await registry.pendingCalls(runId)).length + (await registry.undelivered(runId, 9, 1e9)).length;
  expect(waiting).toBe(turn === 0 ? 0 : 1);
}

async function checkAfterCrash(dataDir: string, acknowledged: Acknowledged): Promise<void> {
  expect(integrityOf(databaseOf(dataDir))).toBe("ok");
  const registry = await openFor(dataDir);
  for (const [childId, text] of acknowledged.children) {
    const [record] = await registry.childrenById([childId], OPERATOR);
    expect(record).toMatchObject({ status: "done", result: text });
  }
  const { rows } = await registry.runs(OPERATOR, { limit: 100 });
  for (const { runId } of rows) await checkRun(registry, runId, acknowledged);
  await registry.close();
}

test(
  "R-001 R-002 R-004 a process that is killed at any moment loses nothing that it acknowledged",
  async () => {
    const dataDir = tempDir();
    const acknowledged: Acknowledged = { turns: new Map(), children: new Map() };
    const moments = fc.sample(fc.integer({ min: 0, max: 60 }), { numRuns: 8, seed: 20_261_130 });
    for (const lines of moments) {
      await runUntilKilled(dataDir, lines, acknowledged);
      await checkAfterCrash(dataDir, acknowledged);
    }
    expect(acknowledged.children.size).toBeGreaterThan(50);
  },
  HANG_MS,
);

test(
  "R-001 R-002 R-004 a process that dies at a named failure point leaves every run before or after a turn",
  async () => {
    const dataDir = tempDir();
    const acknowledged: Acknowledged = { turns: new Map(), children: new Map() };
    for (const point of FAILURE_POINTS) {
      for (const count of [1, 2, 5, 12]) {
        await runUntilKilled(dataDir, -1, acknowledged, [point, String(count)]);
        await checkAfterCrash(dataDir, acknowledged);
      }
    }
    expect(acknowledged.turns.size).toBe(3);
  },
  HANG_MS,
);
