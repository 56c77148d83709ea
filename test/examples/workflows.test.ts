// The workflows that ship run as they are, offline, and come to what they say.

import { expect, test } from "vitest";
import { detailOf, offlineWorld, runExample } from "../support/examples.ts";

test("D-001 D-004 audit.js audits each file and checks each finding, in the phases that it declares", async () => {
  const world = await offlineWorld();
  const run = await runExample(world, "examples/workflows/audit.js");
  expect(run).toMatchObject({ state: "done", name: "audit", result: { audited: 3, of: 3 } });
  const { children, workflow } = await detailOf(world, run.runId);
  expect(workflow?.phases.map(({ title }) => title)).toEqual(["Audit", "Check"]);
  expect(children.map(({ phase }) => phase).sort()).toEqual(["Audit", "Audit", "Audit", "Check", "Check", "Check"]);
});

test("D-002 D-010 D-013 panel.js counts the voices that came, and the one that died stands in the census", async () => {
  const world = await offlineWorld();
  const run = await runExample(world, "examples/workflows/panel.js", { args: "Is it so?" });
  expect(run).toMatchObject({ state: "done", result: { counted: 3, of: 4 } });
  const { census } = await detailOf(world, run.runId);
  expect(census).toMatchObject({ done: 3, failed: 1, problems: [{ label: "the judge who is never there" }] });
});

test("D-002 improve.js ends within three rounds", async () => {
  const world = await offlineWorld();
  const run = await runExample(world, "examples/workflows/improve.js");
  expect(run).toMatchObject({ state: "done", result: { text: expect.stringContaining("[offline]") } });
  expect((run.result as { rounds: number }).rounds).toBeLessThanOrEqual(3);
});
