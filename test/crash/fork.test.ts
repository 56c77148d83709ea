import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { RunRecord } from "../../src/contract/records.ts";
import { openRuntime } from "../../src/runtime/open.ts";
import { HandRunner } from "../support/hand-runner.ts";
import { testSettings } from "../support/settings.ts";
import { tempDir } from "../support/temp.ts";
import { OPERATOR } from "../support/world.ts";

const DIST = new URL("../../dist/", import.meta.url).href;
const HOST = fileURLToPath(new URL("support/fork-host.mjs", import.meta.url));

/** A run of two children was forked, and the process killed at this point of it. Gives the data directory. */
async function killedAt(point: string): Promise<string> {
  const dataDir = tempDir();
  const host = spawn(process.execPath, [HOST, JSON.stringify({ dist: DIST, dataDir, point })], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [, signal] = await once(host, "exit");
  expect(signal).toBe("SIGKILL");
  return dataDir;
}

/** The next process: every child that it starts is answered with its prompt in capitals. */
async function goOn(dataDir: string): Promise<{ runs: RunRecord[]; asked: string[] }> {
  const hand = new HandRunner();
  const runtime = await openRuntime(testSettings(dataDir), { runners: [hand] });
  try {
    for (const name of ["a", "b"]) (await hand.started(name)).done(name.toUpperCase());
    const { rows } = await runtime.runs(OPERATOR, {});
    const runs = await Promise.all(rows.map(({ runId }) => runtime.runEnded(OPERATOR, runId)));
    return { runs, asked: hand.ledger.map(({ prompt }) => prompt).sort() };
  } finally {
    await runtime.close();
  }
}

test.each(["beforeFork", "afterApply", "beforeCommit"])(
  "R-008 L1 killed at %s, before its commit is durable, a fork has never been; the original goes on",
  async (point) => {
    const { runs, asked } = await goOn(await killedAt(point));
    expect(runs.map(({ state, result, forkedFrom }) => [state, result, forkedFrom])).toEqual([
      ["done", "A+B", undefined],
    ]);
    expect(asked).toEqual(["a", "b"]);
  },
);

test.each(["afterCommit", "afterFork"])(
  "R-008 R-004 L12 killed at %s, right after its commit, a fork goes on by itself, and what it follows is run once",
  async (point) => {
    const { runs, asked } = await goOn(await killedAt(point));
    expect(runs.map(({ state, result }) => [state, result])).toEqual([
      ["done", "A+B"],
      ["done", "A+B"],
    ]);
    expect(runs.filter(({ forkedFrom }) => forkedFrom !== undefined)).toHaveLength(1);
    expect(asked).toEqual(["a", "b"]);
  },
);
