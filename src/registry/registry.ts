// The port over one writer and one reader connection. Each method is one use case; what it does is in
// the file of that use case. Upholds L1, L3, L8, L9.

import { fault } from "../contract/fault.ts";
import { type Archiver, archiveGroup, type QuietGroup } from "./archive.ts";
import { reserve, runSpending, unlimited } from "./budgets.ts";
import { cancelChild, claimChildren, completeChild, recordStep, requeueChild, spawnDetached } from "./children.ts";
import type { Query } from "./driver.ts";
import { forkRun } from "./fork.ts";
import type { Inbox } from "./inbox.ts";
import { settleFromOutside } from "./outside.ts";
import type { PeopleReaders } from "./people-readers.ts";
import type { ChildForRun, Registry, Settled } from "./port.ts";
import type { Readers } from "./readers.ts";
import { type ChildRow, childForRun, type RunRow, runRecord } from "./rows.ts";
import { countResume, createRun, endRun, forgiveResume, releaseRun } from "./runs.ts";
import { bill } from "./spending.ts";
import type { RegistrySpending, ReserveAnswer } from "./spending-port.ts";
import type { Store } from "./store.ts";
import { type Fired, fireTimers, liveBelow, nothingDue, recover } from "./time.ts";
import { commitTurn } from "./turn.ts";
import type { Writer } from "./writer.ts";

/** Reads of the writer's connection: they serve turns that begin before the fsync. */
export interface TurnReads {
  inbox: Inbox;
  runByNumber: Query<RunRow>;
  runForTurn: Query<RunRow & RunInputRow>;
  childByNumber: Query<ChildRow>;
  childById: Query<ChildRow>;
  queuedChildren: Query<ChildRow>;
  image: Query<ImageRow>;
  setting: Query<string>;
  putImage: Query;
  putSetting: Query;
}

export interface RunInputRow {
  fileName: string;
  code: string;
  sourceText: string;
  args: string | null;
  agentId: string | null;
  limits: string;
}

export interface ImageRow {
  imageHash: string;
  engineHash: string;
  controllerHash: string;
  bytes: Buffer;
}

/** What the methods work with. */
export interface Engine {
  store: Store;
  writer: Writer;
  reads: TurnReads;
  readers: Readers;
  people: PeopleReaders;
  archiver: Archiver;
  /** Runs a read; rejects with `storage_closed` after the end, and with storage faults. */
  read<Value>(doing: string, run: () => Value): Promise<Value>;
  counters: { staleSettlements: number };
}

type Part<Names extends keyof Registry> = Pick<Registry, Names>;

type RunNames =
  | "hold"
  | ("createRun" | "runForTurn" | "undelivered" | "snapshotChain" | "commitTurn" | "settleCall")
  | ("endRun" | "countResume" | "forgiveResume" | "releaseRun");

export function runMethods({ store, writer, reads, read, counters }: Engine): Part<RunNames> {
  return {
    hold: () => writer.hold(),
    createRun: (run) =>
      writer.write("creating a run", () => {
        const { runN, created } = createRun(store, run);
        const row = reads.runByNumber.get(runN);
        if (!row) throw fault("internal", `Run ${run.runId} was stored and is not there.`);
        return { run: runRecord(row), created };
      }),
    runForTurn: (runId) =>
      read("reading a run", () => {
        const row = reads.runForTurn.get(runId);
        if (!row) return undefined;
        const { epoch, fileName, code, sourceText, limits, notesStored } = row;
        const optional = { args: row.args ?? undefined, agentId: row.agentId ?? undefined };
        return { run: runRecord(row), epoch, fileName, code, sourceText, limits, notesStored, ...optional };
      }),
    undelivered: (runId, limit, bytesMax) => read("reading answers", () => reads.inbox(runId, limit, bytesMax)),
    snapshotChain: (runId) =>
      read("reading snapshots", () => store.texts.snapshots.all(runId).map((row) => ({ runId, ...row }))),
    commitTurn: (commit, hooks) => writer.write("committing a turn", () => commitTurn(store, commit), hooks),
    async settleCall({ runId, callId }, answer, hooks) {
      const write = (): Settled => settleFromOutside(store, runId, callId, answer);
      const settled = await writer.write("settling a call", write, hooks);
      if (!settled.applied) counters.staleSettlements += 1;
      return settled;
    },
    endRun: (runId, outcome, cancelChildren, at) =>
      writer.write("ending a run", () => endRun(store, runId, outcome, cancelChildren, at)),
    countResume: (runId, at) => writer.write("counting a resume", () => countResume(store, runId, at)),
    forgiveResume: (runId) => writer.write("forgiving a resume", () => forgiveResume(store, runId)),
    releaseRun: (runId, at) => writer.write("releasing a run", () => releaseRun(store, runId, at)),
  };
}

