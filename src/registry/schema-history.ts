// The tables of kept turns. Only a run that keeps history has rows here.

/**
 * A point is a turn that can be looked at and forked. `past_calls` are calls that were answered since the oldest
 * kept point, with the turn that consumed the answer (or the one after the last, when the run ended without it):
 * what was pending at a point is what was made by then and consumed later, or never.
 */
export const HISTORY = `
CREATE TABLE points (
  run_n INTEGER NOT NULL REFERENCES runs (n),
  turn INTEGER NOT NULL,
  at INTEGER NOT NULL,
  phase TEXT,
  last_call INTEGER NOT NULL,
  event_seq INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  snapshot_n INTEGER NOT NULL,
  PRIMARY KEY (run_n, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE past_calls (
  run_n INTEGER NOT NULL REFERENCES runs (n),
  turn INTEGER NOT NULL,
  call_id INTEGER NOT NULL,
  method TEXT NOT NULL,
  child_n INTEGER,
  settle_number INTEGER,
  ok INTEGER,
  answer TEXT,
  due_at INTEGER,
  line INTEGER,
  col INTEGER,
  created_at INTEGER NOT NULL,
  payload TEXT,
  PRIMARY KEY (run_n, turn, call_id)
) STRICT, WITHOUT ROWID;
`;
