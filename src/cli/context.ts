// What every command is handed: streams, clock, the global options, and the settings when it asks for them.

import type { LoadedSettings } from "../config/load.ts";
import { type Clock, systemClock } from "../contract/clock.ts";
import type { Io } from "./io.ts";

/** Options that stand before or after any command. */
export interface GlobalOptions {
  data?: string | undefined;
  config?: string | undefined;
  port?: string | undefined;
  url?: string | undefined;
  json?: boolean | undefined;
  color?: boolean | undefined;
  /** `gateway` only. */
  host?: string | undefined;
}

export interface Context {
  io: Io;
  clock: Clock;
  cwd: string;
  json: boolean;
  /** --url: the gateway to talk to, instead of the data directory's. */
  url: string | undefined;
  /** --data, --config and --url as they were given, for a command that goes on. */
  typed?: { readonly [name: string]: string | undefined };
  /** Reads configuration, environment and flags, once. Faults: `config_invalid`, `config_unreadable`. */
  load(): Promise<LoadedSettings>;
}

export function contextOf(globals: GlobalOptions, io: Io): Context {
  let loaded: Promise<LoadedSettings> | undefined;
  const overrides = { config: globals.config, dataDir: globals.data, host: globals.host, port: globals.port };
  return {
    io,
    clock: systemClock,
    cwd: process.cwd(),
    json: globals.json === true,
    url: globals.url,
    typed: { data: globals.data, config: globals.config, url: globals.url },
    load: () => {
      loaded ??= import("../config/load.ts").then(({ loadSettings }) => loadSettings({ overrides }));
      return loaded;
    },
  };
}