type ChildNames =
  | ("spawnDetached" | "claimChildren" | "requeueChild" | "recordStep" | "steps" | "sessionHistory")
  | ("completeChild" | "cancelChild" | "queuedChildren" | "childForRun");

export function childMethods({ store, writer, reads, read, counters }: Engine): Part<ChildNames> {
  const stored = (childN: number): ChildForRun => {
    const row = reads.childByNumber.get(childN);
    if (!row) throw fault("internal", `Child number ${childN} is not there.`);
    return childForRun(row);
  };
  return {
    spawnDetached: (spawn) =>
      writer.write("spawning a child", () => {
        const { childN, created } = spawnDetached(store, spawn);
        return { child: stored(childN), created };
      }),
    claimChildren: (childIds, at, hooks) =>
      writer.write("claiming children", () => claimChildren(store, childIds, at).map(stored), hooks),
    async requeueChild(childId, attempt, reason, at) {
      const write = (): boolean => requeueChild(store, childId, attempt, reason, at);
      const applied = await writer.write("queueing a child again", write);
      if (!applied) counters.staleSettlements += 1;
      return applied;
    },
    recordStep: (childId, attempt, step, at) =>
      writer.write("storing a step", () => recordStep(store, childId, attempt, step, at)),
    steps: (childId) => read("reading steps", () => store.transcripts.steps.all(childId)),
    sessionHistory: (sessionId) => read("reading a session", () => store.transcripts.messages.all(sessionId)),
    async completeChild(completion, hooks) {
      const settled = await writer.write("completing a child", () => completeChild(store, completion), hooks);
      if (!settled.applied) counters.staleSettlements += 1;
      return settled;
    },
    cancelChild: (childId, reason, at) =>
      writer.write("cancelling a child", () => cancelChild(store, childId, reason, at)),
    queuedChildren: (afterTicket, limit, rootId) =>
      read("reading the queue", () => {
        if (rootId === undefined) return reads.queuedChildren.all(afterTicket, limit).map(childForRun);
        const queued = liveBelow(store, rootId).filter(({ n, status }) => status === "queued" && n > afterTicket);
        return queued.slice(0, limit).map(({ n }) => stored(n));
      }),
    childForRun: (childId) =>
      read("reading a child", () => {
        const row = reads.childById.get(childId);
        return row && childForRun(row);
      }),
  };
}

export function spendingMethods({ store, writer, read }: Engine): Part<keyof RegistrySpending> {
  return {
    async reserve(request) {
      const write = (): Promise<ReserveAnswer> => writer.write("reserving", () => reserve(store, request));
      return await read("reading budgets", () => unlimited(store, request) ?? write());
    },
    bill: (given) => writer.write("billing", () => bill(store, given)),
    runSpending: (runId) => read("reading a budget", () => runSpending(store, runId)),
  };
}

type KeepingNames =
  | ("fireTimers" | "recover" | "readyRuns" | "archiveGroups")
  | ("putImage" | "image" | "setting" | "putSetting");

