// The migration of budgets: totals of what was spent beside what they are totals of, reservations of requests
// that are under way, and the moments at which a budget of time is over. A row of `reservations` with
// another generation than the fence's belongs to a process that died. Never edited once released.

const TOTALS = (table: string): string => `
ALTER TABLE ${table} ADD COLUMN budget TEXT;
ALTER TABLE ${table} ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN assumed_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ${table} ADD COLUMN assumed_usd REAL NOT NULL DEFAULT 0;
`;

export const BUDGETS = `${TOTALS("runs")}${TOTALS("groups")}
ALTER TABLE children ADD COLUMN cached_tokens INTEGER;
ALTER TABLE children ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE children ADD COLUMN assumed_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE children ADD COLUMN assumed_usd REAL NOT NULL DEFAULT 0;

CREATE TABLE reservations (
  n INTEGER PRIMARY KEY,
  child_n INTEGER NOT NULL,
  run_n INTEGER,
  group_n INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  usd REAL NOT NULL,
  generation INTEGER NOT NULL
) STRICT;
CREATE INDEX reservations_child ON reservations (child_n);
CREATE INDEX reservations_run ON reservations (run_n) WHERE run_n IS NOT NULL;
CREATE INDEX reservations_group ON reservations (group_n);

CREATE TABLE budget_ends (
  due_at INTEGER NOT NULL,
  owner TEXT NOT NULL CHECK (owner IN ('run', 'group')),
  owner_n INTEGER NOT NULL,
  PRIMARY KEY (due_at, owner, owner_n)
) STRICT, WITHOUT ROWID;
`;
