// Contract: after the end every method says so, and nothing that was acknowledged is lost.

import { expect, test } from "vitest";
import type { NewFork } from "../../../src/registry/history-port.ts";
import type { Registry } from "../../../src/registry/port.ts";
import {
  AT,
  codeOf,
  detached,
  detachedIdOf,
  ended,
  newRun,
  type OpenStore,
  OWNER,
  PAGE,
  startRun,
} from "./builders.ts";

const OUTCOME = { state: "done", result: "1" } as const;
const APPROVAL = "apr_1";
const DECISION = { viewer: OWNER, decision: "approve", comment: undefined, data: undefined, at: AT } as const;
const IMAGE = { imageHash: "h", engineHash: "e", controllerHash: "c", bytes: new Uint8Array(1) };

const ESTIMATE = { inputTokens: 1, outputTokens: 1, outputTokensMin: 1, price: undefined };

/** Every asynchronous method of the port, called once. */
function everyMethod(registry: Registry): {
  [Name in keyof Omit<Registry, "close" | "onEvents" | "counters" | "hold">]: () => Promise<unknown>;
} {
  const commit = { ...newRun(1), epoch: 1, turn: 1 };
  return {
    historyPoints: () => registry.historyPoints("run"),
    pointDetail: () => registry.pointDetail("run", 1, OWNER),
    chainAt: () => registry.chainAt("run", 1),
    forkRun: () => registry.forkRun({} as NewFork),
    freedBy: () => registry.freedBy(["agt"]),
    createRun: () => registry.createRun(newRun(1)),
    runForTurn: () => registry.runForTurn("run"),
    undelivered: () => registry.undelivered("run", 1, 1),
    snapshotChain: () => registry.snapshotChain("run"),
    commitTurn: () =>
      registry.commitTurn({
        ...{ runId: commit.runId, epoch: 1, turn: 1, consumed: [], calls: [], children: [], settled: [], notes: [] },
        ...{ groupLimits: { maxChildrenPerGroup: 1, maxTotalPerGroup: 1 }, notesDropped: 0, snapshot: null },
        ...{ outcome: OUTCOME, at: AT },
      }),
    settleCall: () => registry.settleCall({ runId: "run", callId: 1 }, { ok: true, payload: "1" }),
    endRun: () => registry.endRun("run", OUTCOME, true, AT),
    countResume: () => registry.countResume("run", AT),
    forgiveResume: () => registry.forgiveResume("run"),
    releaseRun: () => registry.releaseRun("run", AT),
    spawnDetached: () => registry.spawnDetached(detached(detachedIdOf(1))),
    claimChildren: () => registry.claimChildren(["agt"], AT),
    requeueChild: () => registry.requeueChild("agt", 1, "x", AT),
    recordStep: () => registry.recordStep("agt", 1, "{}", AT),
    steps: () => registry.steps("agt"),
    sessionHistory: () => registry.sessionHistory("ses"),
    completeChild: () => registry.completeChild(ended("agt")),
    cancelChild: () => registry.cancelChild("agt", "x", AT),
    queuedChildren: () => registry.queuedChildren(0, 1),
    childForRun: () => registry.childForRun("agt"),
    fireTimers: () => registry.fireTimers(AT, 1),
    recover: () => registry.recover(AT),
    readyRuns: () => registry.readyRuns("", 1),
    archiveGroups: () => registry.archiveGroups(AT, AT, 1),
    putImage: () => registry.putImage(IMAGE, AT),
    image: () => registry.image("h"),
    pendingToolCalls: () => registry.pendingToolCalls(undefined, 1),
    workflowsOf: () => registry.workflowsOf("run"),
    warningsOf: () => registry.warningsOf("run", 1),
    setting: () => registry.setting("a"),
    putSetting: () => registry.putSetting("a", "1", AT),
    backup: () => registry.backup("/nowhere/copy.db"),
    reserve: () => registry.reserve({ childId: "agt", attempt: 1, estimate: ESTIMATE, at: AT }),
    bill: () => registry.bill({ childId: "agt", reservationId: null, usage: undefined, costUsd: undefined }),
    runSpending: () => registry.runSpending("run"),
    run: () => registry.run("run", OWNER),
    runs: () => registry.runs(OWNER, PAGE),
    pendingCalls: () => registry.pendingCalls("run"),
    notes: () => registry.notes("run", 0, 1),
    children: () => registry.children(OWNER, {}, PAGE),
    childrenById: () => registry.childrenById(["agt"], OWNER),
    childCounts: () => registry.childCounts("run"),
    groups: () => registry.groups(OWNER, PAGE),
    group: () => registry.group("g", OWNER),
    eventsAfter: () => registry.eventsAfter(0, { viewer: OWNER }, 1),
    lastEventSeq: () => registry.lastEventSeq(),
    approvals: () => registry.approvals(OWNER, {}, PAGE),
    approval: () => registry.approval(APPROVAL, OWNER),
    decideApproval: () => registry.decideApproval({ approvalId: APPROVAL, ...DECISION }),
    sendEvent: () => registry.sendEvent({ runId: "run", viewer: OWNER, name: "a", payload: "1", at: AT }),
  };
}

export function closedChapter(open: OpenStore): void {
  test("every method of a closed registry is refused with storage_closed", async () => {
    const { registry } = await open();
    await registry.close();
    const codes: { [name: string]: string } = {};
    for (const [name, call] of Object.entries(everyMethod(registry))) codes[name] = await codeOf(call());
    const names = Object.keys(codes);
    expect(names.length).toBeGreaterThan(35);
    expect(codes).toEqual(Object.fromEntries(names.map((name) => [name, "storage_closed"])));
  });

  test("closing twice is harmless, and a subscription can be ended afterwards", async () => {
    const { registry } = await open();
    const end = registry.onEvents(() => {});
    await Promise.all([registry.close(), registry.close()]);
    end();
    expect(registry.counters().operations).toBe(0);
  });

  test("writes that were under way when the registry was closed are kept", async () => {
    const store = await open();
    const writing = store.registry.putSetting("a", "1", AT);
    const creating = startRun(store.registry, 1);
    const registry = await store.restart();
    await Promise.all([writing, creating]);
    expect(await registry.setting("a")).toBe("1");
    expect((await registry.runs(OWNER, PAGE)).rows).toHaveLength(1);
  });
}
