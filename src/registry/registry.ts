// The port over one writer and one reader connection. Each method is one use case; what it does is in
// the file of that use case. Upholds L1, L3, L8, L9.

import { fault } from "../contract/fault.ts";
import { type Archiver, archiveGroup } from "./archive.ts";
import { cancelChild, claimChildren, completeChild, requeueChild, spawnDetached } from "./children.ts";
import type { Query } from "./driver.ts";
import type { Inbox } from "./inbox.ts";
import type { ChildForRun, Registry } from "./port.ts";
import type { Readers } from "./readers.ts";
import { type ChildRow, childForRun, type RunRow, runRecord } from "./rows.ts";
import { countResume, createRun, endRun, releaseRun } from "./runs.ts";
import type { Store } from "./store.ts";
import { fireTimers, nothingDue, recover } from "./time.ts";
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
  archiver: Archiver;
  /** Throws `storage_closed` after the end. */
  mustBeOpen(): void;
  counters: { staleSettlements: number };
}

type Part<Names extends keyof Registry> = Pick<Registry, Names>;

type RunNames =
  | "hold"
  | ("createRun" | "runForTurn" | "undelivered" | "snapshotChain" | "commitTurn")
  | ("endRun" | "countResume" | "releaseRun");

export function runMethods({ store, writer, reads, mustBeOpen }: Engine): Part<RunNames> {
  return {
    hold: () => writer.hold(),
    async createRun(run) {
      const { runN, created } = await writer.write("creating a run", () => createRun(store, run));
      const row = reads.runByNumber.get(runN);
      if (!row) throw fault("internal", `Run ${run.runId} was stored and is not there`);
      return { run: runRecord(row), created };
    },
    async runForTurn(runId) {
      mustBeOpen();
      const row = reads.runForTurn.get(runId);
      if (!row) return undefined;
      const { epoch, fileName, code, sourceText, limits, notesStored } = row;
      const optional = { args: row.args ?? undefined, agentId: row.agentId ?? undefined };
      return { run: runRecord(row), epoch, fileName, code, sourceText, limits, notesStored, ...optional };
    },
    async undelivered(runId, limit, bytesMax) {
      mustBeOpen();
      return reads.inbox(runId, limit, bytesMax);
    },
    async snapshotChain(runId) {
      mustBeOpen();
      return store.texts.snapshots.all(runId).map((row) => ({ runId, ...row }));
    },
    commitTurn: (commit, hooks) => writer.write("committing a turn", () => commitTurn(store, commit), hooks),
    endRun: (runId, outcome, cancelChildren, at) =>
      writer.write("ending a run", () => endRun(store, runId, outcome, cancelChildren, at)),
    countResume: (runId, at) => writer.write("counting a resume", () => countResume(store, runId, at)),
    releaseRun: (runId, at) => writer.write("releasing a run", () => releaseRun(store, runId, at)),
  };
}

type ChildNames =
  | ("spawnDetached" | "claimChildren" | "requeueChild" | "recordStep" | "steps" | "sessionHistory")
  | ("completeChild" | "cancelChild" | "queuedChildren" | "childForRun");

