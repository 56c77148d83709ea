// The registry's contract, as one suite over any store: each use case done normally, refused, repeated,
// by a stranger, after a restart and after the end. A second store passes it or is no registry.

import { describe } from "vitest";
import { approvalsChapter } from "./registry/approvals.ts";
import { budgetsChapter } from "./registry/budgets.ts";
import type { OpenStore } from "./registry/builders.ts";
import { childrenChapter } from "./registry/children.ts";
import { closedChapter } from "./registry/closed.ts";
import { forksChapter } from "./registry/forks.ts";
import { historyChapter } from "./registry/history.ts";
import { keepingChapter } from "./registry/keeping.ts";
import { outsideChapter } from "./registry/outside.ts";
import { ownershipChapter } from "./registry/ownership.ts";
import { readersChapter } from "./registry/readers.ts";
import { reuseChapter } from "./registry/reuse.ts";
import { runsChapter } from "./registry/runs.ts";
import { eventsChapter } from "./registry/sent-events.ts";
import { timeChapter } from "./registry/time.ts";
import { turnsChapter } from "./registry/turns.ts";
import { waitsChapter } from "./registry/waits.ts";
import { workflowsChapter } from "./registry/workflows.ts";

/** Registers the whole contract; every test opens a store of its own. */
export function registrySuite(storeName: string, open: OpenStore): void {
  describe(`the registry's contract on ${storeName}`, () => {
    describe("runs", () => runsChapter(open));
    describe("turns", () => turnsChapter(open));
    describe("waits", () => waitsChapter(open));
    describe("answers from outside", () => outsideChapter(open));
    describe("approvals", () => approvalsChapter(open));
    describe("sent events", () => eventsChapter(open));
    describe("children", () => childrenChapter(open));
    describe("time and restart", () => timeChapter(open));
    describe("reuse", () => reuseChapter(open));
    describe("history", () => historyChapter(open));
    describe("forks", () => forksChapter(open));
    describe("budgets", () => budgetsChapter(open));
    describe("keeping", () => keepingChapter(open));
    describe("readers", () => readersChapter(open));
    describe("ownership", () => ownershipChapter(open));
    describe("workflows", () => workflowsChapter(open));
    describe("the end", () => closedChapter(open));
  });
}
