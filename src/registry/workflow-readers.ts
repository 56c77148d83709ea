// The readers of workflows-port.ts, on the connection that sees committed state only (L9).

import { type Connection, column } from "./driver.ts";

export function prepareWorkflowReaders(reader: Connection) {
  const workflows = column<string>(
    reader,
    `SELECT t.body FROM runs r JOIN run_inputs i ON i.run_n = r.n JOIN sources t ON t.n = i.workflows_n
     WHERE r.run_id = ?`,
  );
  const warnings = column<string>(
    reader,
    `SELECT body FROM events WHERE run_n = (SELECT n FROM runs WHERE run_id = ?) AND type = 'run.note'
       AND detail = 'warning warn' ORDER BY seq LIMIT ?`,
  );
  return {
    workflowsOf: (runId: string): string | undefined => workflows.get(runId),
    warningsOf: (runId: string, limit: number): string[] => warnings.all(runId, limit),
  };
}
