import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEvent, frame, newProgress, stillRunning } from "../../src/cli/progress.ts";
import { progressView } from "../../src/cli/view.ts";
import type { SwarmEvent } from "../../src/contract/events.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { fakeIo, fakeOutput } from "./support/fake-io.ts";
import { RUN_ID } from "./support/records.ts";

const { paint } = fakeOutput();
let seq = 0;
const base = () => ({ seq: ++seq, at: 0, sessionKey: "operator", groupId: "g", runId: RUN_ID });

function spawned(childId: string, phase?: string, label?: string): SwarmEvent {
  return {
    ...base(),
    type: "child.spawned",
    childId,
    model: "offline:echo",
    ...(phase && { phase }),
    ...(label && { label }),
  };
}
function started(childId: string): SwarmEvent {
  return { ...base(), type: "child.started", childId, attempt: 1 };
}
function ended(childId: string, status: "done" | "failed" | "killed" | "timeout", error?: string): SwarmEvent {
  return { ...base(), type: "child.ended", childId, status, attempts: 1, ...(error && { error }) };
}
function note(kind: "phase" | "log" | "console", text: string, level = "info"): SwarmEvent {
  return { ...base(), type: "run.note", kind, level, text, turn: 1 };
}

test("I-003 children are counted by phase as their events come in", () => {
  const progress = newProgress("review");
  const events = [
    note("phase", "Read"),
    spawned("a", "Read"),
    spawned("b", "Read"),
    spawned("c", "Judge"),
    started("a"),
    started("b"),
    ended("a", "done"),
  ];
  for (const event of events) applyEvent(progress, event);
  expect([...progress.phases.keys()]).toEqual(["Read", "Judge"]);
  expect(progress.phases.get("Read")).toMatchObject({ done: 1, running: 1, queued: 0 });
  expect(progress.phases.get("Judge")).toMatchObject({ queued: 1 });
});

test("I-003 without a terminal each phase, note and end of a child is one plain line", () => {
  const progress = newProgress("review");
  const events = [
    note("phase", "Read"),
    note("log", "two\nlines"),
    note("console", "careful", "warn"),
    spawned("a", "Read", "reader-1"),
    started("a"),
    ended("a", "done"),
    spawned("b", undefined, "judge"),
    ended("b", "failed", "no answer"),
  ];
  expect(events.map((event) => applyEvent(progress, event)).filter((line) => line !== undefined)).toEqual([
    "phase    Read",
    "log      two lines",
    "console  warn: careful",
    "done     reader-1 [Read]",
    "failed   judge: no answer",
  ]);
});

test("I-003 the frame shows every phase with its dots and counts, and the last notes", () => {
  const progress = newProgress("review");
  for (const event of [spawned("a", "Read"), spawned("b", "Read"), ended("a", "done"), note("log", "halfway")]) {
    applyEvent(progress, event);
  }
  const text = frame(progress, 4_200, 80, paint);
  expect(text).toContain("review  4.2s");
  expect(text).toContain("●○ 1 done, 1 queued");
  expect(text).toContain("halfway");
});

test("I-003 a frame stays small however many children, phases and notes there are", () => {
  const progress = newProgress("review");
  for (let index = 0; index < 5_000; index++) {
    applyEvent(progress, spawned(`c${index}`, `phase ${index % 300}`));
    applyEvent(progress, note("log", "x".repeat(400)));
  }
  const lines = frame(progress, 1, 80, paint).split("\n");
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("I-003 events that come twice, early or out of order never make a count negative or wrong", () => {
  const child = fc.constantFrom("a", "b", "c");
  const event = fc.oneof(
    child.map((id) => spawned(id, "Read")),
    child.map((id) => started(id)),
    fc
      .tuple(child, fc.constantFrom("done" as const, "failed" as const, "killed" as const))
      .map(([id, status]) => ended(id, status)),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const progress = newProgress("review");
      for (const one of events) applyEvent(progress, one);
      const counts = [...progress.phases.values()].flatMap((phase) => Object.values(phase));
      expect(Math.min(0, ...counts)).toBe(0);
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(progress.children.size);
    }),
    { seed: 20_261_130, numRuns: 500 },
  );
});

