// Random writes: each is sent to the registry and done to the model, and what the registry answers is
// what the model says. Numbers pick runs and children, so that shrinking keeps an operation meaningful.

import fc from "fast-check";
import { expect } from "vitest";
import { AT, ended, newRun } from "../../suites/registry/builders.ts";
import { actOf, ENDS, ERROR, nth, type Play, pick, STATUSES, send } from "./play.ts";
import { badTurn, turn } from "./turns.ts";

export const operationOf = fc.oneof(
  { weight: 1, arbitrary: fc.record({ op: fc.constant("create" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("turn" as const),
      run: pick,
      consumed: fc.nat({ max: 3 }),
      acts: fc.array(actOf, { maxLength: 6 }),
      end: fc.constantFrom(...ENDS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("badTurn" as const), run: pick, acts: fc.array(actOf, { maxLength: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("complete" as const),
      child: pick,
      status: fc.constantFrom(...STATUSES),
      late: fc.nat({ max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("claim" as const), child: pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("requeue" as const), child: pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("cancelChild" as const), child: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("endRun" as const),
      run: pick,
      state: fc.constantFrom("killed" as const, "quarantined" as const),
      children: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("release" as const), run: pick }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("tick" as const), ms: fc.nat({ max: 80 }) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("check" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("restart" as const) }) },
);
export type Operation = typeof operationOf extends fc.Arbitrary<infer Value> ? Value : never;

type Sender<Name extends Operation["op"]> = (play: Play, operation: Operation & { op: Name }) => void;

const SENDERS: { [Name in Exclude<Operation["op"], "check" | "restart">]: Sender<Name> } = {
  ...{ create, turn, badTurn, complete, endRun, release, tick, claim, requeue, cancelChild },
};

/** Sends the write; its answer is checked when it comes. */
export function perform(play: Play, operation: Exclude<Operation, { op: "check" | "restart" }>): void {
  play.model.woken = new Set();
  (SENDERS[operation.op] as Sender<Operation["op"]>)(play, operation);
}

function tick(play: Play, { ms }: Operation & { op: "tick" }): void {
  play.now += ms;
  play.model.fire(play.now);
  const woken = [...play.model.woken].sort();
  send(play, play.registry.fireTimers(play.now, 1_000), ({ wake, more }) => {
    expect([wake.sort(), more]).toEqual([woken, false]);
  });
}

function release(play: Play, operation: Operation & { op: "release" }): void {
  const run = nth(play.model.runs.values(), operation.run);
  if (!run) return;
  const released = run.state === "quarantined";
  if (released) {
    run.state = run.undelivered.length > 0 || run.turn === 0 ? "running" : "waiting";
    run.epoch += 1;
  }
  send(play, play.registry.releaseRun(run.runId, AT), (answer) => expect(answer).toBe(released));
}

function create(play: Play): void {
  const number = play.model.runs.size + 1;
  const run = newRun(number);
  play.model.create(run.runId, number);
  play.groupIds.add(run.groupId);
  send(play, play.registry.createRun(run), ({ created }) => expect(created).toBe(true));
}

function complete(play: Play, operation: Operation & { op: "complete" }): void {
  const child = nth(play.model.children.values(), operation.child);
  if (!child) return;
  const attempt = operation.late === 5 ? child.attempt - 1 : child.attempt;
  const { childId } = child;
  const applied = play.model.complete(childId, attempt, operation.status);
  const woken = [...play.model.woken].sort();
  const end = ended(childId, { attempt, status: operation.status, text: childId });
  send(play, play.registry.completeChild(end), (settled) => {
    expect({ ...settled, runIds: settled.runIds.sort() }).toEqual({ applied, runIds: woken });
  });
}

function endRun(play: Play, operation: Operation & { op: "endRun" }): void {
  const { registry, model } = play;
  const run = nth(model.runs.values(), operation.run);
  if (!run) return;
  const { state } = operation;
  const applied = !model.isOver(run) && (run.state !== "quarantined" || state !== "quarantined");
  if (applied) model.end(run, state);
  const cancelled = applied && operation.children ? model.kill(model.childrenOf(run.runId)) : [];
  const wake = applied ? [...model.woken].sort() : [];
  send(play, registry.endRun(run.runId, { state, error: ERROR }, operation.children, AT), (stopped) => {
    expect({ ...stopped, wake: stopped.wake.sort() }).toEqual({ applied, cancelled, wake });
  });
}

function claim(play: Play, operation: Operation & { op: "claim" }): void {
  const child = nth(play.model.children.values(), operation.child);
  if (!child) return;
  const claimed = child.status === "queued" ? [child.childId] : [];
  if (child.status === "queued") Object.assign(child, { status: "running", attempt: child.attempt + 1 });
  send(play, play.registry.claimChildren([child.childId], AT), (rows) => {
    expect(rows.map(({ record }) => record.runId)).toEqual(claimed);
  });
}

function requeue(play: Play, operation: Operation & { op: "requeue" }): void {
  const child = nth(play.model.children.values(), operation.child);
  if (!child) return;
  const applied = child.status === "running";
  if (applied) child.status = "queued";
  else play.model.staleSettlements += 1;
  const requeued = play.registry.requeueChild(child.childId, child.attempt, "again", AT);
  send(play, requeued, (answer) => expect(answer).toBe(applied));
}

function cancelChild(play: Play, operation: Operation & { op: "cancelChild" }): void {
  const child = nth(play.model.children.values(), operation.child);
  if (!child) return;
  const cancelled = play.model.kill([child]);
  const wake = [...play.model.woken].sort();
  send(play, play.registry.cancelChild(child.childId, "cancelled", AT), (stopped) => {
    const expected = { applied: cancelled.length > 0, cancelled, wake };
    expect({ ...stopped, wake: stopped.wake.sort() }).toEqual(expected);
  });
}
