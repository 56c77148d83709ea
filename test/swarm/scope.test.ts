// A process that works on what it is asked for only, and runs that have to be put aside.

import { expect, test } from "vitest";
import { forkRequestSchema } from "../../src/contract/api.ts";
import { fault } from "../../src/contract/fault.ts";
import type { ChildOutcome, ChildRunner, ChildWork } from "../../src/swarm/runner.ts";
import { OPERATOR, openWorld, type World } from "../support/world.ts";

/** Begun by a gateway, left by it, and found by a command's own one. */
async function parked(script: string): Promise<{ world: World; runId: string }> {
  const world = await openWorld();
  const { runId } = await world.submit(script);
  await world.hand.started("a");
  await world.restart({}, { work: "own" });
  return { world, runId };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("I-003 R-004 a command's own gateway does its work and starts nothing of the other runs", async () => {
  const { world, runId } = await parked(`const two = [sleep("1m"), agents.run("a")]; return await two[1];`);
  const mine = world.run(`return await agents.run("mine");`);
  (await world.hand.started("mine")).done("yes");
  expect(await mine).toMatchObject({ state: "done", result: "yes" });
  world.clock.advance(3_600_000);
  await soon();
  const { children, run } = await world.runtime.runDetail(OPERATOR, runId);
  expect({ attempts: children.map(({ attempts }) => attempts), turn: run.turn }).toEqual({ attempts: [1], turn: 1 });
  await world.restart();
  (await world.hand.started("a")).done("A");
  expect(await world.ended(runId)).toMatchObject({ state: "done", result: "A" });
});

test("I-003 R-004 it goes on with a run that is resumed or waited for, and with that alone", async () => {
  const { world, runId } = await parked(`return await agents.run("a");`);
  await world.runtime.resume(OPERATOR, runId);
  (await world.hand.started("a")).done("A");
  expect(await world.ended(runId)).toMatchObject({ state: "done", result: "A" });

  const other = await parked(`return await agents.run("a");`);
  const waiting = other.world.runtime.wait(OPERATOR, [other.runId], 600);
  (await other.world.hand.started("a")).done("A");
  expect((await waiting).completed).toMatchObject([{ runId: other.runId, status: "done" }]);
});

test("S-016 R-004 it goes on with the children of a run that has ended, and with one that no script spawned", async () => {
  const { world, runId } = await parked(`agents.spawn("a"); return 1;`);
  const [left] = (await world.runtime.runDetail(OPERATOR, runId)).children;
  await world.runtime.resume(OPERATOR, runId);
  (await world.hand.started("a")).done("A");
  expect((await world.runtime.wait(OPERATOR, [left?.runId ?? ""], 30)).completed).toHaveLength(1);

  const spawned = await world.runtime.spawn(OPERATOR, { task: "b", collect: true });
  await world.hand.started("b");
  await world.restart({}, { work: "own" });
  const waiting = world.runtime.wait(OPERATOR, [spawned.runId], 600);
  (await world.hand.started("b")).done("B");
  expect((await waiting).completed).toMatchObject([{ result: "B", attempts: 2 }]);
});

test("R-008 R-004 a fork that it made is its own: a child that runs there is not queued again when it is waited for", async () => {
  const world = await openWorld();
  await world.restart({}, { work: "own" });
  const script = `const a = await agents.run("a"); return [a, await agents.run(a)];`;
  const { runId } = await world.submit(script, { keepHistory: 5 });
  (await world.hand.started("a")).done("b");
  (await world.hand.started("b")).done("B");
  expect(await world.ended(runId)).toMatchObject({ result: ["b", "B"] });
  const answers = [{ callId: 2, value: "c" }];
  const { run } = await world.runtime.fork(OPERATOR, runId, forkRequestSchema.parse({ at: 1, answers }));
  const child = await world.hand.started("c");
  const waiting = world.runtime.wait(OPERATOR, [run.runId], 600);
  await soon();
  child.done("C");
  expect((await waiting).completed).toMatchObject([{ runId: run.runId, structured: ["c", "C"] }]);
  const { children } = await world.runtime.runDetail(OPERATOR, run.runId);
  expect(children.at(-1)).toMatchObject({ status: "done", attempts: 1 });
});

/** A model behind a key. */
class KeyedRunner implements ChildRunner {
  hasKey = true;
  readonly ends: ((outcome: ChildOutcome) => void)[] = [];

  handles(model: string): boolean {
    return model === "keyed";
  }

  check(): void {
    if (!this.hasKey) throw fault("model_key_missing", "The model keyed needs KEYED_API_KEY.");
  }

  run({ signal }: ChildWork): Promise<ChildOutcome> {
    return new Promise((resolve) => {
      this.ends.push(resolve);
      const onAbort = (): void => resolve({ status: "failed", error: "aborted", retryable: false });
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await soon();
}

test("R-004 L6 a run whose child lacks its key after a restart is put aside, and goes on when it is resumed with the key", async () => {
  const keyed = new KeyedRunner();
  const world = await openWorld({}, { runners: [keyed] });
  const { runId } = await world.submit(`return await agents.run("x", { model: "keyed" });`);
  await until(() => keyed.ends.length === 1);
  keyed.hasKey = false;
  await world.restart();
  const aside = await world.runtime.run(OPERATOR, runId);
  expect(aside).toMatchObject({ state: "quarantined", error: { code: "model_key_missing" } });
  expect(aside.error?.next).toMatch(`quickswarm resume ${runId}`);
  expect(await world.runtime.resume(OPERATOR, runId)).toMatchObject({ state: "quarantined" });
  keyed.hasKey = true;
  await world.restart();
  await world.runtime.resume(OPERATOR, runId);
  await until(() => keyed.ends.length === 2);
  keyed.ends[1]?.({ status: "done", text: "X" });
  expect(await world.ended(runId)).toMatchObject({ state: "done", result: "X" });
});

test("R-004 L6 a run that asks for such a child after a restart is put aside before the turn, and only a new one is refused", async () => {
  const keyed = new KeyedRunner();
  const world = await openWorld({}, { runners: [keyed] });
  const script = `await sleep("1h"); return await agents.run("x", { model: "keyed" });`;
  const { runId } = await world.submit(script);
  await until(async () => (await world.runtime.run(OPERATOR, runId)).turn === 1);
  keyed.hasKey = false;
  await world.restart();
  world.clock.advance(3_600_000);
  await until(async () => (await world.runtime.run(OPERATOR, runId)).state === "quarantined");
  const fresh = await world.run(`return await agents.run("x", { model: "keyed" });`);
  expect(fresh).toMatchObject({ state: "failed" });
  expect(fresh.error?.message).toMatch(/KEYED_API_KEY/);
  keyed.hasKey = true;
  await world.restart();
  await world.runtime.resume(OPERATOR, runId);
  await until(() => keyed.ends.length === 1);
  keyed.ends[0]?.({ status: "done", text: "X" });
  expect(await world.ended(runId)).toMatchObject({ state: "done", result: "X" });
});
