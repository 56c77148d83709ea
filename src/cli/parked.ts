// Said by commands that answer a run while no gateway runs: the answer is kept, and nothing goes on by itself.

import type { Context } from "./context.ts";

export function sayParked({ io }: Context, runId: string): void {
  io.err.line(
    `no gateway runs, so the run is parked; go on with \`quickswarm resume ${runId}\` or \`quickswarm gateway\``,
  );
}
