// The gateway inside another process, on a free loopback port: `quickswarm run FILE` without a gateway.
// It writes gateway.json as well, so that other commands find the run from another terminal meanwhile.

import type { Settings } from "../contract/settings.ts";
import { createClient, type GatewayClient } from "./client.ts";
import type { GatewayOptions } from "./listen.ts";
import { serveGateway } from "./serve.ts";

export interface EmbeddedGateway {
  readonly url: string;
  readonly client: GatewayClient;
  /** Closes the client and the gateway. */
  close(): Promise<void>;
}

export interface EmbeddedOptions extends Omit<GatewayOptions, "embedded"> {
  /** Only looks: no turn and no child starts. */
  passive?: boolean;
}

const LOOPBACK_HOST = "127.0.0.1";
const ANY_FREE_PORT = 0;

/** Logs warnings and errors only, unless `settings.logLevel` asks for more than the default. Throws as `serveGateway`. */
export async function openEmbeddedGateway(
  settings: Settings,
  { passive, ...options }: EmbeddedOptions = {},
): Promise<EmbeddedGateway> {
  const address = { ...settings.gateway, host: LOOPBACK_HOST, port: ANY_FREE_PORT };
  // Its stderr is the terminal of somebody who runs a script and did not ask for a gateway's request log.
  const logLevel = settings.logLevel === "info" ? "warn" : settings.logLevel;
  const gateway = await serveGateway(
    { ...settings, gateway: address, logLevel },
    {
      ...options,
      embedded: passive ? "passive" : "active",
    },
  );
  const client = createClient({
    url: gateway.url,
    token: gateway.token,
    ...(options.clock && { clock: options.clock }),
  });
  return {
    url: gateway.url,
    client,
    async close() {
      client.close();
      await gateway.close();
    },
  };
}
