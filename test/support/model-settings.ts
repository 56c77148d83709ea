// Model settings as the configuration makes them, from variables and a models section given by a test.

import { checkConfig } from "../../src/config/check.ts";
import { resolveModels } from "../../src/config/models.ts";
import type { ModelSettings } from "../../src/contract/model-settings.ts";

/** @throws Error with the problems, when there are any */
export function modelSettings(env: { [name: string]: string } = {}, models: object = {}): ModelSettings {
  const checked = checkConfig({ models });
  const problems = [...checked.problems];
  const resolved = resolveModels(checked.config ?? {}, env, "config.json5", problems);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return resolved.models;
}
