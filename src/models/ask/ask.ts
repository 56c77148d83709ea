// One question to the models until it is answered: keys in turn, transient failures tried again in here
// (D-011), then the failover routes in order. Everything is bounded, and every failure on the way
// is kept by its name for the step's record (B-032).

import { type Clock, randomHex } from "../../contract/clock.ts";
import { isFault } from "../../contract/fault.ts";
import { delayUnlessAborted } from "../offline/delay.ts";
import { mayFailOver } from "../resolve/failover.ts";
import type { BoundKey, Route } from "../resolve/route.ts";
import type { Answer } from "../send/collect.ts";
import type { Failure } from "../send/failure.ts";
import { type RequestContext, requestOnce } from "../send/request.ts";
import type { ProviderGate } from "./gate.ts";
import type { HeldRequest } from "./held.ts";

/** Requests with a transient failure that one route gets, and one more for each further key of its pool. */
export const TRIES_MAX = 5;
/** The pause before the second try; it doubles with each, and is shortened by chance by up to half. */
export const BACKOFF_MS = 1_000;
export const BACKOFF_MS_MAX = 30_000;
/** A longer wait than this is a failure. */
export const WAIT_MS_MAX = 300_000;
/** The same while another route is left. */
export const WAIT_BEFORE_FAILOVER_MS_MAX = 5_000;
/** Most failures that a step keeps. */
const TROUBLES_MAX = 50;
/** A key was refused; another of the pool may be accepted. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 402, 403]);

export interface Trouble {
  provider: string;
  /** "http 429", "network", "timeout" … Never a text of the provider. */
  what: string;
}

export interface Asked {
  /** In order; the first is the call's own. */
  routes: readonly Route[];
  /** The request, paid for. Throws faults of budgets, with which the question ends. */
  hold(route: Route): Promise<HeldRequest>;
  signal: AbortSignal;
}

export type AskEnd =
  | { ok: true; answer: Answer; route: Route; troubles: Trouble[]; isShrunk: boolean }
  | { ok: false; failure: Failure; troubles: Trouble[] };

export interface AskContext extends RequestContext {
  clock: Clock;
  gate: ProviderGate;
}

/** Throws only when what was spent cannot be stored. Ends soon after the signal aborts. */
export async function askModels(asked: Asked, context: AskContext): Promise<AskEnd> {
  const troubles: Trouble[] = [];
  let failure: Failure | undefined;
  for (const [index, route] of asked.routes.entries()) {
    const waitMsMax = index + 1 < asked.routes.length ? WAIT_BEFORE_FAILOVER_MS_MAX : WAIT_MS_MAX;
    const end = await new RouteTries(route, asked, context, troubles).run(waitMsMax);
    if (end.ok) return { ok: true, answer: end.answer, route, troubles, isShrunk: end.isShrunk };
    failure = end.failure;
    if (asked.signal.aborted || !mayFailOver(failure)) break;
  }
  return { ok: false, failure: failure ?? unavailable("no provider", "has a route"), troubles };
}

type TriesEnd = { ok: true; answer: Answer; isShrunk: boolean } | { ok: false; failure: Failure };

/** The tries of one question on one route. */
class RouteTries {
  readonly #route: Route;
  readonly #asked: Asked;
  readonly #context: AskContext;
  readonly #troubles: Trouble[];
  readonly #refused = new Set<BoundKey | undefined>();
  #last: Failure | undefined;
  #tries = 0;

  constructor(route: Route, asked: Asked, context: AskContext, troubles: Trouble[]) {
    this.#route = route;
    this.#asked = asked;
    this.#context = context;
    this.#troubles = troubles;
  }

  async run(waitMsMax: number): Promise<TriesEnd> {
    const { gate, clock } = this.#context;
    const { signal } = this.#asked;
    const provider = this.#route.provider.id;
    for (;;) {
      const pick = gate.pick(this.#route, this.#refused);
      if (signal.aborted) return { ok: false, failure: stopped(provider) };
      if (!pick) return { ok: false, failure: this.#last ?? unavailable(provider, "has no key left to try") };
      if (pick.waitMs > waitMsMax) {
        const seconds = Math.ceil(pick.waitMs / 1000);
        return { ok: false, failure: this.#last ?? unavailable(provider, `may be asked again in ${seconds} s`) };
      }
      if (pick.waitMs > 0) {
        await delayUnlessAborted(clock, pick.waitMs, signal);
        continue;
      }
      const end = await this.#send(pick.key);
      if (end.ok) return end;
      if (!(await this.#mayTryAgain(pick.key, end.failure))) return end;
    }
  }

  async #send(key: BoundKey | undefined) {
    const { gate } = this.#context;
    const { signal } = this.#asked;
    const route = this.#route;
    // In the same step as the pick: of several that wait for an open breaker one is let through.
    gate.began(route, key);
    const held = await this.#hold();
    if ("failure" in held) return { ok: false, failure: held.failure } as const;
    const send = () => requestOnce(route, key, held.call, signal, this.#context);
    const end = await gate.inLane(route.provider, signal, send).catch(() => undefined);
    await held.settle(end);
    if (!end) return { ok: false, failure: stopped(route.provider.id) } as const;
    if (!end.ok) {
      this.#note(key, end.failure);
      return end;
    }
    gate.succeeded(route, key);
    return { ...end, isShrunk: held.isShrunk };
  }

  /** A budget that has no room ends the question: no other key or provider has more. */
  async #hold(): Promise<HeldRequest | { failure: Failure }> {
    try {
      return await this.#asked.hold(this.#route);
    } catch (error) {
      if (!isFault(error)) throw error;
      return { failure: { kind: "other", isTransient: false, message: error.message, errorCode: error.code } };
    }
  }

  #note(key: BoundKey | undefined, failure: Failure): void {
    if (!this.#asked.signal.aborted) this.#context.gate.failed(this.#route, key, failure);
    this.#last = failure;
    const what = failure.kind === "http" ? `http ${failure.status}` : failure.kind;
    if (this.#troubles.length < TROUBLES_MAX) this.#troubles.push({ provider: this.#route.provider.id, what });
  }

  /** Waits as long as it takes until another try makes sense; false when none does. */
  async #mayTryAgain(key: BoundKey | undefined, failure: Failure): Promise<boolean> {
    if (this.#asked.signal.aborted) return false;
    if (failure.status !== undefined && KEY_REFUSED.has(failure.status)) {
      this.#refused.add(key);
      return this.#refused.size < this.#route.keys.length;
    }
    const triesMax = TRIES_MAX + Math.max(this.#route.keys.length - 1, 0);
    if (!failure.isTransient || ++this.#tries >= triesMax) return false;
    // The gate knows how long a key cools down, and another key may be ready at once.
    if (failure.status === 429) return true;
    return delayUnlessAborted(this.#context.clock, backoffMs(this.#tries), this.#asked.signal);
  }
}

/** @param tries failures so far, from 1 */
export function backoffMs(tries: number): number {
  const full = Math.min(BACKOFF_MS * 2 ** (tries - 1), BACKOFF_MS_MAX);
  const chance = Number.parseInt(randomHex(4), 16) / 2 ** 32;
  return Math.round(full * (1 - chance / 2));
}

function stopped(provider: string): Failure {
  return { kind: "other", isTransient: false, message: `${provider}: stopped`, errorCode: "child_killed" };
}

function unavailable(provider: string, what: string): Failure {
  const message = `${provider} ${what}`;
  return { kind: "timeout", isTransient: true, message, errorCode: "provider_unavailable" };
}
