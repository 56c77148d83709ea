// The tables of what a run waits for from outside: approvals and events. Part of the numbered migrations.

/**
 * An approval is found by its run and call, which its id names. Events that were sent wait by name until the
 * script does; numbers count up, and down for one that is put back.
 */
export const PEOPLE = `
CREATE TABLE approvals (
  n INTEGER PRIMARY KEY,
  run_n INTEGER NOT NULL REFERENCES runs (n),
  call_id INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'expired', 'cancelled')),
  fails_late INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  decided_at INTEGER,
  decided_by TEXT,
  comment TEXT,
  title TEXT NOT NULL,
  data TEXT,
  details TEXT,
  UNIQUE (run_n, call_id)
) STRICT;
CREATE INDEX approvals_pending ON approvals (run_n) WHERE state = 'pending';

CREATE TABLE sent_events (
  run_n INTEGER NOT NULL REFERENCES runs (n),
  name TEXT NOT NULL,
  number INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (run_n, name, number)
) STRICT, WITHOUT ROWID;
`;
