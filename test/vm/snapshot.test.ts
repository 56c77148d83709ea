// Snapshots as memory: a run that is parked anywhere, and goes on elsewhere, comes to the same end.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, asyncProperty, integer, uniqueArray } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SnapshotBlob } from "../../src/contract/snapshot.ts";
import { GuestVm } from "../../src/vm/guest-vm.ts";
import type { GuestMessage, SliceReport, VmPool } from "../../src/vm/port.ts";
import { tempDir } from "../support/temp.ts";
import { CONTROLLER, FROM_GUEST, TO_GUEST } from "./support/controller.ts";
import { LIMITS, MAC_KEY, openTestPool, TestRun, wrapped } from "./support/guest.ts";
import { richReference } from "./support/reference.ts";
import { RICH_SCRIPT, richAnswer } from "./support/rich-script.ts";
import { openTestRoom } from "./support/room.ts";

const CYCLES = 1_000;
const CHAIN_TURNS = 100;
const SEED = 20_261_130;

let pool: VmPool;
beforeAll(async () => {
  pool = await openTestPool();
});
afterAll(() => pool.close());

/** Answers the oldest call of a run of the rich script. */
async function answerOldest(run: TestRun): Promise<void> {
  const call = run.calls[0];
  const answer = richAnswer(call?.method ?? "", JSON.parse(call?.json ?? "[]")[0]);
  if (answer.ok) await run.fulfil(call, answer.value);
  else await run.reject(call, answer.message);
}

test("R-005 a script that parks inside everything the language has gives the same result hot", async () => {
  const run = new TestRun(pool);
  await run.start(RICH_SCRIPT);
  while (run.result === undefined && run.failure === undefined) await answerOldest(run);
  expect(run.result).toBe(await richReference());
});

test("R-005 R-006 the same script gives the same result when it is evicted and restored at every park", async () => {
  const run = new TestRun(pool);
  await run.start(RICH_SCRIPT);
  let parks = 0;
  while (run.result === undefined && run.failure === undefined) {
    run.forget();
    await answerOldest(run);
    parks++;
  }
  expect(run.result).toBe(await richReference());
  expect(parks).toBeGreaterThan(15);
});

test("R-003 R-004 the same script gives the same result when every slice runs in a process of its own", async () => {
  const dir = tempDir();
  const program = fileURLToPath(new URL("support/resume-once.mjs", import.meta.url));
  const options = {
    controller: CONTROLLER,
    reseedOp: TO_GUEST.reseed,
    finalOps: [FROM_GUEST.result, FROM_GUEST.failure],
    macKey: Buffer.from(MAC_KEY).toString("hex"),
    workerCount: 1,
    hotVmsMax: 1,
  };
  const runId = `run_${"5".repeat(32)}`;
  let chain: unknown[] = [];
  let calls: GuestMessage[] = [];
  let result: string | undefined;
  let delivery = { op: TO_GUEST.start as number, id: 0, a: wrapped(RICH_SCRIPT), b: "" };
  const images = new Set<string>();
  for (let turn = 1; result === undefined && turn < 100; turn++) {
    const slice = { runId, turn, deliveries: [delivery], limits: LIMITS, nowMs: 1_800_000_000_000 + turn };
    writeFileSync(join(dir, "request"), JSON.stringify({ options, slice, chain }));
    const done = spawnSync(process.execPath, [program, join(dir, "request"), join(dir, "report")], {
      encoding: "utf8",
    });
    expect(done.stderr).toBe("");
    type Stored = Omit<SliceReport, "snapshot"> & { snapshot: { parentTurn: number | null } | null; imageHash: string };
    const report = JSON.parse(readFileSync(join(dir, "report"), "utf8")) as Stored;
    images.add(report.imageHash);
    if (report.snapshot?.parentTurn === null) chain = [];
    chain.push(report.snapshot);
    result = report.messages.find(({ op }) => op !== FROM_GUEST.call)?.json;
    calls = [...calls, ...report.messages];
    const call = calls.shift();
    const answer = richAnswer(call?.method ?? "", JSON.parse(call?.json ?? "[]")[0]);
    const [op, a] = answer.ok
      ? [TO_GUEST.fulfil, JSON.stringify(answer.value) ?? ""]
      : [TO_GUEST.reject, answer.message];
    delivery = { op, id: call?.id ?? 0, a, b: "" };
  }
  expect(result).toBe(await richReference());
  expect(images.size).toBe(1);
});

const ADDING = `
  const seen = []; const byAnswer = new Map();
  for (let i = 0; i < ${CHAIN_TURNS}; i++) {
    const answer = await host.next({ i, seen: seen.length });
    seen.push(answer + i); byAnswer.set("key " + answer, seen.slice(-3));
  }
  return [seen.reduce((a, b) => a * 31 % 1000003 + b, 7), byAnswer.size, JSON.stringify([...byAnswer.values()].at(-1))];
`;

async function adding(evictedBefore: ReadonlySet<number>): Promise<{ result: string | undefined; asked: string[] }> {
  const run = new TestRun(pool);
  const asked: string[] = [];
  await run.start(ADDING);
  while (run.result === undefined) {
    if (evictedBefore.has(run.turn)) run.forget();
    asked.push(run.calls[0]?.json ?? "");
    await run.fulfil(run.calls[0], (run.turn * 7919) % 101);
  }
  return { result: run.result, asked };
}

