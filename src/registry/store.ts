// What every write works on: the writer's connection with its statements, prepared once. State lives
// in the database alone, so that a batch that is taken back leaves nothing behind here (L1).

import { type Connection, column, type Query, query } from "./driver.ts";
import { prepareCalls, prepareChildren, prepareTimers, prepareTranscripts } from "./sql-children.ts";
import { prepareForks } from "./sql-forks.ts";
import { prepareHistory } from "./sql-history.ts";
import { prepareOrigins } from "./sql-origins.ts";
import { preparePeople } from "./sql-people.ts";
import { prepareGroups, prepareRuns, prepareSessions, prepareTexts } from "./sql-runs.ts";
import { prepareSpending } from "./sql-spending.ts";

export interface Store {
  readonly connection: Connection;
  readonly sessions: ReturnType<typeof prepareSessions>;
  readonly groups: ReturnType<typeof prepareGroups>;
  readonly runs: ReturnType<typeof prepareRuns>;
  readonly texts: ReturnType<typeof prepareTexts>;
  readonly children: ReturnType<typeof prepareChildren>;
  readonly transcripts: ReturnType<typeof prepareTranscripts>;
  readonly calls: ReturnType<typeof prepareCalls>;
  readonly timers: ReturnType<typeof prepareTimers>;
  readonly origins: ReturnType<typeof prepareOrigins>;
  readonly history: ReturnType<typeof prepareHistory>;
  readonly people: ReturnType<typeof preparePeople>;
  readonly forks: ReturnType<typeof prepareForks>;
  readonly spending: ReturnType<typeof prepareSpending>;
  readonly insertEvent: Query;
  readonly lastEventSeq: Query<number>;
}

export function prepareStore(connection: Connection): Store {
  return {
    connection,
    sessions: prepareSessions(connection),
    groups: prepareGroups(connection),
    runs: prepareRuns(connection),
    texts: prepareTexts(connection),
    children: prepareChildren(connection),
    transcripts: prepareTranscripts(connection),
    calls: prepareCalls(connection),
    timers: prepareTimers(connection),
    origins: prepareOrigins(connection),
    history: prepareHistory(connection),
    people: preparePeople(connection),
    forks: prepareForks(connection),
    spending: prepareSpending(connection),
    insertEvent: query(
      connection,
      `INSERT INTO events (type, at, session_n, group_n, run_n, child_n, number, detail, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    lastEventSeq: column<number>(connection, "SELECT coalesce(max(seq), 0) FROM events"),
  };
}

/** Where something stands: what its events and counters belong to. */
export interface Place {
  sessionN: number;
  groupN: number;
  runN: number | null;
}

export interface EventFacts {
  childN?: number;
  number?: number;
  detail?: string | null;
  body?: string | null;
}

export function appendEvent(store: Store, type: string, place: Place, at: number, facts: EventFacts): void {
  store.insertEvent.run(
    type,
    at,
    place.sessionN,
    place.groupN,
    place.runN,
    facts.childN ?? null,
    facts.number ?? null,
    facts.detail ?? null,
    facts.body ?? null,
  );
}
