// Answers one step of a seat: finds its route, asks, and says who answered. No memory but who may send now, which
// all seats of a process share.

import type { Clock } from "../../contract/clock.ts";
import { fault } from "../../contract/fault.ts";
import type { ModelSettings } from "../../contract/model-settings.ts";
import { type AskContext, type AskEnd, askModels } from "../ask/ask.ts";
import { ProviderGate } from "../ask/gate.ts";
import { unheld } from "../ask/held.ts";
import { thinkingLevel, thinkingOptions } from "../child/thinking.ts";
import { createOfflineModel, type OfflineModelOptions } from "../offline/model.ts";
import { costUsd } from "../prices.ts";
import { failoverRoutes } from "../resolve/failover.ts";
import { type Route, resolveRoute } from "../resolve/route.ts";
import { parsedJson } from "../send/collect.ts";
import type { Call } from "../send/request.ts";
import { askOffline, offlineNameOf } from "./offline.ts";
import { keptContent, seatPrompt, seatTools } from "./prompt.ts";
import type { SeatQuestion, SeatReply } from "./question.ts";

export interface SeatModelOptions {
  clock: Clock;
  settings: ModelSettings;
  offline: Pick<OfflineModelOptions, "delayMs" | "slowMs">;
  /** Of a seat for which nobody names a model while no provider has a key; used when it is an offline one. */
  defaultModel: string;
}

/**
 * Rejects with a Fault: `model_unknown`, `model_key_missing`, `model_refused`, `model_truncated`,
 * `provider_failed`, `provider_unavailable`, `child_killed` when the signal aborts.
 */
export type SeatModel = (question: SeatQuestion) => Promise<SeatReply>;

export function createSeatModel({ clock, settings, offline, defaultModel }: SeatModelOptions): SeatModel {
  const secrets = Object.values(settings.providers).flatMap((provider) => [...provider.keys]);
  const context: AskContext = {
    clock,
    gate: new ProviderGate(clock),
    secrets,
    progressTimeoutMs: settings.progressTimeoutMs,
  };
  const offlineModel = createOfflineModel({ clock, ...offline });
  return async (question) => {
    const started = clock.monotonic();
    const name = offlineNameOf(question.route, settings, defaultModel);
    const reply =
      name === undefined
        ? await askProvider(question, settings, context)
        : await askOffline(offlineModel, name, question);
    return { ...reply, durationMs: Math.round(clock.monotonic() - started) };
  };
}

async function askProvider(
  question: SeatQuestion,
  settings: ModelSettings,
  context: AskContext,
): Promise<Omit<SeatReply, "durationMs">> {
  const { route, signal } = question;
  const first = resolveRoute(route.seat, route.agency, { settings, call: route.call });
  const next = failoverRoutes(first.provider.id, route.fallbackProviders ?? "default", settings);
  const given = first.keys.map((key) => key.secret);
  const asking = { ...context, secrets: [...context.secrets, ...given], onText: question.onText };
  const asked = { routes: [first, ...next], hold: async (to: Route) => unheld(callFor(to, question)), signal };
  return replyOf(await askModels(asked, asking), first, settings);
}

function callFor(route: Route, question: SeatQuestion): Call {
  const { effort, maxTokens, temperature } = question.settings;
  const tools = seatTools(question);
  const level = thinkingLevel(effort) ?? route.effort;
  return {
    prompt: seatPrompt(route, question),
    providerOptions: thinkingOptions(route.provider.kind, route.model, { level, fastMode: undefined }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: question.toolChoice } }),
  };
}

function replyOf(end: AskEnd, first: Route, settings: ModelSettings): Omit<SeatReply, "durationMs"> {
  if (!end.ok) throw fault(end.failure.errorCode, end.failure.message);
  const { answer, route, troubles } = end;
  const who = `${route.provider.id}:${route.model}`;
  if (answer.finish === "content-filter") throw fault("model_refused", `${who} refused to answer.`);
  if (answer.finish === "length") throw fault("model_truncated", `The answer of ${who} was cut at its output limit.`);
  if (answer.finish === "error") throw fault("provider_failed", `${who} ended its answer with an error.`);
  const cost = costUsd(who, answer.usage, settings.prices);
  const { inputTokens = 0, outputTokens = 0 } = answer.usage ?? {};
  const usage = { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens: inputTokens + outputTokens };
  const why = troubles.findLast((trouble) => trouble.provider === first.provider.id);
  const from = `${first.provider.id}:${first.model}`;
  return {
    text: answer.text,
    toolCalls: answer.calls.map(({ id, name, inputText }) => ({ id, name, input: parsedJson(inputText) ?? null })),
    content: keptContent(route, answer.content),
    usage: cost === undefined ? usage : { ...usage, costUSD: cost },
    provider: route.provider.id,
    model: route.model,
    ...(route === first ? {} : { fallback: { from, reason: why?.what ?? "failed" } }),
  };
}