test("R-002 R-005 a chain of 100 turns that is restored anywhere asks and answers as one that never was", async () => {
  const plain = await adding(new Set());
  expect(plain.asked).toHaveLength(CHAIN_TURNS);
  const restores = uniqueArray(integer({ min: 1, max: CHAIN_TURNS }), { minLength: 5, maxLength: 60 });
  await assert(
    asyncProperty(restores, async (turns) => {
      expect(await adding(new Set(turns))).toEqual(plain);
    }),
    { seed: SEED, numRuns: 8 },
  );
});

test("R-006 1,000 restores of one run leave its memory and its snapshots as small as they were", async () => {
  const run = new TestRun(pool);
  await run.start("for (let i = 0; ; i = (i + 1) % 10) await host.next(i)");
  const sizes: number[] = [];
  let memoryBytes = 0;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    run.forget();
    const report = await run.fulfil(run.calls[0], cycle % 10);
    expect(report.restored).toBe(true);
    if (report.snapshot?.parentTurn === null) sizes.push(report.snapshot.bytes.length);
    memoryBytes = report.memoryBytes;
  }
  expect(memoryBytes).toBe(84 * 65_536);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(2_000);
});

test("R-003 a chain is a full snapshot with steps, and gets a new full one before it is long", async () => {
  const run = new TestRun(pool);
  await run.start("for (let i = 0; ; i++) await host.next(i)");
  let longest = 0;
  const parents: (SnapshotBlob["parentTurn"] | undefined)[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const report = await run.fulfil(run.calls[0], turn);
    parents.push(report.snapshot?.parentTurn);
    longest = Math.max(longest, run.chain.length);
  }
  expect(longest).toBeLessThanOrEqual(17);
  expect(parents.filter((parent) => parent === null).length).toBeGreaterThan(2);
  expect(run.chain.map(({ parentTurn }) => parentTurn)).toEqual([
    null,
    ...run.chain.slice(0, -1).map(({ turn }) => turn),
  ]);
});

test("R-005 a step of a small script is stored in less than 3 KB and a full snapshot in less than 25 KB", async () => {
  const run = new TestRun(pool);
  await run.start(RICH_SCRIPT);
  const full: number[] = [run.chain[0]?.bytes.length ?? 0];
  const steps: number[] = [];
  while (run.result === undefined) {
    await answerOldest(run);
    const last = run.chain.at(-1);
    if (run.result === undefined && last) (last.parentTurn === null ? full : steps).push(last.bytes.length);
  }
  expect(steps.sort((a, b) => a - b)[steps.length >> 1]).toBeLessThan(3_000);
  expect(Math.max(...full)).toBeLessThan(25_000);
});

test("R-003 what a script has dropped is in no snapshot that is taken after", async () => {
  const run = new TestRun(pool);
  const secret = "token-0123456789abcdef";
  await run.start(`
    let secret = await host.secret();
    let uses = []; for (let i = 0; i < 50; i++) uses.push(secret + i);
    await host.other(uses.length);
    secret = uses = null;
    await host.more();
  `);
  await run.fulfil(run.calls[0], secret);
  expect((await memoryAfter(run)).includes(secret)).toBe(true);
  await run.fulfil(run.calls[0], "other");
  expect((await memoryAfter(run)).includes("token-0123456789")).toBe(false);
});

/** The memory that the chain of a run restores to. */
async function memoryAfter(run: TestRun): Promise<Buffer> {
  const { maker, image } = await openTestRoom();
  const vm = await GuestVm.restore(
    maker,
    image,
    { runId: run.runId, turn: run.turn },
    run.chain,
    LIMITS.memoryLimitBytes,
  );
  return vm.instance.memory.bytes;
}

test("G-013 Date and performance.now never go back, whatever the host's clock says at the restore", async () => {
  const run = new TestRun(pool);
  const ask = async (nowMs: number) => {
    run.forget();
    run.turn++;
    const { runId, turn, limits } = run;
    const deliveries =
      turn === 1
        ? [{ op: TO_GUEST.start, id: 0, a: wrapped("for (;;) await host.at(Date.now(), performance.now())"), b: "" }]
        : [{ op: TO_GUEST.fulfil, id: turn - 1, a: "", b: "" }];
    const report = await pool.slice({ runId, turn, deliveries, chain: async () => run.chain, limits, nowMs });
    if (report.snapshot?.parentTurn === null) run.chain = [];
    if (report.snapshot) run.chain.push(report.snapshot);
    return JSON.parse(report.messages[0]?.json ?? "") as [number, number];
  };
  const first = await ask(1_800_000_000_000);
  const later = await ask(1_800_000_060_000);
  const back = await ask(1_700_000_000_000);
  expect(first[0]).toBeGreaterThanOrEqual(1_800_000_000_000);
  expect(first[0]).toBeLessThan(1_800_000_010_000);
  expect(later[0]).toBeGreaterThanOrEqual(1_800_000_060_000);
  expect(later[1] - first[1]).toBeGreaterThan(59_000);
  expect(back[0]).toBeGreaterThanOrEqual(later[0]);
  expect(back[1]).toBeGreaterThanOrEqual(later[1]);
});
