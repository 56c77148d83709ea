// A child's id where a run's is meant: there is something with that id, so "nothing there" would mislead.

import { fault } from "../contract/fault.ts";
import { isChildId, runIdOfChild } from "../contract/ids.ts";

/** @throws Fault `bad_request` for the id of a child, with the run that spawned it. */
export function expectRunId(id: string): void {
  if (!isChildId(id)) return;
  const runId = runIdOfChild(id);
  throw fault("bad_request", `${id} is a child, and this command takes a run`, {
    next: `See its record with \`quickswarm wait ${id}\`${runId === undefined ? "" : `, its run with \`quickswarm show ${runId}\``}.`,
  });
}
