// What of the memory is read by people and programs: committed state only (L9), and of that what the viewer
// may see (S-014).

import type { SwarmEvent } from "../contract/events.ts";
import type {
  ChildCounts,
  ChildRecord,
  ChildStatus,
  GroupRecord,
  PendingCall,
  RunDetail,
  RunRecord,
  RunState,
} from "../contract/records.ts";
import type { ToolCallReaders } from "./tool-calls-port.ts";
import type { WorkflowReaders } from "./workflows-port.ts";

export interface Page {
  limit: number;
  /** Opaque: the `next` of the page before. */
  after?: string | undefined;
}

export type Listing<Row> = { rows: Row[]; next: string | undefined };

export interface ChildFilter {
  /** Children of a run, or of a child that spawns. */
  runId?: string | undefined;
  groupId?: string | undefined;
  status?: ChildStatus | undefined;
}

/** Who reads. A reader sees its own session, what its session spawned, and all with `all` (the operator). */
export interface Viewer {
  sessionKey: string;
  all: boolean;
}

export type EventFilter = { viewer: Viewer; runId?: string | undefined };

export interface RegistryReaders extends WorkflowReaders, ToolCallReaders {
  run(runId: string, viewer: Viewer): Promise<RunRecord | undefined>;
  runs(viewer: Viewer, page: Page, state?: RunState): Promise<Listing<RunRecord>>;
  pendingCalls(runId: string): Promise<PendingCall[]>;
  notes(runId: string, afterSeq: number, limit: number): Promise<RunDetail["notes"]>;
  children(viewer: Viewer, filter: ChildFilter, page: Page): Promise<Listing<ChildRecord>>;
  /** Visible records by id; ids the viewer may not see are missing, exactly like unknown ones (S-014). */
  childrenById(childIds: string[], viewer: Viewer): Promise<ChildRecord[]>;
  childCounts(runId: string): Promise<ChildCounts>;
  groups(viewer: Viewer, page: Page): Promise<Listing<GroupRecord>>;
  group(groupId: string, viewer: Viewer): Promise<GroupRecord | undefined>;
  eventsAfter(seq: number, filter: EventFilter, limit: number): Promise<SwarmEvent[]>;
  lastEventSeq(): Promise<number>;
}
