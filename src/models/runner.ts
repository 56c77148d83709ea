// Children that are answered by real models. Nothing is kept but what all children of a gateway share: who may
// send now, and the threads that check values. What one attempt does is in child/attempt.ts.

import type { Clock } from "../contract/clock.ts";
import type { Json } from "../contract/json.ts";
import type { ModelSettings, Secret } from "../contract/model-settings.ts";
import type { AskContext } from "./ask/ask.ts";
import { ProviderGate } from "./ask/gate.ts";
import { Attempt, type ChildAgent } from "./child/attempt.ts";
import type { ChildTools } from "./child/tool-use.ts";
import type { ModelOutcome, ModelWork } from "./child/work.ts";
import { isOfflineName } from "./offline/names.ts";
import { resolveRoute } from "./resolve/route.ts";
import { checkSchema } from "./schema/gate.ts";
import { Validator } from "./schema/validator.ts";

export interface ModelRunnerOptions {
  clock: Clock;
  settings: ModelSettings;
  /** What is configured of an agent. */
  agent?: ((agentId: string) => ChildAgent | undefined) | undefined;
  /** Without it, children have no tools. */
  tools?: ChildTools | undefined;
  /** Threads that others use as well; default: of its own. */
  validator?: Validator | undefined;
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
  const validator = options.validator ?? new Validator();
  const secrets: Secret[] = Object.values(settings.providers).flatMap((provider) => [...provider.keys]);
  const ask: AskContext = { clock, gate, secrets, progressTimeoutMs: settings.progressTimeoutMs };
  const { agent, tools } = options;
  return {
    settlesRequests: true,
    handles: (model) => !isOfflineName(model),
    check: (model) => void resolveRoute({ model }, {}, { settings }),
    checkSchema: (schema) => void checkSchema(schema),
    run: (work) => new Attempt(work, { settings, ask, validator, agent, tools }).run(),
  };
}
