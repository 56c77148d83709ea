// The tables, as the numbered migrations that make them. A migration that was released is never
// edited: its hash is stored with the database and checked at each start. Changes are
// additive and come as a new entry at the end. Upholds L1 (one database, one transaction a turn).
//
// Rows of the hot path use integer keys (`n`), and every index is a page that a commit writes, so there
// are few: a run points to its newest snapshot and that to the one before; a child points to the call
// of its own run that waits for it (`wait_call`), other waiters stand in `waits`; runs with something
// to consume are found by their settled calls. What is large and never changes (arguments, long prompts)
// stands apart from what changes with every turn, because SQLite rewrites a whole row on update.

import { BUDGETS } from "./schema-budgets.ts";
import { HISTORY } from "./schema-history.ts";
import { ORIGINS, ORIGINS_BY_SOURCE } from "./schema-origins.ts";
import { PEOPLE } from "./schema-people.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const SESSIONS_AND_GROUPS = `
CREATE TABLE fence (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  generation INTEGER NOT NULL
) STRICT;
INSERT INTO fence (one, generation) VALUES (1, 0);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  n INTEGER PRIMARY KEY,
  session_key TEXT NOT NULL UNIQUE,
  parent_n INTEGER REFERENCES sessions (n)
) STRICT;
CREATE INDEX sessions_parent ON sessions (parent_n) WHERE parent_n IS NOT NULL;

CREATE TABLE groups (
  n INTEGER PRIMARY KEY,
  group_id TEXT NOT NULL,
  session_n INTEGER NOT NULL REFERENCES sessions (n),
  total INTEGER NOT NULL DEFAULT 0,
  active_runs INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  killed INTEGER NOT NULL DEFAULT 0,
  timed_out INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  quiet_at INTEGER,
  archived_at INTEGER,
  summary TEXT,
  UNIQUE (group_id, session_n)
) STRICT;
CREATE INDEX groups_session ON groups (session_n);
CREATE INDEX groups_busy ON groups (n) WHERE quiet_at IS NULL;
CREATE INDEX groups_quiet ON groups (quiet_at) WHERE quiet_at IS NOT NULL AND archived_at IS NULL;
`;

const RUNS = `
CREATE TABLE sources (
  n INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  uses INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
  n INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  session_n INTEGER NOT NULL REFERENCES sessions (n),
  group_n INTEGER NOT NULL REFERENCES groups (n),
  state TEXT NOT NULL CHECK (state IN ('running', 'waiting', 'done', 'failed', 'killed', 'quarantined')),
  epoch INTEGER NOT NULL DEFAULT 1,
  turn INTEGER NOT NULL DEFAULT 0,
  snapshot_n INTEGER,
  last_settle INTEGER NOT NULL DEFAULT 0,
  pending_calls INTEGER NOT NULL DEFAULT 0,
  undelivered INTEGER NOT NULL DEFAULT 0,
  notes_stored INTEGER NOT NULL DEFAULT 0,
  resume_crashes INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  killed INTEGER NOT NULL DEFAULT 0,
  timed_out INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  archived_at INTEGER,
  phase TEXT,
  error TEXT,
  result TEXT
) STRICT;
CREATE INDEX runs_session ON runs (session_n);
CREATE INDEX runs_group ON runs (group_n);
CREATE INDEX runs_fresh ON runs (n) WHERE turn = 0 AND ended_at IS NULL;
CREATE INDEX runs_active ON runs (n) WHERE ended_at IS NULL;

CREATE TABLE run_inputs (
  run_n INTEGER PRIMARY KEY REFERENCES runs (n),
  name TEXT NOT NULL,
  language TEXT NOT NULL CHECK (language IN ('js', 'ts')),
  file_name TEXT NOT NULL,
  model TEXT NOT NULL,
  agent_id TEXT,
  script_hash TEXT NOT NULL,
  source_n INTEGER REFERENCES sources (n),
  code_n INTEGER REFERENCES sources (n),
  limits TEXT NOT NULL,
  args TEXT
) STRICT;

