// One configured MCP server: connected by its first use and kept; one that died is started again by the next
// use, at once the first time and after growing pauses when it keeps failing (L10). It ends with its host (L7).

import type { Clock } from "../contract/clock.ts";
import { fault, isFault } from "../contract/fault.ts";
import type { McpServerSettings } from "../contract/tool-settings.ts";
import type { OfferedTool, ToolCallRequest } from "../contract/tools.ts";
import { aborting, type Connection, openConnection, Unready } from "./connection.ts";
import { reasonOf } from "./redact.ts";

/** The pause after the second failure in a row; it doubles with each. */
export const BACKOFF_MS = 1_000;
export const BACKOFF_MS_MAX = 60_000;
const NEVER_MS = 2_147_483_647;
/** What tells a server which call this is, in the request's `_meta`. */
const KEY_META = "quickswarm/idempotencyKey";
const ATTEMPT_META = "quickswarm/attempt";

export interface ServerParts {
  settings: McpServerSettings;
  clock: Clock;
  version: string;
  /** The words of what went wrong, for the host's log; what may be secret is taken out there. */
  onTrouble: (what: string, text: string) => void;
}

export class ToolServer {
  readonly #parts: ServerParts;
  readonly #ending = new AbortController();
  #connecting: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  readonly #closing = new Set<Promise<void>>();
  /** Failures in a row; a call that came through ends the row. */
  #failures = 0;
  #failedAt = 0;
  #reason = "";

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  get settings(): McpServerSettings {
    return this.#parts.settings;
  }

  /** @throws Fault `tool_unavailable`, naming the server and the reason */
  async tools(signal: AbortSignal): Promise<OfferedTool[]> {
    const connection = await aborting(this.#open(), signal);
    try {
      return await aborting(connection.tools(this.#ending.signal), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#lost(connection, error);
    }
  }

  /**
   * The server's own answer, unread. Rejects with the signal's reason, with what the server answered as an
   * error of the protocol, or with Fault `tool_unavailable` when it is not there or died meanwhile.
   */
  async call({ name, args, idempotencyKey, attempt }: ToolCallRequest, signal: AbortSignal) {
    const connection = await aborting(this.#open(), signal);
    const _meta = { [KEY_META]: idempotencyKey, [ATTEMPT_META]: attempt };
    try {
      const options = { signal, timeout: NEVER_MS };
      const answer = await connection.client.callTool({ name, arguments: args, _meta }, options);
      this.#failures = 0;
      return answer;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isProtocolAnswer(error)) throw error;
      throw this.#lost(connection, error);
    }
  }

  async close(): Promise<void> {
    this.#ending.abort(closedFault(this.#parts.settings.id));
    await this.#connecting?.catch(() => {});
    if (this.#connection) this.#drop(this.#connection);
    await Promise.all(this.#closing);
  }

  /** The connection there is, or a new one, made once for all who wait. */
  #open(): Promise<Connection> {
    const { settings, clock } = this.#parts;
    if (this.#ending.signal.aborted) return Promise.reject(closedFault(settings.id));
    if (this.#connection?.isOpen()) return Promise.resolve(this.#connection);
    if (this.#connection) {
      this.#failed(reasonOf(undefined, this.#connection.exit()));
      this.#drop(this.#connection);
    }
    if (this.#connecting) return this.#connecting;
    const waitMs = this.#failedAt + backoffMs(this.#failures) - clock.monotonic();
    if (this.#failures > 0 && waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      return Promise.reject(this.#unavailable(`${this.#reason}; it is tried again in ${seconds} s`));
    }
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const { settings, clock, version, onTrouble } = this.#parts;
    try {
      const connection = await openConnection({ settings, clock, version, signal: this.#ending.signal });
      this.#connection = connection;
      return connection;
    } catch (error) {
      if (this.#ending.signal.aborted) throw closedFault(settings.id);
      const reason = isFault(error)
        ? error.message
        : error instanceof Unready
          ? reasonOf(error.cause, error.exit)
          : reasonOf(error, undefined);
      onTrouble("a server of tools could not be started", error instanceof Unready ? textOf(error) : reason);
      this.#failed(reason);
      throw this.#unavailable(reason);
    }
  }

  /** The connection is of no more use; the next call makes another. */
  #lost(connection: Connection, error: unknown) {
    const reason = reasonOf(error, connection.exit());
    this.#parts.onTrouble("a server of tools was lost", `${messageOf(error)} ${connection.stderr()}`);
    if (this.#connection === connection) {
      this.#failed(reason);
      this.#drop(connection);
    }
    return this.#unavailable(`it was lost during the call: ${reason}`);
  }

  #failed(reason: string): void {
    this.#failures++;
    this.#failedAt = this.#parts.clock.monotonic();
    this.#reason = reason;
  }

  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined;
    const closing = connection.close().catch(() => {});
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  #unavailable(reason: string) {
    return fault("tool_unavailable", `The server ${JSON.stringify(this.#parts.settings.id)} is not there: ${reason}.`);
  }
}

/** Nothing after the first failure: a server that died is started again at once, one that keeps dying is not. */
export function backoffMs(failures: number): number {
  return failures < 2 ? 0 : Math.min(BACKOFF_MS * 2 ** (failures - 2), BACKOFF_MS_MAX);
}

function closedFault(id: string) {
  return fault("tool_unavailable", `The server ${JSON.stringify(id)} is not there: the gateway is shutting down.`);
}

/** An answer of the server as the protocol has it, with a number for a code; the connection is well. */
function isProtocolAnswer(error: unknown): boolean {
  return typeof error === "object" && error !== null && typeof (error as { code?: unknown }).code === "number";
}

function textOf(error: Unready): string {
  return `${messageOf(error.cause)} ${error.stderr}`;
}

function messageOf(error: unknown): string {
  return (error as { message?: string } | null)?.message ?? "";
}
