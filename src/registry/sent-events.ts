// Events that programs send to a run. One that comes before the script waits for it is kept, by name and in
// order, up to a bound; it is taken once. Upholds L3, L10, G-009.

import type { EventReturnArgs } from "../contract/calls.ts";
import { fault } from "../contract/fault.ts";
import { EVENTS_KEPT_PER_NAME_MAX, EVENTS_KEPT_PER_RUN_MAX } from "../contract/limits.ts";
import { settleCall, type Wakes } from "./answers.ts";
import { viewerValues } from "./listing.ts";
import type { EventKept, SentEvent } from "./people-port.ts";
import type { Store } from "./store.ts";

/** Throws `not_found`, `wrong_state`, `event_inbox_full`. */
export function sendEvent(store: Store, event: SentEvent): EventKept {
  const { runId, name, payload, at } = event;
  const run = store.people.runSeen.get(runId, ...viewerValues(event.viewer));
  if (!run) throw fault("not_found", `There is no run ${JSON.stringify(runId.slice(0, 100))} that you may see.`);
  if (run.state === "done" || run.state === "failed" || run.state === "killed") {
    throw fault("wrong_state", `The run is ${run.state}; only a run that has not ended takes events.`, {
      details: { state: run.state },
    });
  }
  const wakes: Wakes = new Set();
  const delivered = deliver(store, run.n, name, payload, wakes);
  if (!delivered) {
    refuseTooMany(store, run.n, name);
    store.people.keepEvent.run(run.n, name, at, payload, run.n, name);
  }
  return { applied: delivered, runIds: [...wakes], kept: store.people.keptOfName.get(run.n, name) ?? 0 };
}

/** To the oldest wait for it; false when nothing waits. */
function deliver(store: Store, runN: number, name: string, payload: string, wakes: Wakes): boolean {
  const waiter = store.people.waiter.get(runN, JSON.stringify(name));
  return waiter !== undefined && settleCall(store, { runN, ...waiter }, { ok: true, source: "text", payload }, wakes);
}

function refuseTooMany(store: Store, runN: number, name: string): void {
  const ofName = store.people.keptOfName.get(runN, name) ?? 0;
  if (ofName >= EVENTS_KEPT_PER_NAME_MAX) {
    throw fault("event_inbox_full", `${ofName} events ${JSON.stringify(name)} wait for the script already.`, {
      details: { name, kept: ofName, limit: EVENTS_KEPT_PER_NAME_MAX },
    });
  }
  const ofRun = store.people.keptOfRun.get(runN) ?? 0;
  if (ofRun >= EVENTS_KEPT_PER_RUN_MAX) {
    throw fault("event_inbox_full", `${ofRun} events wait for the script already.`, {
      details: { kept: ofRun, limit: EVENTS_KEPT_PER_RUN_MAX },
    });
  }
}

/** The event that a given-up wait was answered with goes to the oldest wait for it, or back to the front of those kept. */
export function returnEvent(store: Store, runN: number, event: EventReturnArgs, at: number, wakes: Wakes): void {
  const payload = JSON.stringify(event.payload);
  if (!deliver(store, runN, event.name, payload, wakes)) {
    store.people.putBackEvent.run(runN, event.name, at, payload, runN, event.name);
  }
}