CREATE TABLE snapshots (
  n INTEGER PRIMARY KEY,
  run_n INTEGER NOT NULL REFERENCES runs (n),
  turn INTEGER NOT NULL,
  parent_turn INTEGER,
  previous_n INTEGER,
  image_hash TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE images (
  image_hash TEXT PRIMARY KEY,
  engine_hash TEXT NOT NULL,
  controller_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE idempotency (
  session_n INTEGER NOT NULL REFERENCES sessions (n),
  kind TEXT NOT NULL CHECK (kind IN ('run', 'child')),
  key TEXT NOT NULL,
  target_n INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (session_n, kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_target ON idempotency (kind, target_n);
`;

/** A short prompt stands in the child's own row; a long one, with the options, in child_inputs. */
const CHILDREN = `
CREATE TABLE children (
  n INTEGER PRIMARY KEY,
  child_id TEXT NOT NULL UNIQUE,
  run_n INTEGER REFERENCES runs (n),
  parent_n INTEGER REFERENCES children (n),
  call_id INTEGER NOT NULL,
  session_n INTEGER NOT NULL REFERENCES sessions (n),
  group_n INTEGER NOT NULL REFERENCES groups (n),
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'killed', 'timeout')),
  attempt INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  wants_value INTEGER NOT NULL,
  fail_on_restart INTEGER NOT NULL,
  in_session INTEGER NOT NULL,
  deadline_at INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cost_usd REAL,
  label TEXT,
  phase TEXT,
  model TEXT NOT NULL,
  agent_id TEXT,
  error_code TEXT,
  error TEXT,
  schema_error TEXT,
  wait_call INTEGER,
  options TEXT,
  prompt TEXT,
  structured TEXT,
  result TEXT
) STRICT;
CREATE INDEX children_run ON children (run_n) WHERE run_n IS NOT NULL;
CREATE INDEX children_parent ON children (parent_n) WHERE parent_n IS NOT NULL;
CREATE INDEX children_group ON children (group_n);
CREATE INDEX children_queued ON children (n) WHERE status = 'queued';
CREATE INDEX children_deadline ON children (deadline_at) WHERE ended_at IS NULL AND deadline_at IS NOT NULL;

CREATE TABLE child_inputs (
  child_n INTEGER PRIMARY KEY REFERENCES children (n),
  options TEXT NOT NULL,
  prompt TEXT NOT NULL
) STRICT;

CREATE TABLE steps (
  n INTEGER PRIMARY KEY,
  child_n INTEGER NOT NULL REFERENCES children (n),
  attempt INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  step TEXT NOT NULL
) STRICT;
CREATE INDEX steps_child ON steps (child_n);

CREATE TABLE messages (
  n INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  child_n INTEGER NOT NULL REFERENCES children (n),
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  body TEXT NOT NULL
) STRICT;
CREATE INDEX messages_session ON messages (session_id);
CREATE INDEX messages_child ON messages (child_n);
`;

/**
 * Calls live until their answer is consumed. `answer` says where a settled one's payload comes from;
 * `holds_group` marks a wait for a child of another group, which may not be archived under it.
 */
const CALLS = `
CREATE TABLE calls (
  run_n INTEGER NOT NULL REFERENCES runs (n),
  call_id INTEGER NOT NULL,
  method TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'settled')),
  child_n INTEGER,
  holds_group INTEGER NOT NULL DEFAULT 0,
  settle_number INTEGER,
  ok INTEGER,
  answer TEXT CHECK (answer IN ('text', 'child', 'children')),
  due_at INTEGER,
  line INTEGER,
  col INTEGER,
  created_at INTEGER NOT NULL,
  payload TEXT,
  PRIMARY KEY (run_n, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_holding ON calls (child_n) WHERE holds_group = 1;
CREATE INDEX calls_settled ON calls (run_n, settle_number) WHERE state = 'settled';

CREATE TABLE waits (
  child_n INTEGER NOT NULL REFERENCES children (n),
  run_n INTEGER NOT NULL REFERENCES runs (n),
  call_id INTEGER NOT NULL,
  PRIMARY KEY (child_n, run_n, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waits_call ON waits (run_n, call_id);

CREATE TABLE timers (
  due_at INTEGER NOT NULL,
  run_n INTEGER NOT NULL REFERENCES runs (n),
  call_id INTEGER NOT NULL,
  PRIMARY KEY (due_at, run_n, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_run ON timers (run_n);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  session_n INTEGER NOT NULL,
  group_n INTEGER NOT NULL,
  run_n INTEGER,
  child_n INTEGER,
  number INTEGER,
  detail TEXT,
  body TEXT
) STRICT;
CREATE INDEX events_run ON events (run_n) WHERE run_n IS NOT NULL;
CREATE INDEX events_group ON events (group_n) WHERE run_n IS NULL;
`;

/** What a run's script may call by name, as it stood at the submit: one text, kept once per content. */
const SAVED_WORKFLOWS = `
ALTER TABLE run_inputs ADD COLUMN workflows_n INTEGER REFERENCES sources (n);
`;

export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "first tables", sql: SESSIONS_AND_GROUPS + RUNS + CHILDREN + CALLS },
  { number: 2, name: "origins of runs and children", sql: ORIGINS },
  { number: 3, name: "saved workflows of a run", sql: SAVED_WORKFLOWS },
  { number: 4, name: "kept turns", sql: HISTORY },
  { number: 5, name: "approvals and sent events", sql: PEOPLE },
  { number: 6, name: "origins by their source", sql: ORIGINS_BY_SOURCE },
  { number: 7, name: "budgets", sql: BUDGETS },
];