export function keepingMethods({ store, writer, reads, archiver, read }: Engine): Part<KeepingNames> {
  return {
    async fireTimers(now, limit) {
      const write = (): Promise<Fired> => writer.write("firing timers", () => fireTimers(store, now, limit));
      return await read("reading timers", () => nothingDue(store, now) ?? write());
    },
    recover: (at, rootId) => writer.write("recovering", () => recover(store, at, rootId)),
    readyRuns: (afterRunId, limit) => read("reading ready runs", () => store.runs.ready.all(afterRunId, limit)),
    async archiveGroups(endedBefore, at, limit) {
      const archive = async (group: QuietGroup): Promise<string[]> => {
        const archived = await writer.write("archiving a group", () => archiveGroup(store, archiver, group, at));
        return archived ? [group.groupId] : [];
      };
      const quiet = (): QuietGroup[] => archiver.quiet.all(endedBefore, limit);
      const batches = await read("reading quiet groups", () => Promise.all(quiet().map(archive)));
      return batches.flat();
    },
    async putImage(image, at) {
      const { imageHash, engineHash, controllerHash, bytes } = image;
      await writer.write("storing an image", () =>
        reads.putImage.run(imageHash, engineHash, controllerHash, at, bytes),
      );
    },
    image: (imageHash) => read("reading an image", () => reads.image.get(imageHash)),
    setting: (name) => read("reading a setting", () => reads.setting.get(name)),
    async putSetting(name, value, at) {
      await writer.write("storing a setting", () => reads.putSetting.run(name, value, at));
    },
  };
}

/** The readers, asynchronous as the port has them. */
export function forkMethods({ store, writer, reads, read }: Engine): Part<"forkRun" | "freedBy"> {
  return {
    forkRun: (fork) =>
      writer.write("forking a run", () => {
        const { runN, created, earliestDueAt } = forkRun(store, fork);
        const row = reads.runByNumber.get(runN);
        if (!row) throw fault("internal", `Fork ${fork.runId} was stored and is not there.`);
        const queued = created ? store.forks.goingOn.all(runN) : [];
        return { run: runRecord(row), created, queued, earliestDueAt };
      }),
    freedBy: (childIds) =>
      read("reading freed children", () => childIds.flatMap((childId) => store.forks.freedBy.all(childId))),
  };
}

export function readMethods({ store, readers, read }: Engine): Part<keyof Readers | "chainAt"> {
  return {
    historyPoints: (runId) => read("reading history", () => readers.historyPoints(runId)),
    pointDetail: (runId, turn, viewer) => read("reading history", () => readers.pointDetail(runId, turn, viewer)),
    chainAt: (runId, turn) =>
      read("reading snapshots", () => store.texts.chainAt.all(runId, turn).map((row) => ({ runId, ...row }))),
    run: (runId, viewer) => read("reading a run", () => readers.run(runId, viewer)),
    runs: (viewer, page, state) => read("listing runs", () => readers.runs(viewer, page, state)),
    pendingCalls: (runId) => read("reading calls", () => readers.pendingCalls(runId)),
    notes: (runId, afterSeq, limit) => read("reading notes", () => readers.notes(runId, afterSeq, limit)),
    children: (viewer, filter, page) => read("listing children", () => readers.children(viewer, filter, page)),
    childrenById: (childIds, viewer) => read("reading children", () => readers.childrenById(childIds, viewer)),
    childCounts: (runId) => read("counting children", () => readers.childCounts(runId)),
    groups: (viewer, page) => read("listing groups", () => readers.groups(viewer, page)),
    group: (groupId, viewer) => read("reading a group", () => readers.group(groupId, viewer)),
    eventsAfter: (seq, filter, limit) => read("reading events", () => readers.eventsAfter(seq, filter, limit)),
    lastEventSeq: () => read("reading events", () => readers.lastEventSeq()),
    pendingToolCalls: (after, limit, runId) =>
      read("reading calls", () => readers.pendingToolCalls(after, limit, runId)),
    workflowsOf: (runId) => read("reading saved workflows", () => readers.workflowsOf(runId)),
    warningsOf: (runId, limit) => read("reading warnings", () => readers.warningsOf(runId, limit)),
  };
}
