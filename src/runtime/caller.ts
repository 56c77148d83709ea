// Who calls a gateway process, and which page of a list it wants. Identity comes from the connection.

export interface Caller {
  sessionKey: string;
  /** The operator sees and stops everything. */
  operator: boolean;
  /** Set when the caller is itself a child: its depth counts, and it holds no slot while it waits (L11). */
  childId?: string | undefined;
}

export interface PageRequest {
  limit?: number | undefined;
  after?: string | undefined;
}
