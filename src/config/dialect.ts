// `dialect` of the configuration: what names of other products mean here (D-012), and the folders of saved
// workflows (D-008). The home stands in here and nowhere below.

import { join } from "node:path";
import type { DialectSettings } from "../contract/settings.ts";
import { type ConfigProblem, gotText } from "./check.ts";
import { DIALECT_FIELDS } from "./fields.ts";
import type { Config } from "./schema.ts";

/** Below a person's home. */
const PERSONAL_FOLDER = [".quickswarm", "workflows"] as const;

export interface DialectPlace {
  homeDir: string;
  /** A path of the file as an absolute one. */
  toPath(text: string): string;
  problems: ConfigProblem[];
}

/** An agent type that is mapped to no configured agent is added to the problems. */
export function resolveDialect(config: Config, { homeDir, toPath, problems }: DialectPlace): DialectSettings {
  const { models = {}, agentTypes = {}, agentsMax, workflowFolders = [] } = config.dialect ?? {};
  for (const [type, agentId] of Object.entries(agentTypes)) {
    if (Object.hasOwn(config.agents ?? {}, agentId)) continue;
    const path = `dialect.agentTypes[${JSON.stringify(type)}]`;
    const expected = "the id of an agent that stands under agents";
    problems.push({ kind: "wrong_value", path, got: gotText(agentId), expected });
  }
  return {
    models: { ...models },
    agentTypes: { ...agentTypes },
    agentsMax: agentsMax ?? DIALECT_FIELDS.agentsMax.default,
    workflowFolders: [...workflowFolders.map(toPath), join(homeDir, ...PERSONAL_FOLDER)],
  };
}