export function childMethods({ store, writer, reads, mustBeOpen, counters }: Engine): Part<ChildNames> {
  const read = (childN: number): ChildForRun => {
    const row = reads.childByNumber.get(childN);
    if (!row) throw fault("internal", `Child number ${childN} is not there`);
    return childForRun(row);
  };
  return {
    spawnDetached: (spawn) =>
      writer.write("spawning a child", () => {
        const { childN, created } = spawnDetached(store, spawn);
        return { child: read(childN), created };
      }),
    claimChildren: (childIds, at, hooks) =>
      writer.write("claiming children", () => claimChildren(store, childIds, at).map(read), hooks),
    async requeueChild(childId, attempt, reason, at) {
      const write = (): boolean => requeueChild(store, childId, attempt, reason, at);
      const applied = await writer.write("queueing a child again", write);
      if (!applied) counters.staleSettlements += 1;
      return applied;
    },
    recordStep: (childId, attempt, step, at) =>
      writer.write("storing a step", () => {
        const child = store.children.head.get(childId);
        if (!child) throw fault("not_found", `There is no child ${childId}`);
        if (child.status !== "running" || child.attempt !== attempt) {
          counters.staleSettlements += 1;
          throw fault("stale_epoch", `Child ${childId} is ${child.status} in attempt ${child.attempt}, not ${attempt}`);
        }
        store.transcripts.insertStep.run(child.n, attempt, at, step);
      }),
    async steps(childId) {
      mustBeOpen();
      return store.transcripts.steps.all(childId);
    },
    async sessionHistory(sessionId) {
      mustBeOpen();
      return store.transcripts.messages.all(sessionId);
    },
    async completeChild(completion, hooks) {
      const settled = await writer.write("completing a child", () => completeChild(store, completion), hooks);
      if (!settled.applied) counters.staleSettlements += 1;
      return settled;
    },
    cancelChild: (childId, reason, at) =>
      writer.write("cancelling a child", () => cancelChild(store, childId, reason, at)),
    async queuedChildren(afterTicket, limit) {
      mustBeOpen();
      return reads.queuedChildren.all(afterTicket, limit).map(childForRun);
    },
    async childForRun(childId) {
      mustBeOpen();
      const row = reads.childById.get(childId);
      return row && childForRun(row);
    },
  };
}

type KeepingNames =
  | ("fireTimers" | "recover" | "readyRuns" | "archiveGroups")
  | ("putImage" | "image" | "setting" | "putSetting");

export function keepingMethods({ store, writer, reads, archiver, mustBeOpen }: Engine): Part<KeepingNames> {
  return {
    async fireTimers(now, limit) {
      mustBeOpen();
      return nothingDue(store, now) ?? writer.write("firing timers", () => fireTimers(store, now, limit));
    },
    recover: (at) => writer.write("recovering", () => recover(store, at)),
    async readyRuns(afterRunId, limit) {
      mustBeOpen();
      return store.runs.ready.all(afterRunId, limit);
    },
    async archiveGroups(endedBefore, at, limit) {
      mustBeOpen();
      const batches = archiver.quiet.all(endedBefore, limit).map(async (group) => {
        const archived = await writer.write("archiving a group", () => archiveGroup(store, archiver, group, at));
        return archived ? [group.groupId] : [];
      });
      return (await Promise.all(batches)).flat();
    },
    async putImage(image, at) {
      const { imageHash, engineHash, controllerHash, bytes } = image;
      await writer.write("storing an image", () =>
        reads.putImage.run(imageHash, engineHash, controllerHash, at, bytes),
      );
    },
    async image(imageHash) {
      mustBeOpen();
      return reads.image.get(imageHash);
    },
    async setting(name) {
      mustBeOpen();
      return reads.setting.get(name);
    },
    async putSetting(name, value, at) {
      await writer.write("storing a setting", () => reads.putSetting.run(name, value, at));
    },
  };
}

/** The readers, asynchronous as the port has them. */
export function readMethods({ readers, mustBeOpen }: Engine): Part<keyof Readers> {
  const open = (): Readers => {
    mustBeOpen();
    return readers;
  };
  return {
    run: async (runId, viewer) => open().run(runId, viewer),
    runs: async (viewer, page, state) => open().runs(viewer, page, state),
    pendingCalls: async (runId) => open().pendingCalls(runId),
    notes: async (runId, afterSeq, limit) => open().notes(runId, afterSeq, limit),
    children: async (viewer, filter, page) => open().children(viewer, filter, page),
    childrenById: async (childIds, viewer) => open().childrenById(childIds, viewer),
    childCounts: async (runId) => open().childCounts(runId),
    groups: async (viewer, page) => open().groups(viewer, page),
    group: async (groupId, viewer) => open().group(groupId, viewer),
    eventsAfter: async (seq, filter, limit) => open().eventsAfter(seq, filter, limit),
    lastEventSeq: async () => open().lastEventSeq(),
  };
}
