// One request to one model: sent through the guard, read to its end, watched for progress (B-032), and really
// ended when it is stopped. The connection never outlives this call (L7).

import type { Clock, Timer } from "../../contract/clock.ts";
import type { Secret } from "../../contract/model-settings.ts";
import type { BoundKey, Route } from "../resolve/route.ts";
import type { Model, ModelRequest } from "../sdk.ts";
import { type Answer, AnswerCollector } from "./collect.ts";
import { type Ended, type Failure, failureOf } from "./failure.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { openModel } from "./packages.ts";

export interface RequestContext {
  clock: Clock;
  /** Longest time without a part of the answer, milliseconds. */
  progressTimeoutMs: number;
  /** All keys: none of them may stand in a message. */
  secrets: readonly Secret[];
  /** Text as it comes in; a request that is tried again begins anew. */
  onText?: ((delta: string) => void) | undefined;
}

export type Call = Omit<ModelRequest, "abortSignal">;

export type RequestEnd =
  | { ok: true; answer: Answer }
  /** `hasBegun`: the provider had taken it; `heardChars`: what had come of the answer. */
  | { ok: false; failure: Failure; hasBegun: boolean; heardChars: number };

interface Heard {
  hasBegun: boolean;
  heardChars: number;
}

/** Sends `call` once. Never throws; ends soon after `signal` aborts. */
export async function requestOnce(
  route: Route,
  key: BoundKey | undefined,
  call: Call,
  signal: AbortSignal,
  context: RequestContext,
): Promise<RequestEnd> {
  const watch = watchProgress(signal, context);
  const heard: Heard = { hasBegun: false, heardChars: 0 };
  try {
    const origin = new URL(route.baseUrl).origin;
    const { id: provider, kind } = route.provider;
    const address = { kind, provider, model: route.model, baseUrl: route.baseUrl };
    const model = await openModel(address, guardedFetch({ provider, origin, key }));
    return { ok: true, answer: await read(model, call, watch, { heard, onText: context.onText }) };
  } catch (error) {
    const { clock, secrets } = context;
    const facts = { provider: route.provider.id, ended: watch.ended(), now: clock.now(), secrets };
    return { ok: false, failure: failureOf(error, facts), ...heard };
  } finally {
    watch.end();
  }
}

interface Watch {
  signal: AbortSignal;
  /** Something came. */
  progress(): void;
  ended(): Ended;
  end(): void;
}

async function read(
  model: Model,
  call: Call,
  watch: Watch,
  { heard, onText }: { heard: Heard; onText: RequestContext["onText"] },
): Promise<Answer> {
  const collector = new AnswerCollector();
  const { stream } = await model.doStream({ ...call, abortSignal: watch.signal });
  heard.hasBegun = true;
  for await (const part of stream) {
    watch.progress();
    if ("delta" in part) heard.heardChars += part.delta.length;
    if (part.type === "error") throw part.error;
    collector.add(part);
    if (part.type === "text-delta") onText?.(part.delta);
  }
  if (watch.ended() === undefined && collector.answer) return collector.answer;
  throw new DOMException("the answer came to no end", "NetworkError");
}

function watchProgress(signal: AbortSignal, { clock, progressTimeoutMs }: RequestContext): Watch {
  const controller = new AbortController();
  let ended: Ended;
  let timer: Timer | undefined;
  const stop = (reason: Ended): void => {
    ended ??= reason;
    controller.abort();
  };
  const onAbort = (): void => stop("aborted");
  const arm = (): void => {
    timer?.cancel();
    timer = clock.setTimer(progressTimeoutMs, () => stop("stalled"));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  arm();
  return {
    signal: controller.signal,
    progress: arm,
    ended: () => ended,
    end: () => {
      timer?.cancel();
      signal.removeEventListener("abort", onAbort);
      // Also after an answer: whatever the package still holds open ends here.
      controller.abort();
    },
  };
}
