// Server-sent events out of the registry. The reader pulls: a page is read only when the socket has taken
// the one before, so a slow reader costs one page of memory and catches up from the registry (L9, L10).
// Between pages it is woken by the commit (L8). The `id` of an event is its sequence number; a cut
// client sends the last one and misses nothing (I-002).

import type { Timer } from "../contract/clock.ts";
import type { SwarmEvent } from "../contract/events.ts";
import { fault } from "../contract/fault.ts";
import type { Caller } from "../runtime/api.ts";
import { framesOf } from "./log.ts";
import type { GatewayContext } from "./route.ts";

export const SSE_HEARTBEAT_MS = 15_000;
/** Events read, and held, at once for one stream. */
export const SSE_PAGE_EVENTS = 128;
/** How long a browser waits before it connects again. */
export const SSE_RETRY_MS = 1_000;

export interface EventQuery {
  caller: Caller;
  /** Only this run's events; undefined: all that the caller may see. */
  runId: string | undefined;
  /** Events after this sequence number. */
  after: number;
}

type Wake = "events" | "heartbeat" | "ended";

/** Holds nothing until it is read, so a stream that nobody reads (HEAD) leaves nothing behind. */
export function eventStream(gateway: GatewayContext, query: EventQuery): ReadableStream<Uint8Array> {
  const feed = new EventFeed(gateway, query);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await feed.next();
        if (text !== undefined) controller.enqueue(encoder.encode(text));
        else if (!feed.cancelled) controller.close();
      },
      cancel: () => feed.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** One event as a frame. Throws `internal` for an id or type that could break the framing. */
export function frameOf(event: SwarmEvent): string {
  if (!Number.isSafeInteger(event.seq) || !/^[a-z]+(?:\.[a-z]+)*$/.test(event.type)) {
    throw fault("internal", "An event has an id or a type that cannot be sent.");
  }
  // JSON text holds no raw CR or LF, so this is always one line.
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Where one stream stands. Ended by the client, by the gateway's close, or by an error. */
class EventFeed {
  readonly #gateway: GatewayContext;
  readonly #query: EventQuery;
  #cursor: number;
  /** The last sequence number that is known to be committed. */
  #latest = 0;
  #started = false;
  #cancelled = false;
  #unsubscribe: (() => void) | undefined;
  #timer: Timer | undefined;
  #wake: ((why: Wake) => void) | undefined;
  readonly #end = (): void => this.#finish();

  constructor(gateway: GatewayContext, query: EventQuery) {
    this.#gateway = gateway;
    this.#query = query;
    this.#cursor = query.after;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#finish();
  }

  /** The next text to send, or undefined at the end. */
  async next(): Promise<string | undefined> {
    try {
      if (!this.#started) return await this.#start();
      while (!this.#over) {
        const page = this.#latest > this.#cursor ? await this.#readPage() : "";
        if (page !== "") return page;
        // Without an event since, the id moves on all the same: the next resume need not look there again.
        if (this.#latest <= this.#cursor && (await this.#sleep()) === "heartbeat") {
          return `: heartbeat\nid: ${this.#cursor}\n\n`;
        }
      }
    } catch (error) {
      this.#gateway.log("warn", "an event stream ended by an error", { at: framesOf(error) });
    }
    this.#finish();
    return undefined;
  }

  get #over(): boolean {
    return this.#cancelled || this.#gateway.closing.aborted;
  }

  async #start(): Promise<string> {
    this.#started = true;
    this.#gateway.closing.addEventListener("abort", this.#end, { once: true });
    this.#unsubscribe = this.#gateway.runtime.onEvents((lastSeq) => {
      this.#latest = Math.max(this.#latest, lastSeq);
      this.#wake?.("events");
    });
    // After the subscription: what is committed in between is in one of the two.
    this.#latest = Math.max(this.#latest, await this.#gateway.runtime.lastEventSeq());
    // A cursor from the future belongs to another database, for example the one before a restore.
    this.#cursor = Math.min(this.#cursor, this.#latest);
    if (this.#over) this.#finish();
    return `retry: ${SSE_RETRY_MS}\nid: ${this.#cursor}\n\n`;
  }

  async #readPage(): Promise<string> {
    const seen = this.#latest;
    const { caller, runId } = this.#query;
    const events = await this.#gateway.runtime.eventsAfter(caller, this.#cursor, runId, SSE_PAGE_EVENTS);
    const last = events.at(-1)?.seq ?? 0;
    // A short page has everything up to `seen`; what is missing in it is not this caller's to see.
    this.#cursor = events.length < SSE_PAGE_EVENTS ? Math.max(last, seen) : last;
    return events.map(frameOf).join("");
  }

  #sleep(): Promise<Wake> {
    return new Promise<Wake>((resolve) => {
      this.#wake = resolve;
      this.#timer = this.#gateway.clock.setTimer(SSE_HEARTBEAT_MS, () => resolve("heartbeat"));
    }).finally(() => {
      this.#timer?.cancel();
      this.#wake = undefined;
    });
  }

  #finish(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#timer?.cancel();
    this.#gateway.closing.removeEventListener("abort", this.#end);
    this.#wake?.("ended");
  }
}
