// A runner against the scripted model server: real HTTP through the real provider packages.

import { onTestFinished } from "vitest";
import type { Clock } from "../../src/contract/clock.ts";
import type { Json } from "../../src/contract/json.ts";
import type { ChildAgent } from "../../src/models/child/attempt.ts";
import type { ChildTools } from "../../src/models/child/tool-use.ts";
import type { ModelWork } from "../../src/models/child/work.ts";
import { createModelRunner, type ModelRunner } from "../../src/models/runner.ts";
import { EagerClock } from "../support/eager-clock.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";
import { modelSettings } from "../support/model-settings.ts";

/** A provider by its place on the server, with what a model of it is called. */
export const PLACES: { readonly [provider: string]: string } = {
  openai: "/openai/v1",
  anthropic: "/anthropic/v1",
  openrouter: "/openrouter/api/v1",
  gemini: "/gemini/v1beta",
  requesty: "/requesty/v1",
  groq: "/groq/openai/v1",
  together: "/together/v1",
  mistral: "/mistral/v1",
  xai: "/xai/v1",
  "openai-compatible": "/any/v1",
  ollama: "/ollama/api",
};

/** Pauses between tries are over at once; the progress deadline, which is longer, never strikes. */
const PAUSE_MS_MAX = 100_000;

export interface Rig {
  server: ModelServer;
  clock: EagerClock;
  runner: ModelRunner;
  /** What was stored, in order. */
  recorded: Json[];
  work(changes?: Partial<ModelWork>): ModelWork;
}

export interface RigChanges {
  /** Variables of the environment; by default openai and anthropic have a key. */
  env?: { [name: string]: string };
  models?: { providers?: { [id: string]: object }; [key: string]: unknown };
  clock?: Clock;
  tools?: ChildTools;
  agents?: { [id: string]: ChildAgent };
}

export async function rig(changes: RigChanges = {}): Promise<Rig> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const clock = new EagerClock(PAUSE_MS_MAX);
  const places = Object.entries(PLACES).map(([id, path]) => [id, { baseUrl: `${server.url}${path}` }] as const);
  const given = changes.models?.providers ?? {};
  const usual = places.map(([id, place]) => [id, { ...place, ...given[id] }] as const);
  const providers = { ...given, ...Object.fromEntries(usual) };
  const env = changes.env ?? { OPENAI_API_KEY: "key-openai", ANTHROPIC_API_KEY: "key-anthropic" };
  const settings = modelSettings(env, { ...changes.models, providers });
  const runner = createModelRunner({
    clock: changes.clock ?? clock,
    settings,
    agent: (agentId) => changes.agents?.[agentId] ?? (agentId === "reader" ? { instructions: "You read." } : undefined),
    tools: changes.tools,
  });
  const recorded: Json[] = [];
  const work = (own: Partial<ModelWork> = {}): ModelWork => ({
    childId: "agt_0_1",
    attempt: 1,
    prompt: "Say something.",
    model: "openai:gpt-4.1",
    agentId: undefined,
    schema: undefined,
    thinking: undefined,
    fastMode: undefined,
    tools: undefined,
    session: undefined,
    steps: [],
    signal: new AbortController().signal,
    recordStep: async (step) => void recorded.push(step),
    ...own,
  });
  return { server, clock, runner, recorded, work };
}