function plain(json: boolean) {
  const clock = new ManualClock();
  const io = fakeIo();
  const load = () => Promise.reject(new Error("not needed"));
  const lines = (): string[] => io.err.text().split("\n").slice(0, -1);
  return { clock, lines, context: { io, clock, cwd: ".", json, url: undefined, load } };
}

test("I-003 without a terminal a silence of 15 seconds is filled by the children's counts, at most every 30 seconds", async () => {
  const { clock, lines, context } = plain(false);
  const view = await progressView(context, "review");
  for (const event of [spawned("a"), spawned("b"), started("a")]) view.event(event);
  clock.advance(10_000);
  view.event(note("log", "halfway"));
  clock.advance(14_999);
  expect(lines()).toEqual(["log      halfway"]);
  clock.advance(1);
  expect(lines().slice(1)).toEqual(["still running: 1 running, 1 queued"]);
  view.event(note("log", "more"));
  clock.advance(29_999);
  expect(lines()).toHaveLength(3);
  clock.advance(1);
  expect(lines().at(-1)).toBe("still running: 1 running, 1 queued");
  view.end();
  expect(clock.timerCount).toBe(0);
});

test("I-003 with --json no silence is filled", async () => {
  const { clock, lines, context } = plain(true);
  const view = await progressView(context, "review");
  clock.advance(100_000);
  expect(lines()).toEqual([]);
  view.end();
});

test("I-003 on a terminal the frame is drawn in place, again and again, until the view ends", async () => {
  const clock = new ManualClock();
  const io = fakeIo("", 80);
  const load = () => Promise.reject(new Error("not needed"));
  const view = await progressView({ io, clock, cwd: ".", json: false, url: undefined, load }, "review");
  view.event(spawned("a", "Read"));
  clock.advance(100);
  expect(io.err.text()).toContain("1 queued");
  view.event(ended("a", "done"));
  view.end();
  const drawn = io.err.text();
  expect(drawn).toContain("1 done");
  view.end();
  expect(io.err.text()).toBe(drawn);
  expect(io.out.text()).toBe("");
  expect(clock.timerCount).toBe(0);
});

const APPROVAL_ID = `apr_${"a".repeat(32)}_3`;

function asked(title: string): SwarmEvent {
  return { ...base(), type: "approval.requested", approvalId: APPROVAL_ID, title };
}

test("I-003 B-002 an approval that waits stands in the frame with how to answer it, until it is decided", () => {
  const progress = newProgress("deploy");
  expect(applyEvent(progress, asked("Deploy to\u0007 production?"))).toBe(
    `asks     Deploy to\\u0007 production?; answer with \`quickswarm approve ${APPROVAL_ID}\`, or with --reject`,
  );
  expect(frame(progress, 0, 80, paint)).toContain(
    `  waits for an answer: Deploy to\\u0007 production?\n    quickswarm approve ${APPROVAL_ID}`,
  );
  expect(stillRunning(progress)).toBe("still running: 0 running, 0 queued, an approval waits for an answer");
  const facts = {
    approvalId: APPROVAL_ID,
    title: "Deploy?",
    state: "rejected",
    by: "operator",
    comment: "no",
  } as const;
  const decided: SwarmEvent = { ...base(), type: "approval.decided", ...facts };
  expect(applyEvent(progress, decided)).toBe("rejected Deploy? by operator: no");
  expect(frame(progress, 0, 80, paint)).not.toContain("waits for an answer");
});

test("I-003 a run whose children have all ended, or that sleeps, is not said to have zero of everything", () => {
  expect(stillRunning(newProgress("sleeper"))).toBe(
    "still running: no child is at work; the script computes, sleeps or waits for something outside",
  );
});
