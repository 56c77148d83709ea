#!/usr/bin/env node
// The command `quickswarm`. Loads as little as it can: each command brings what it needs (`--version`
// answers within 150 ms). The process ends by itself when everything it opened has been closed (law L7).

import { leaveOnSignal } from "./interrupt.ts";
import { NODE_VERSION_MIN, nodeIsOld } from "./node-version.ts";

if (nodeIsOld(process.versions.node)) {
  process.stderr.write(
    `error[node_too_old]: this is Node.js ${process.versions.node}\nnext: Use Node.js ${NODE_VERSION_MIN} or newer.\n`,
  );
  process.exitCode = 2;
} else {
  leaveOnSignal();
  const { runCli } = await import("./program.ts");
  process.exitCode = await runCli(process.argv.slice(2));
}
