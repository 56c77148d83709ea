// A seat on an offline model: a text by rule, marked as such. As a manager it delegates once to everybody, so
// that a team can be tried without a key.

import { fault, isFaultCode } from "../../contract/fault.ts";
import type { ModelSettings } from "../../contract/model-settings.ts";
import type { OfflineModel } from "../offline/model.ts";
import { isOfflineName } from "../offline/names.ts";
import { lastAsked, type SeatQuestion, type SeatReply } from "./question.ts";

const PROVIDER = "offline";
const DELEGATE = "delegate_to_";

/**
 * The offline model that a seat names, by itself or by inheritance. When nobody names anything and no provider
 * has a key, it is `defaultModel`, if that is offline.
 */
export function offlineNameOf(
  { seat, agency, call }: SeatQuestion["route"],
  settings: ModelSettings,
  defaultModel: string,
): string | undefined {
  const isOwn = Object.hasOwn(seat, "model");
  const model = call.model ?? (isOwn ? seat.model : agency.model);
  const provider = call.provider ?? (Object.hasOwn(seat, "provider") ? seat.provider : agency.provider);
  if (model !== undefined && isOfflineName(model) && (isOwn || seat.provider === undefined)) return model;
  if (provider === PROVIDER) return model === undefined ? PROVIDER : `${PROVIDER}:${model}`;
  if (model !== undefined || provider !== undefined) return undefined;
  const hasKey = Object.values(settings.providers).some((one) => one.needsKey && one.keys.length > 0);
  return !hasKey && isOfflineName(defaultModel) ? defaultModel : undefined;
}

/** @throws Fault with the code that the offline model fails with */
export async function askOffline(
  offline: OfflineModel,
  name: string,
  question: SeatQuestion,
): Promise<Omit<SeatReply, "durationMs">> {
  const prompt = lastAsked(question.messages);
  const delegates = question.tools.filter((tool) => tool.name.startsWith(DELEGATE));
  const isFirst = question.messages.at(-1)?.role === "user";
  const model = name.slice(PROVIDER.length + 1) || "echo";
  if (isFirst && question.toolChoice === "auto" && delegates.length > 0) {
    const toolCalls = delegates.map((tool, index) => ({
      id: `call_${index}`,
      name: tool.name,
      input: { task: prompt },
    }));
    return { text: "", toolCalls, usage: usageOf(0, 0), provider: PROVIDER, model };
  }
  const session = question.system === undefined ? undefined : { system: question.system, history: [] };
  const outcome = await offline.run({
    prompt,
    model: name,
    attempt: 1,
    schema: undefined,
    session,
    signal: question.signal,
  });
  if (outcome.status === "failed") {
    throw fault(isFaultCode(outcome.errorCode) ? outcome.errorCode : "child_failed", outcome.error);
  }
  const { inputTokens = 0, outputTokens = 0 } = outcome.usage;
  return { text: outcome.text, toolCalls: [], usage: usageOf(inputTokens, outputTokens), provider: PROVIDER, model };
}

/** Nobody was asked, so nothing is owed. */
function usageOf(promptTokens: number, completionTokens: number): SeatReply["usage"] {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, costUSD: 0 };
}
