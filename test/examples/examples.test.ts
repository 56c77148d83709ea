// Every example runs as it ships, and gives exactly what it says.

import { describe, expect, test } from "vitest";
import { detailOf, offlineWorld, runExample, submitExample, until } from "../support/examples.ts";
import { OPERATOR } from "../support/world.ts";

const TWO_HOURS_MS = 2 * 3_600_000;
const BY_RULE = "No model was asked; this text follows from the prompt by rule.";

test("G-001 G-004 fan-out.js gives one value per topic, and shows the agent that failed", async () => {
  const world = await offlineWorld();
  const run = await runExample(world, "examples/fan-out.js");
  expect(run).toMatchObject({ state: "done", children: { done: 5, failed: 1 } });
  const value = (topic: string, risk: string, summary: string) => ({
    topic,
    risk,
    summary: `[offline] summary: ${summary}`,
    questions: expect.arrayContaining([expect.stringMatching(/^\[offline\] questions: \w/)]),
  });
  expect(run.result).toEqual({
    reports: [
      value("caching", "medium", "system that runs for months without"),
      value("retries", "medium", "of retries How can retries fail in"),
      value("timeouts", "high", "in a system"),
      value("backups", "medium", "in a system that runs"),
    ],
    failures: [{ topic: "a topic that fails", status: "failed", code: "child_failed" }],
    summary: `[offline] About “Summary of 4 reports”: 41 words, 5 lines.\nWords picked from it: system, offline, summary, timeouts, months.\n${BY_RULE}`,
  });
});

test("D-010 fan-out.js leaves the failed agent in the run's census with its label and reason", async () => {
  const world = await offlineWorld();
  const { runId } = await runExample(world, "examples/fan-out.js");
  const { census } = await detailOf(world, runId);
  expect(census).toMatchObject({ done: 5, failed: 1, problems: [{ label: "failure", status: "failed" }] });
  expect(census.problems[0]?.reason).toContain("offline:fail fails every attempt");
});

describe("gate.js", () => {
  test("goes on drafting until the reviewer approves", async () => {
    const world = await offlineWorld();
    const run = await runExample(world, "examples/gate.js");
    expect(run.result).toMatchObject({
      approved: true,
      rounds: 3,
      history: [
        { round: 1, approved: false },
        { round: 2, approved: false },
        { round: 3, approved: true },
      ],
    });
    const { children } = await detailOf(world, run.runId);
    const labels = children.map((child) => child.label);
    expect(labels).toEqual(["draft", "review 1", "draft 2", "review 2", "draft 3", "review 3"]);
  });

  test("gives up when the rounds are used up, and says so", async () => {
    const world = await offlineWorld();
    const run = await runExample(world, "examples/gate.js", { args: { rounds: 2 } });
    expect(run.result).toMatchObject({ approved: false, rounds: 2, history: [{ round: 1 }, { round: 2 }] });
  });
});

describe("first-completion.js", () => {
  test("G-007 takes answers as they come in, and cancels the agent that would never answer", async () => {
    const world = await offlineWorld();
    const idleTimers = world.clock.timerCount;
    const { runId } = await submitExample(world, "examples/first-completion.js");
    const count = async (status: "done" | "failed") => (await detailOf(world, runId)).run.children[status];
    await until("the agents that have a time have started", () => world.clock.timerCount === idleTimers + 3);
    world.clock.advance(10);
    await until("the failure is in", async () => (await count("failed")) === 1);
    world.clock.advance(50);
    await until("the first answer is checked while others work", async () => (await count("done")) === 2);
    world.clock.advance(140);
    const run = await world.ended(runId);
    expect(run).toMatchObject({ state: "done", children: { done: 4, failed: 1, killed: 1 } });
    expect(run.result).toMatchObject({
      answers: [{ model: "offline:echo@60ms" }, { model: "offline:echo@200ms" }],
      failures: [{ model: "offline:fail@10ms", status: "failed", code: "child_failed" }],
      cancelled: ["offline:hang"],
    });
  });

  test("G-007 with one answer wanted, the slower agent is cancelled too", async () => {
    const world = await offlineWorld();
    const models = ["offline:echo", "offline:hang"];
    const run = await runExample(world, "examples/first-completion.js", { args: { models, wanted: 1 } });
    expect(run.result).toMatchObject({ answers: [{ model: "offline:echo" }], cancelled: ["offline:hang"] });
  });
});

test("G-008 long-sleep.js asks the second agent when two hours are over, and not a millisecond before", async () => {
  const world = await offlineWorld();
  const idleTimers = world.clock.timerCount;
  const { runId } = await submitExample(world, "examples/long-sleep.js");
  const sleeps = async () => (await detailOf(world, runId)).pending.some((call) => call.method === "sleep");
  await until("the run sleeps", async () => (await sleeps()) && world.clock.timerCount > idleTimers);
  world.clock.advance(TWO_HOURS_MS - 1);
  expect((await detailOf(world, runId)).run).toMatchObject({ state: "waiting", phase: "asleep for 2h" });
  world.clock.advance(1);
  const run = await world.ended(runId);
  expect(run.result).toEqual({
    sleptSeconds: 7200,
    morning: `[offline] About “Write down what a build farm should look at first in the morning.”: 13 words, 1 line.\nWords picked from it: build, morning, Write, first, should.\n${BY_RULE}`,
    noon: `[offline] About “7200 seconds ago you wrote the following. What has changed?”: 50 words, 4 lines.\nWords picked from it: morning, follows, wrote, words, asked.\n${BY_RULE}`,
  });
  expect((run.endedAt ?? 0) - run.createdAt).toBe(TWO_HOURS_MS);
});

