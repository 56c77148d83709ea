// What a script is told of tools when it starts: the servers that it may call, and their declarations when its
// text may read them. It becomes part of the VM, so a restart changes nothing of it (G-014).

import type { GuestToolServer } from "../bridge/port.ts";
import type { RunForTurn } from "../registry/port.ts";
import type { SwarmContext } from "./context.ts";

/** How long a start waits for the servers to list their tools; then it goes on without. */
const DECLARATIONS_MS_MAX = 5_000;
/** Declarations of all servers together, characters. */
const DECLARATIONS_CHARS_MAX = 256 * 1024;
/** A script that does not say this word reads no declarations, and no server is started for it. */
const MENTIONS_TOOLS = /\btools\b/;

export async function toolServersFor(context: SwarmContext, row: RunForTurn): Promise<GuestToolServer[]> {
  const { tools, policy, clock } = context;
  const allowed = row.agentId === undefined ? undefined : policy.agent(row.agentId)?.tools;
  const names = tools.serversFor(allowed);
  if (names.length === 0 || !MENTIONS_TOOLS.test(row.sourceText)) return names.map((name) => ({ name }));
  const late = new AbortController();
  const timer = clock.setTimer(DECLARATIONS_MS_MAX, () => late.abort());
  const servers = await Promise.all(
    names.map(async (name): Promise<GuestToolServer> => {
      const say = (): string => `// The server ${name} did not list its tools in time.\n`;
      return { name, declarations: await tools.declarations(name, allowed, late.signal).catch(say) };
    }),
  );
  timer.cancel();
  let left = DECLARATIONS_CHARS_MAX;
  return servers.map(({ name, declarations = "" }) => {
    left -= declarations.length;
    return {
      name,
      declarations: left >= 0 ? declarations : `// The declarations of ${name} are too long to be shown.\n`,
    };
  });
}
