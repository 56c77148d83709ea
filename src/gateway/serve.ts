// The gateway as a process of its own: `quickswarm gateway`.

import type { Settings } from "../contract/settings.ts";
import { openRuntime } from "../runtime/open.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./listen.ts";

export type { Gateway, GatewayOptions } from "./listen.ts";

/**
 * Opens the data directory and answers on `settings.gateway` until `close`.
 * Throws `port_in_use`, `config_invalid`, `database_locked` and what `openRuntime` throws.
 */
export function serveGateway(settings: Settings, options: GatewayOptions = {}): Promise<Gateway> {
  return startGateway(settings, openRuntime, options);
}
