// Who an MCP session is (S-014). A client that means to be the same after a reconnect or a restart of the
// gateway says so in a header of its connection; any other is as new as its session. The key that stands in
// records is a hash: from a record nobody learns what to say to become its owner.

import { createHash } from "node:crypto";
import { fault } from "../../contract/fault.ts";
import type { Caller } from "../../runtime/api.ts";

export const SESSION_HEADER = "quickswarm-session";
const SESSION_NAME = /^[\w.:-]{1,200}$/;
const KEY_CHARS = 32;

/** The caller of a session. Never the operator: a session sees what is its own. Throws `bad_request`. */
export function sessionCaller(connection: Caller, named: string | undefined, sessionId: string): Caller {
  if (named !== undefined && !SESSION_NAME.test(named)) {
    throw fault("bad_request", `The header ${SESSION_HEADER} takes 1 to 200 letters, digits and . _ : - signs.`);
  }
  const name = named === undefined ? ["once", sessionId] : ["named", named];
  const digest = createHash("sha256").update(JSON.stringify([connection.sessionKey, ...name]));
  return { sessionKey: `mcp:${digest.digest("hex").slice(0, KEY_CHARS)}`, operator: false };
}
