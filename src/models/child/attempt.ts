// One attempt of one child: asks, stores the answer, runs the tools that it calls and stores each result, and
// asks again, until the child is done. It goes on from what is stored, and asks nothing twice (L12).

import { isFault } from "../../contract/fault.ts";
import type { ModelSettings } from "../../contract/model-settings.ts";
import { type AskContext, askModels } from "../ask/ask.ts";
import { type HeldRequest, hold } from "../ask/held.ts";
import { costUsd } from "../prices.ts";
import { failoverRoutes } from "../resolve/failover.ts";
import { type Route, resolveRoute } from "../resolve/route.ts";
import type { Validator } from "../schema/validator.ts";
import type { ModelTool } from "../sdk.ts";
import type { Call } from "../send/request.ts";
import { promptFor, type Turn } from "./conversation.ts";
import { endOfStructured, endOfText, failed } from "./ending.ts";
import { type ModelStep, type Round, readRounds, stepJson, stepOf } from "./step.ts";
import { judge, type Target, targetFor, type Verdict } from "./structured.ts";
import { thinkingLevel, thinkingOptions, thinkingTokens } from "./thinking.ts";
import { type ChildTools, ToolUse } from "./tool-use.ts";
import type { ModelOutcome, ModelWork } from "./work.ts";

/** Answers of a model that a child may use whose agent says nothing. */
export const STEPS_MAX_DEFAULT = 50;

/** What is configured of a child's agent. */
export interface ChildAgent {
  instructions: string | undefined;
  /** Patterns of tools. */
  tools?: readonly string[] | undefined;
  maxSteps?: number | undefined;
}

export interface AttemptContext {
  settings: ModelSettings;
  ask: AskContext;
  validator: Validator;
  agent: ((agentId: string) => ChildAgent | undefined) | undefined;
  tools: ChildTools | undefined;
}

export class Attempt {
  readonly #work: ModelWork;
  readonly #context: AttemptContext;
  readonly #agent: ChildAgent | undefined;
  readonly #rounds: Round[];
  /** One for each round, when there is a schema. */
  readonly #verdicts: Verdict[] = [];
  #tools: ToolUse | undefined;
  #target: Target | undefined;

  constructor(work: ModelWork, context: AttemptContext) {
    this.#work = work;
    this.#context = context;
    this.#agent = work.agentId === undefined ? undefined : context.agent?.(work.agentId);
    this.#rounds = readRounds(work.steps);
  }

  /** Rejects only when a step cannot be stored. */
  run(): Promise<ModelOutcome> {
    const needsThreads = this.#work.schema !== undefined || this.#mayUseTools();
    return needsThreads ? this.#context.validator.during(() => this.#run()) : this.#run();
  }

  async #run(): Promise<ModelOutcome> {
    let routes: Route[];
    try {
      routes = this.#routes();
      this.#target = this.#work.schema ? targetFor(this.#work.schema) : undefined;
      if (this.#target) await this.#context.validator.prepare(this.#target.checked);
      thinkingLevel(this.#work.thinking);
      this.#tools = await this.#toolUse();
    } catch (error) {
      if (!isFault(error)) throw error;
      const outcome = failed(this.#steps(), error.code, error.message, error.code === "tool_unavailable");
      return error.code === "schema_unsupported" ? { ...outcome, schemaError: error.message } : outcome;
    }
    for (;;) {
      const end = (await this.#ending()) ?? (await this.#callTools()) ?? (await this.#step(routes));
      if (end) return end;
    }
  }

  #steps(): ModelStep[] {
    return this.#rounds.map(({ step }) => step);
  }

  #mayUseTools(): boolean {
    const { tools } = this.#context;
    return tools !== undefined && (this.#work.tools ?? this.#agent?.tools ?? []).length > 0;
  }

  async #toolUse(): Promise<ToolUse | undefined> {
    const { tools } = this.#context;
    if (!tools || !this.#mayUseTools()) return undefined;
    const offered = await tools.offer({ allowed: this.#agent?.tools, asked: this.#work.tools }, this.#work.signal);
    return offered.length === 0 ? undefined : new ToolUse(tools, offered);
  }

  #routes(): Route[] {
    const { settings } = this.#context;
    const route = resolveRoute({ model: this.#work.model }, {}, { settings });
    return [route, ...failoverRoutes(route.provider.id, settings.fallbackProviders, settings)];
  }

  async #ending(): Promise<ModelOutcome | undefined> {
    const hasTools = this.#tools !== undefined;
    if (!this.#target) return endOfText(this.#steps(), hasTools);
    for (const { step } of this.#rounds.slice(this.#verdicts.length)) {
      this.#verdicts.push(await judge(step, this.#target, this.#context.validator, hasTools));
    }
    return endOfStructured(this.#steps(), this.#verdicts);
  }

  /** Runs what the last answer called. An outcome is the end. */
  async #callTools(): Promise<ModelOutcome | undefined> {
    const last = this.#rounds.at(-1);
    if (!last) return undefined;
    const stepsMax = this.#agent?.maxSteps ?? STEPS_MAX_DEFAULT;
    if (this.#rounds.length >= stepsMax) {
      const message = `The child was not done after ${stepsMax} answers of its model.`;
      return { ...failed(this.#steps(), "child_step_limit", message, false), text: last.step.text };
    }
    if (!this.#tools) return undefined;
    try {
      await this.#tools.run(last, this.#rounds.length - 1, this.#work);
    } catch (error) {
      if (!this.#work.signal.aborted) throw error;
      return failed(this.#steps(), "child_killed", "The child was stopped while it called a tool.", false);
    }
    return undefined;
  }

  /** Asks, and stores the answer. An outcome is the end. */
  async #step(routes: readonly Route[]): Promise<ModelOutcome | undefined> {
    const { settings, ask } = this.#context;
    const { signal } = this.#work;
    const end = await askModels({ routes, hold: (route) => this.#hold(route), signal }, ask);
    if (!end.ok) {
      const { errorCode, message, isTransient } = end.failure;
      return failed(this.#steps(), errorCode, message, isTransient && !signal.aborted);
    }
    const { answer, route, troubles, isShrunk } = end;
    const cost = costUsd(`${route.provider.id}:${route.model}`, answer.usage, settings.prices);
    const step = stepOf(answer, { route, costUsd: cost, troubles, isShrunk });
    await this.#work.recordStep(stepJson(step));
    this.#rounds.push({ step, results: new Map() });
    return undefined;
  }

  #hold(route: Route): Promise<HeldRequest> {
    const level = thinkingLevel(this.#work.thinking) ?? route.effort;
    const { settings } = this.#context;
    const thinking = thinkingTokens(route.provider.kind, level);
    return hold(route, this.#callFor(route), thinking, { settings, reserve: this.#work.reserve });
  }

  #callFor(route: Route): Call {
    const { thinking, fastMode } = this.#work;
    const instructions = this.#agent?.instructions;
    const turns = this.#rounds.map((round, index): Turn => ({ round, verdict: this.#verdicts[index] }));
    const level = thinkingLevel(thinking) ?? route.effort;
    const tools: ModelTool[] = [...(this.#tools?.definitions ?? []), ...(this.#target ? [this.#target.tool] : [])];
    return {
      prompt: promptFor(route, { work: this.#work, instructions }, turns),
      providerOptions: thinkingOptions(route.provider.kind, route.model, { level, fastMode }),
      ...(tools.length > 0 ? { tools, toolChoice: { type: "auto" } } : {}),
    };
  }
}
