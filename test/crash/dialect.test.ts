// Twelve workflows as people keep them, each run undisturbed, and once more with three kills on its way: the
// same result, the same agents, and no agent that had finished is run again.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SavedWorkflow } from "../../src/contract/api.ts";
import type { Budget } from "../../src/contract/budget.ts";
import type { Json } from "../../src/contract/json.ts";
import type { Stored } from "./support/host-process.ts";
import type { Job } from "./support/jobs.ts";
import { sideBySide } from "./support/side-by-side.ts";
import { type Start, Supervisor } from "./support/supervisor.ts";

const FOLDER = new URL("../fixtures/dialect/", import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(`${name}.js`, FOLDER), "utf8");
const HELPER: SavedWorkflow = {
  name: "helper",
  path: ".claude/workflows/helper.js",
  language: "js",
  script: textOf("helper"),
};

/** Each with what it must come to, and how many agents that takes. */
const WORKFLOWS: { name: string; args?: Json; budget?: Budget; agents: number; result: unknown }[] = [
  { name: "audit-fan-out", agents: 13, result: { audited: 9, severe: 4, confirmed: 4 } },
  {
    name: "research",
    agents: 13,
    result: { held: 1, of: 3, report: "A(Write down what holds: numbers)" },
  },
  { name: "review-loop", agents: 7, result: { draft: "A(Rewrite 3)", history: [17, 12, 12, 12] } },
  {
    name: "migration",
    agents: 7,
    result: {
      migrated: [
        expect.objectContaining({ place: "a", index: 0 }),
        expect.anything(),
        expect.objectContaining({ index: 3 }),
      ],
      skipped: ["broken"],
    },
  },
  { name: "nested", agents: 6, result: expect.objectContaining({ refused: true, merged: "A(Merge 2 and 3)" }) },
  {
    name: "schema-retries",
    agents: 5,
    result: [
      { value: { count: 13 }, failures: ["misfit first: /count is missing", "misfit second: /count is missing"] },
      { value: null, failures: ["misfit third: /count is missing", "misfit fourth: /count is missing"] },
    ],
  },
  { name: "null-on-failure", agents: 6, result: expect.objectContaining({ dead: ["fail 1", "fail 3"] }) },
  { name: "phases", agents: 4, result: expect.objectContaining({ declared: 3, began: true }) },
  {
    name: "thousand-agents",
    agents: 1000,
    result: { answered: 1000, refusal: "agent: this run has started 1000 agents, and may start no more" },
  },
  { name: "plain-args", args: "tides and moons", agents: 3, result: expect.objectContaining({ type: "string" }) },
  {
    name: "budget-stop",
    budget: { tokens: 100 },
    agents: 7,
    result: { done: 7, code: "budget_exceeded", total: 100, left: 0 },
  },
  { name: "refusal", agents: 2, result: { error: "args.files is missing", looked: 2 } },
];

const SETTINGS = { codeMode: { maxPendingToolCalls: 10_000 } };
/** After the first turn, before an agent's answer is stored, and after one was. */
const KILLS = ["afterTurnCommit", "afterChildRun", "afterSettle"];
const SUITE_MS = 400_000;

function jobOf({ name, args, budget }: (typeof WORKFLOWS)[number]): Job {
  const job: Job = {
    key: name,
    script: textOf(name),
    workflows: [HELPER],
    end: { state: "done", result: null },
    prompts: [],
    notes: [],
  };
  return { ...job, ...(args !== undefined && { args }), ...(budget && { budget }) };
}

/** What a job must come to, from what it came to undisturbed. */
function expecting(job: Job, stored: Stored): Job {
  const run = stored.runs.find((one) => one.name === job.key);
  const children = stored.children.filter(({ parentRunId }) => parentRunId === run?.runId);
  const notes = run?.notes ?? [];
  return {
    ...job,
    end: { state: "done", result: run?.result ?? null },
    prompts: children.map(({ prompt }) => prompt),
    notes,
  };
}

async function endOf(supervisor: Supervisor, start: Start): Promise<Stored | undefined> {
  await supervisor.start({ settings: SETTINGS, ...start });
  supervisor.submit();
  return supervisor.finish();
}

let undisturbed: Stored | undefined;

test(
  "D-001 D-002 D-004 D-005 D-006 D-013 twelve workflows of people come to what they say, with as many agents as they ask for",
  async () => {
    const supervisor = new Supervisor();
    await supervisor.start({ settings: SETTINGS });
    supervisor.submit(...WORKFLOWS.map(jobOf));
    undisturbed = await supervisor.finish(SUITE_MS);
    await supervisor.close();
    for (const { name, agents, result } of WORKFLOWS) {
      const run = undisturbed?.runs.find((one) => one.name === name);
      expect([name, run?.state, run?.result]).toEqual([name, "done", result]);
      const own = undisturbed?.children.filter(({ parentRunId }) => parentRunId === run?.runId);
      expect([name, own?.length]).toEqual([name, agents]);
    }
    expect(supervisor.complaints).toEqual([]);
  },
  SUITE_MS,
);

test(
  "D-009 R-004 R-001 with three kills on its way each comes to the same, and no agent that had finished is run again",
  async () => {
    const stored = undisturbed;
    if (!stored) throw new RangeError("nothing ran undisturbed");
    const ends = await sideBySide(2, WORKFLOWS, async (workflow) => {
      const supervisor = new Supervisor();
      supervisor.jobs.push(expecting(jobOf(workflow), stored));
      for (const point of KILLS) {
        expect(await endOf(supervisor, { kill: { point, occurrence: 1 } })).toBeUndefined();
        expect(await supervisor.host?.death).toMatchObject({ signal: "SIGKILL" });
      }
      const end = await endOf(supervisor, {});
      await supervisor.close();
      return [...supervisor.complaints, ...(end ? supervisor.check(end) : ["it did not end"])];
    });
    expect(ends.flat()).toEqual([]);
  },
  SUITE_MS,
);
