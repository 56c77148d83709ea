// The tables of where runs and children come from.

/**
 * Where a run or a child comes from when it does not begin at nothing: a fork, or results taken over from an
 * earlier run. Rows only where there is something to say, so that every other run stays as small as it was.
 * `alias`: the id by which the script of a fork knows the child. `follows_n`: it waits for that child's end.
 */
export const ORIGINS = `
CREATE TABLE run_origins (
  run_n INTEGER PRIMARY KEY REFERENCES runs (n),
  forked_n INTEGER REFERENCES runs (n),
  forked_turn INTEGER,
  reuse_n INTEGER REFERENCES runs (n)
) STRICT;
CREATE INDEX run_origins_reuse ON run_origins (reuse_n) WHERE reuse_n IS NOT NULL;

CREATE TABLE child_origins (
  child_n INTEGER PRIMARY KEY REFERENCES children (n) ON DELETE CASCADE,
  run_n INTEGER NOT NULL REFERENCES runs (n),
  source_id TEXT NOT NULL,
  alias TEXT,
  follows_n INTEGER,
  changed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX child_origins_alias ON child_origins (run_n, alias) WHERE alias IS NOT NULL;
CREATE INDEX child_origins_follows ON child_origins (follows_n) WHERE follows_n IS NOT NULL;

CREATE TABLE reusable (
  run_n INTEGER NOT NULL REFERENCES runs (n),
  call_hash TEXT NOT NULL,
  child_n INTEGER NOT NULL,
  PRIMARY KEY (run_n, call_hash, child_n)
) STRICT, WITHOUT ROWID;
`;

/** Who followed a child that was killed is found by it. */
export const ORIGINS_BY_SOURCE = `
CREATE INDEX child_origins_source ON child_origins (source_id);
`;
