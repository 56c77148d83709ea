// Who may send now: key pools that are used in turn, keys that cool down after a 429, a circuit
// breaker for each provider and key, and a lane for each provider. Shared by all children of one gateway, so
// that one child's 429 holds back the others.

import PQueue from "p-queue";
import type { Clock } from "../../contract/clock.ts";
import type { ProviderSettings } from "../../contract/model-settings.ts";
import type { BoundKey, Route } from "../resolve/route.ts";
import type { Failure } from "../send/failure.ts";

/** Failures in a row until a breaker opens. */
export const BREAKER_FAILURES_MAX = 5;
/** How long it stays open; then one request is let through to see. */
export const BREAKER_OPEN_MS = 30_000;
/** How long a key cools down after a 429 that names no time; it doubles with each one in a row. */
export const COOL_DOWN_MS = 2_000;
export const COOL_DOWN_MS_MAX = 60_000;
/** Keys whose state is remembered. */
const KEY_STATES_MAX = 1_000;
/** The state of a provider that needs no key. */
const NO_KEY = "";

interface KeyState {
  /** Milliseconds of the clock's elapsed time. */
  coolUntilMs: number;
  openUntilMs: number;
  failures: number;
  /** 429s in a row. */
  limited: number;
  lastUse: number;
}

export interface Pick {
  /** Undefined for a provider without keys. */
  key: BoundKey | undefined;
  /** Until it may be used. */
  waitMs: number;
}

export class ProviderGate {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, PQueue>();
  readonly #states = new Map<string, KeyState>();
  #uses = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The key that may be used first, the longest unused among equals; undefined when all are in `without`. */
  pick(route: Route, without: ReadonlySet<BoundKey | undefined>): Pick | undefined {
    const now = this.#clock.monotonic();
    const candidates = (route.keys.length > 0 ? route.keys : [undefined]).filter((key) => !without.has(key));
    const rated = candidates.map((key) => {
      const { coolUntilMs, openUntilMs, lastUse } = this.#state(route, key);
      return { key, waitMs: Math.max(coolUntilMs - now, openUntilMs - now, 0), lastUse };
    });
    return rated.sort((a, b) => a.waitMs - b.waitMs || a.lastUse - b.lastUse)[0];
  }

  /** A request with `key` begins. With the breaker open it is the one that tries; the others go on waiting. */
  began(route: Route, key: BoundKey | undefined): void {
    const state = this.#state(route, key);
    state.lastUse = ++this.#uses;
    if (state.failures >= BREAKER_FAILURES_MAX) state.openUntilMs = this.#clock.monotonic() + BREAKER_OPEN_MS;
  }

  succeeded(route: Route, key: BoundKey | undefined): void {
    const state = this.#state(route, key);
    state.failures = 0;
    state.limited = 0;
    state.openUntilMs = 0;
  }

  failed(route: Route, key: BoundKey | undefined, failure: Failure): void {
    const state = this.#state(route, key);
    const now = this.#clock.monotonic();
    if (failure.status === 429 || failure.retryAfterMs !== undefined) {
      const usualMs = Math.min(COOL_DOWN_MS * 2 ** state.limited++, COOL_DOWN_MS_MAX);
      state.coolUntilMs = now + (failure.retryAfterMs ?? usualMs);
    }
    // A 429 or a wrong key is an answer: the provider is there.
    if (!failure.isTransient || failure.status === 429) return;
    state.failures++;
    if (state.failures >= BREAKER_FAILURES_MAX) state.openUntilMs = now + BREAKER_OPEN_MS;
  }

  /** Runs `send` when the provider's lane has room. Rejects when `signal` aborts before. */
  inLane<Value>(provider: ProviderSettings, signal: AbortSignal, send: () => Promise<Value>): Promise<Value> {
    const lane = this.#lanes.get(provider.id) ?? new PQueue({ concurrency: provider.maxConcurrent });
    this.#lanes.set(provider.id, lane);
    return lane.add(send, { signal });
  }

  #state(route: Route, key: BoundKey | undefined): KeyState {
    const name = `${route.provider.id} ${new URL(route.baseUrl).origin} ${key?.secret.reveal() ?? NO_KEY}`;
    const known = this.#states.get(name);
    if (known) return known;
    const oldest = this.#states.keys().next();
    if (this.#states.size >= KEY_STATES_MAX && !oldest.done) this.#states.delete(oldest.value);
    const state: KeyState = { coolUntilMs: 0, openUntilMs: 0, failures: 0, limited: 0, lastUse: 0 };
    this.#states.set(name, state);
    return state;
  }
}
