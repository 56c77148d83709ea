// Contract: the saved workflows that a run may call, and what the product warned of.

import { expect, test } from "vitest";
import { AT, newRun, type OpenStore, runIdOf, startRun } from "./builders.ts";

const SAVED = '[{"name":"a","path":"a.js","language":"js","script":"return 1"}]';

export function workflowsChapter(open: OpenStore): void {
  test("D-008 the saved workflows of a run are kept as they were submitted, over a restart, until it is archived", async () => {
    const store = await open();
    await store.registry.createRun(newRun(1, { workflows: SAVED }));
    await store.registry.createRun(newRun(2, { workflows: SAVED }));
    await store.registry.createRun(newRun(3));
    const registry = await store.restart();
    expect(await registry.workflowsOf(runIdOf(1))).toBe(SAVED);
    expect(await registry.workflowsOf(runIdOf(3))).toBeUndefined();
    expect(await registry.workflowsOf(runIdOf(9))).toBeUndefined();
    await registry.endRun(runIdOf(1), { state: "done", result: "1" }, true, AT);
    expect(await registry.archiveGroups(AT + 1, AT + 1, 10)).toHaveLength(1);
    expect(await registry.workflowsOf(runIdOf(1))).toBeUndefined();
    expect(await registry.workflowsOf(runIdOf(2))).toBe(SAVED);
  });

  test("D-012 the warnings of a run are read apart from its notes, oldest first and at most so many", async () => {
    const { registry } = await open();
    const run = await startRun(registry);
    await run.commit({
      notes: [
        { kind: "warning", level: "warn", text: "one" },
        { kind: "console", level: "warn", text: "the script's own" },
        { kind: "warning", level: "warn", text: "two" },
      ],
    });
    expect(await registry.warningsOf(run.runId, 10)).toEqual(["one", "two"]);
    expect(await registry.warningsOf(run.runId, 1)).toEqual(["one"]);
    expect(await registry.warningsOf(runIdOf(9), 10)).toEqual([]);
    expect((await registry.notes(run.runId, 0, 10)).map(({ kind }) => kind)).toEqual(["warning", "console", "warning"]);
  });
}