test("G-005 session.js: the second answer of the session knows the first message", async () => {
  const world = await offlineWorld();
  const run = await runExample(world, "examples/session.js");
  const title = (words: string) => `[offline] titles: Now propose three titles${words}`;
  expect(run.result).toEqual({
    outline: expect.stringContaining("Message 1 of a session under “You are a terse editor of technical texts.”."),
    titles: [title(""), title(" for it"), title(" for")],
  });
  const { children } = await detailOf(world, run.runId);
  const [first, second] = children.map((child) => child.usage?.inputTokens ?? 0);
  expect(second).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY);
});

describe("review.ts", () => {
  const files = [
    { path: "docs/b.md", text: "# Beta\nThe second text." },
    { path: "docs/a.md", text: "# Alpha\nThe first text." },
    { path: "README.md", text: "# Read me" },
  ];

  test("G-010 says how to give it files when it got none", async () => {
    const world = await offlineWorld();
    const none = await runExample(world, "examples/review.ts");
    const elsewhere = await runExample(world, "examples/review.ts", { args: { files, dir: "src" } });
    const hint = `Try: quickswarm run examples/review.ts --files "docs/*.md"`;
    expect(none.result).toEqual({ error: `No files were given. ${hint}` });
    expect(elsewhere.result).toEqual({ error: `None of the 3 files is below src/ ${hint}` });
    expect(none.children.done + elsewhere.children.done).toBe(0);
  });

  test("G-012 reviews the files below a folder, in the order of their paths", async () => {
    const world = await offlineWorld();
    const run = await runExample(world, "examples/review.ts", { args: { files, dir: "docs/" } });
    const finding = {
      score: expect.toSatisfy((score: number) => Number.isInteger(score) && score >= 1 && score <= 5),
      strength: expect.stringMatching(/^\[offline\] strength: /),
      weakness: expect.stringMatching(/^\[offline\] weakness: /),
    };
    expect(run.result).toEqual({
      files: 2,
      leftOut: 1,
      reviews: [
        { path: "docs/a.md", ...finding },
        { path: "docs/b.md", ...finding },
      ],
      failures: [],
      summary: expect.stringMatching(/^\[offline\] About “Review of 2 files”/),
    });
  });

  test("S-008 many files never meet the limit of live agents", async () => {
    const world = await offlineWorld();
    const many = Array.from({ length: 120 }, (_, index) => ({ path: `f${index}.md`, text: `text ${index}` }));
    const run = await runExample(world, "examples/review.ts", { args: { files: many } });
    expect(run.result).toMatchObject({ files: 120, leftOut: 0, failures: [] });
    expect(run.children.done).toBe(121);
  });

  test("D-010 reviews that fail are listed with their reason, and so is the summary that failed", async () => {
    const world = await offlineWorld();
    const run = await runExample(world, "examples/review.ts", { args: { files }, model: "offline:fail" });
    expect(run).toMatchObject({ state: "done", children: { done: 0, failed: 4 } });
    const reason = expect.stringContaining("offline:fail fails every attempt");
    expect(run.result).toMatchObject({
      reviews: [],
      failures: ["README.md", "docs/a.md", "docs/b.md"].map((path) => ({ path, reason })),
      summary: expect.stringMatching(/^There is no summary: .*offline:fail fails every attempt/),
    });
  });
});

describe("approval.js", () => {
  async function asked(patience?: string) {
    const world = await offlineWorld();
    const { runId } = await submitExample(world, "examples/approval.js", patience ? { args: { patience } } : {});
    const pending = async () => (await detailOf(world, runId)).pending;
    await until("it asks", async () => (await pending()).some((call) => call.approvalId !== undefined));
    return { world, runId, approvalId: (await pending())[0]?.approvalId ?? "" };
  }

  test("G-009 B-002 goes on when it is approved, over a restart, and ends with what the event says", async () => {
    const { world, runId, approvalId } = await asked();
    await world.restart();
    await world.runtime.decide(OPERATOR, approvalId, { decision: "approve" });
    await world.runtime.sendEvent(OPERATOR, runId, "deployed", { version: "1.2.0" });
    const { result } = await world.ended(runId);
    expect(result).toEqual({ deployed: true, version: "1.2.0", by: "operator" });
  });

  test("G-009 says why not when it is rejected, and when nobody answers", async () => {
    const rejected = await asked();
    const decision = { decision: "reject", comment: "not on a Friday" } as const;
    await rejected.world.runtime.decide(OPERATOR, rejected.approvalId, decision);
    expect((await rejected.world.ended(rejected.runId)).result).toEqual({ deployed: false, why: "not on a Friday" });
    const left = await asked("1s");
    left.world.clock.advance(1_000);
    expect((await left.world.ended(left.runId)).result).toEqual({ deployed: false, why: "expired" });
  });
});
