// Children that are answered by real models. One attempt at a time; nothing is kept but what all children of
// a gateway share: who may send now. Every answer is stored before the next request is sent, and an attempt
// goes on from what is stored (L12).

import type { Clock } from "../contract/clock.ts";
import { isFault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import type { ModelSettings, Secret } from "../contract/model-settings.ts";
import { type AskContext, askModels } from "./ask/ask.ts";
import { ProviderGate } from "./ask/gate.ts";
import { type HeldRequest, hold } from "./ask/held.ts";
import { promptFor, type Turn } from "./child/conversation.ts";
import { endOfStructured, endOfText, failed } from "./child/ending.ts";
import { type ModelStep, readSteps, stepJson, stepOf } from "./child/step.ts";
import { judge, nudgeFor, type Target, targetFor, type Verdict } from "./child/structured.ts";
import { thinkingLevel, thinkingOptions, thinkingTokens } from "./child/thinking.ts";
import type { ModelOutcome, ModelWork } from "./child/work.ts";
import { isOfflineName } from "./offline/names.ts";
import { costUsd } from "./prices.ts";
import { failoverRoutes } from "./resolve/failover.ts";
import { type Route, resolveRoute } from "./resolve/route.ts";
import { checkSchema } from "./schema/gate.ts";
import { Validator } from "./schema/validator.ts";
import type { Call } from "./send/request.ts";

export interface ModelRunnerOptions {
  clock: Clock;
  settings: ModelSettings;
  /** The configured instructions of an agent. */
  instructionsOf?: (agentId: string) => string | undefined;
}

export interface ModelRunner {
  readonly settlesRequests: true;
  /** Every name but those of the offline models: what is no model is refused by `check`. */
  handles(model: string): boolean;
  /** Throws Fault `model_unknown` or `model_key_missing`, before anything is spent. */
  check(model: string): void;
  /** Throws Fault `schema_unsupported`, naming the keyword. */
  checkSchema(schema: { [key: string]: Json }): void;
  /** Runs one attempt. Ends soon after `signal` aborts. Rejects only when a step cannot be stored. */
  run(work: ModelWork): Promise<ModelOutcome>;
}

export function createModelRunner(options: ModelRunnerOptions): ModelRunner {
  const { clock, settings } = options;
  const gate = new ProviderGate(clock);
  const validator = new Validator();
  const secrets: Secret[] = Object.values(settings.providers).flatMap((provider) => [...provider.keys]);
  const ask: AskContext = { clock, gate, secrets, progressTimeoutMs: settings.progressTimeoutMs };
  return {
    settlesRequests: true,
    handles: (model) => !isOfflineName(model),
    check: (model) => void resolveRoute({ model }, {}, { settings }),
    checkSchema: (schema) => void checkSchema(schema),
    run: (work) => new Attempt(work, { ...options, ask, validator }).run(),
  };
}

interface AttemptContext extends ModelRunnerOptions {
  ask: AskContext;
  validator: Validator;
}

class Attempt {
  readonly #work: ModelWork;
  readonly #context: AttemptContext;
  readonly #steps: ModelStep[];
  /** One for each step, when there is a schema. */
  readonly #verdicts: Verdict[] = [];

  constructor(work: ModelWork, context: AttemptContext) {
    this.#work = work;
    this.#context = context;
    this.#steps = readSteps(work.steps);
  }

  run(): Promise<ModelOutcome> {
    return this.#work.schema ? this.#context.validator.during(() => this.#run()) : this.#run();
  }

  async #run(): Promise<ModelOutcome> {
    let target: Target | undefined;
    let routes: Route[];
    try {
      routes = this.#routes();
      target = this.#work.schema ? targetFor(this.#work.schema) : undefined;
      if (target) await this.#context.validator.prepare(target.checked);
      thinkingLevel(this.#work.thinking);
    } catch (error) {
      if (!isFault(error)) throw error;
      const outcome = failed([], error.code, error.message, false);
      return error.code === "schema_unsupported" ? { ...outcome, schemaError: error.message } : outcome;
    }
    for (;;) {
      const end = await this.#ending(target);
      if (end) return end;
      const failure = await this.#step(routes, target);
      if (failure) return failure;
    }
  }

  #routes(): Route[] {
    const { settings } = this.#context;
    const route = resolveRoute({ model: this.#work.model }, {}, { settings });
    return [route, ...failoverRoutes(route.provider.id, settings.fallbackProviders, settings)];
  }

  async #ending(target: Target | undefined): Promise<ModelOutcome | undefined> {
    if (!target) return endOfText(this.#steps);
    for (const step of this.#steps.slice(this.#verdicts.length)) {
      this.#verdicts.push(await judge(step, target, this.#context.validator));
    }
    return endOfStructured(this.#steps, this.#verdicts);
  }

  /** Asks, and stores the answer. An outcome is the end. */
  async #step(routes: readonly Route[], target: Target | undefined): Promise<ModelOutcome | undefined> {
    const { settings, ask } = this.#context;
    const { signal } = this.#work;
    const end = await askModels({ routes, hold: (route) => this.#hold(route, target), signal }, ask);
    if (!end.ok) {
      const { errorCode, message, isTransient } = end.failure;
      return failed(this.#steps, errorCode, message, isTransient && !signal.aborted);
    }
    const { answer, route, troubles, isShrunk } = end;
    const cost = costUsd(`${route.provider.id}:${route.model}`, answer.usage, settings.prices);
    const step = stepOf(answer, { route, costUsd: cost, troubles, isShrunk });
    await this.#work.recordStep(stepJson(step));
    this.#steps.push(step);
    return undefined;
  }

  #hold(route: Route, target: Target | undefined): Promise<HeldRequest> {
    const level = thinkingLevel(this.#work.thinking) ?? route.effort;
    const { settings } = this.#context;
    const thinking = thinkingTokens(route.provider.kind, level);
    return hold(route, this.#callFor(route, target), thinking, { settings, reserve: this.#work.reserve });
  }

  #callFor(route: Route, target: Target | undefined): Call {
    const { agentId, thinking, fastMode } = this.#work;
    const instructions = agentId === undefined ? undefined : this.#context.instructionsOf?.(agentId);
    const turns = this.#steps.flatMap((step, index): Turn[] => {
      const verdict = this.#verdicts[index];
      return verdict ? [{ step, reply: nudgeFor(step, verdict) }] : [];
    });
    const level = thinkingLevel(thinking) ?? route.effort;
    return {
      prompt: promptFor(route, { work: this.#work, instructions }, turns),
      providerOptions: thinkingOptions(route.provider.kind, route.model, { level, fastMode }),
      ...(target ? { tools: [target.tool], toolChoice: { type: "auto" } } : {}),
    };
  }
}
