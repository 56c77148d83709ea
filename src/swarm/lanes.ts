// Lanes: who may run now. A slot is one place in its group's lane and one in the global lane.
// FIFO inside a group; groups get fair turns, because a group never has more entries in the global
// queue than its own concurrency (S-007). A holder that waits gives both places back (L11), so a
// parent that waits for nested children cannot block the lane that they need.

import PQueue from "p-queue";

export interface Slot {
  /** Whether the holder may run now. */
  readonly granted: boolean;
  /** Gives the places back for good; harmless when repeated or before the grant. */
  release(): void;
  /** Gives the places back while `work` runs, and takes them again, ahead of newcomers, before it resolves. */
  yieldWhile<Value>(work: () => Promise<Value>): Promise<Value>;
}

const NEWCOMER_PRIORITY = 0;
const RETURNING_PRIORITY = 1;

export class Lanes {
  readonly #global: PQueue;
  readonly #groups = new Map<string, PQueue>();
  #running = 0;
  #waiting = 0;

  /** @param globalMax children of all groups that run at once */
  constructor(globalMax: number) {
    this.#global = new PQueue({ concurrency: globalMax });
  }

  /**
   * Takes a place in line. `onGranted` is called once, synchronously when there is room now, and never after `release`.
   * @param groupMax children of this group that run at once
   */
  enter(groupId: string, groupMax: number, onGranted: () => void): Slot {
    const slot = new LaneSlot((holder, granted, priority) => this.#line(groupId, groupMax, holder, granted, priority));
    slot.queue(onGranted, NEWCOMER_PRIORITY);
    return slot;
  }

  counts(): { running: number; queued: number } {
    return { running: this.#running, queued: this.#waiting };
  }

  #line(groupId: string, groupMax: number, turn: LaneTurn, granted: () => void, priority: number): void {
    const group = this.#group(groupId, groupMax);
    this.#waiting += 1;
    let left = false;
    const leave = (): void => {
      if (!left) this.#waiting -= 1;
      left = true;
    };
    turn.onOver = leave;
    const hold = (): Promise<void> => {
      if (turn.over) return turn.held;
      leave();
      this.#running += 1;
      turn.onOver = () => {
        this.#running -= 1;
      };
      granted();
      return turn.held;
    };
    void group
      .add(async () => void (turn.over || (await this.#global.add(hold, { priority }))), { priority })
      .finally(() => {
        if (group.size === 0 && group.pending === 0) this.#groups.delete(groupId);
      });
  }

  #group(groupId: string, groupMax: number): PQueue {
    let group = this.#groups.get(groupId);
    if (!group) {
      group = new PQueue({ concurrency: groupMax });
      this.#groups.set(groupId, group);
    }
    if (group.concurrency !== groupMax) group.concurrency = groupMax;
    return group;
  }
}

/** One stay in line and, after it, in the lane. */
class LaneTurn {
  over = false;
  onOver: () => void = () => {};
  readonly held: Promise<void>;
  #end: () => void = () => {};

  constructor() {
    this.held = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.onOver();
    this.#end();
  }
}

type Line = (turn: LaneTurn, granted: () => void, priority: number) => void;

class LaneSlot implements Slot {
  granted = false;
  #released = false;
  #turn = new LaneTurn();
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  queue(onGranted: () => void, priority: number): void {
    const turn = new LaneTurn();
    this.#turn = turn;
    this.#line(
      turn,
      () => {
        this.granted = true;
        onGranted();
      },
      priority,
    );
  }

  release(): void {
    this.#released = true;
    this.granted = false;
    this.#turn.end();
  }

  async yieldWhile<Value>(work: () => Promise<Value>): Promise<Value> {
    this.granted = false;
    this.#turn.end();
    try {
      return await work();
    } finally {
      if (!this.#released) await this.#back();
    }
  }

  /** Resolves when the place is held again, or when the holder gave it up for good meanwhile. */
  async #back(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.queue(resolve, RETURNING_PRIORITY);
      void this.#turn.held.then(resolve);
    });
  }
}
