// The offline models: children without a key, a network or a bill. They follow from the prompt by
// rule, say so in every text, and can be told to be slow, to fail or to hang, so that scripts and
// the machinery around them can be tried. One attempt of one child at a time; nothing is kept (L7).

import type { Clock } from "../../contract/clock.ts";
import { type FaultCode, isFault } from "../../contract/fault.ts";
import type { Json } from "../../contract/json.ts";
import type { Usage } from "../../contract/records.ts";
import type { Reservation, SpendingEstimate } from "../../contract/spending.ts";
import { delayUnlessAborted } from "./delay.ts";
import { isOfflineName, type OfflineName, parseOfflineName } from "./names.ts";
import { valueForSchema } from "./schema/value.ts";
import { hashText, streamOf } from "./seed.ts";
import { OFFLINE_MARK, type OfflineSession, offlineText } from "./text.ts";

export interface OfflineModelOptions {
  clock: Clock;
  /** Milliseconds until an answer. */
  delayMs: number;
  /** Milliseconds until an answer of `offline:slow`, before its jitter. */
  slowMs: number;
}

/** What one attempt is given; part of what the swarm hands to any runner. */
export interface OfflineWork {
  prompt: string;
  model: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** JSON Schema of the wanted value, if any. */
  schema: { [key: string]: Json } | undefined;
  session: OfflineSession | undefined;
  signal: AbortSignal;
  /** Rejects when a budget has no room for what the attempt uses. */
  reserve?: ((estimate: SpendingEstimate) => Promise<Reservation>) | undefined;
}

export type OfflineOutcome =
  | { status: "done"; text: string; structured?: Json; usage: Usage }
  | {
      status: "failed";
      error: string;
      errorCode: FaultCode;
      text?: string;
      schemaError?: string;
      usage: Usage;
      retryable: boolean;
    };

export interface OfflineModel {
  /** Whether `model` is an offline name; an unknown one among them fails with the names that exist. */
  handles(model: string): boolean;
  /** Throws `model_unknown`, naming those that exist. */
  check(model: string): void;
  /** Runs one attempt. Ends at once, and leaves no timer, when `signal` aborts. Never throws. */
  run(work: OfflineWork): Promise<OfflineOutcome>;
}

/** Offline models cost nothing, which is a known price. */
const FREE = { input: 0, output: 0 };
/** Characters of English text that make about one token. */
const CHARS_PER_TOKEN = 4;
/** `offline:slow` takes from half to one and a half times its delay, as the prompt decides. */
const JITTER_MIN = 0.5;

export function createOfflineModel(options: OfflineModelOptions): OfflineModel {
  const inTurn = oneByOne();
  return {
    handles: isOfflineName,
    check: (model) => void parseOfflineName(model),
    run: (work) => runAttempt(options, work, inTurn),
  };
}

type InTurn = <Value>(make: () => Value) => Promise<Value>;

/**
 * Values for schemas are made one after the other, with a turn of the event loop before each: one may take a
 * tenth of a second of the gateway's own thread, and children come in dozens.
 */
function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (make) => {
    const made = last.then(() => new Promise<void>((resolve) => void setImmediate(resolve))).then(make);
    last = made.catch(() => {});
    return made;
  };
}

async function runAttempt(options: OfflineModelOptions, work: OfflineWork, inTurn: InTurn): Promise<OfflineOutcome> {
  let name: OfflineName;
  try {
    name = parseOfflineName(work.model);
  } catch (error) {
    return failedBy(error, work);
  }
  const seed = seedOf(work);
  let planned: OfflineOutcome | undefined;
  if (work.reserve) {
    planned = await plan(name, work, seed, inTurn);
    const refusal = await refusalOf(work.reserve, planned.usage);
    if (refusal) return refusal;
  }
  if (!(await delayUnlessAborted(options.clock, delayOf(options, name, seed), work.signal))) return stopped(work);
  return planned ?? plan(name, work, seed, inTurn);
}

/** What the attempt will use is reserved to the token. Undefined: every budget has room for it. */
async function refusalOf(
  reserve: NonNullable<OfflineWork["reserve"]>,
  usage: Usage,
): Promise<OfflineOutcome | undefined> {
  const { inputTokens, outputTokens } = usage;
  try {
    await reserve({ inputTokens, outputTokens, outputTokensMin: outputTokens, price: FREE });
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    const nothing = { inputTokens: 0, outputTokens: 0 };
    return { status: "failed", error: error.message, errorCode: error.code, usage: nothing, retryable: false };
  }
}

function stopped(work: OfflineWork): OfflineOutcome {
  const message = `The offline child was stopped before it answered (attempt ${work.attempt}).`;
  return failed(work, "child_killed", message, true);
}

/** How the attempt ends when nobody stops it: known before, so that what it uses is reserved to the token. */
async function plan(name: OfflineName, work: OfflineWork, seed: number, inTurn: InTurn): Promise<OfflineOutcome> {
  if (name.kind === "hang") return stopped(work);
  if (name.kind === "fail") return failed(work, "child_failed", "[offline] offline:fail fails every attempt.", false);
  if (name.kind === "flaky" && work.attempt <= name.failures) {
    const message = `[offline] Attempt ${work.attempt} fails; offline:flaky-${name.failures} answers from attempt ${name.failures + 1} on.`;
    return failed(work, "child_failed", message, true);
  }
  return answer(name, work, seed, inTurn);
}

async function answer(name: OfflineName, work: OfflineWork, seed: number, inTurn: InTurn): Promise<OfflineOutcome> {
  const empty = name.kind === "empty";
  const { schema } = work;
  if (!schema) return done(work, empty ? "" : offlineText(work.prompt, work.session, seed));
  if (empty) {
    const schemaError = "offline:empty gives no value.";
    return { ...failed(work, "schema_invalid", schemaError, false), text: "", schemaError };
  }
  try {
    const structured = await inTurn(() => valueForSchema(schema, work.prompt, seed));
    return { ...done(work, `${OFFLINE_MARK} ${JSON.stringify(structured)}`), structured };
  } catch (error) {
    return failedBy(error, work);
  }
}

/** All that the child was told decides what it says. */
function seedOf(work: OfflineWork): number {
  const history = work.session?.history.map((message) => `${message.role}:${message.text}`) ?? [];
  return hashText([work.session?.system ?? "", ...history, work.prompt].join("\u0000"));
}

function delayOf(options: OfflineModelOptions, name: OfflineName, seed: number): number {
  if (name.kind === "hang") return Number.POSITIVE_INFINITY;
  if (name.kind !== "slow") return name.delayMs ?? options.delayMs;
  return Math.round((name.delayMs ?? options.slowMs) * (JITTER_MIN + streamOf(seed, "delay").unit()));
}

function done(work: OfflineWork, text: string): OfflineOutcome & { status: "done" } {
  return { status: "done", text, usage: usageOf(work, text) };
}

function failed(
  work: OfflineWork,
  errorCode: FaultCode,
  error: string,
  retryable: boolean,
): OfflineOutcome & { status: "failed" } {
  return { status: "failed", error, errorCode, usage: usageOf(work, ""), retryable };
}

/** A fault of the request: the same attempt would end the same way again. */
function failedBy(error: unknown, work: OfflineWork): OfflineOutcome {
  if (!isFault(error)) throw error;
  const outcome = failed(work, error.code, error.message, false);
  return error.code === "model_unknown" ? outcome : { ...outcome, schemaError: error.message };
}

function usageOf(work: OfflineWork, text: string): Usage {
  const schemaChars = work.schema ? JSON.stringify(work.schema).length : 0;
  const sessionChars = work.session?.history.reduce(
    (chars, message) => chars + message.text.length,
    work.session.system.length,
  );
  const inputChars = work.prompt.length + schemaChars + (sessionChars ?? 0);
  return {
    inputTokens: Math.ceil(inputChars / CHARS_PER_TOKEN),
    outputTokens: Math.ceil(text.length / CHARS_PER_TOKEN),
  };
}
