// `dialect` of the configuration: what names of other products mean here, and where workflows are saved.

import { join } from "node:path";
import { expect, test } from "vitest";
import { type ConfigProblem, checkConfig } from "../../src/config/check.ts";
import { resolveDialect } from "../../src/config/dialect.ts";

function resolved(raw: object) {
  const problems: ConfigProblem[] = [];
  const { config, problems: refused } = checkConfig(raw);
  const dialect = config && resolveDialect(config, { homeDir: "/h", toPath: (text) => join("/c", text), problems });
  return { dialect, problems: [...refused, ...problems] };
}

test("D-012 names of models and agent types are mapped; without any, nothing is", () => {
  expect(resolved({}).dialect).toEqual({
    models: {},
    agentTypes: {},
    agentsMax: 1000,
    workflowFolders: ["/h/.quickswarm/workflows"],
  });
  const given = {
    models: { haiku: "anthropic:small" },
    agentTypes: { "my Explore": "reader" },
    agentsMax: 20,
    workflowFolders: ["flows"],
  };
  expect(resolved({ agents: { reader: {} }, dialect: given }).dialect).toEqual({
    ...given,
    workflowFolders: ["/c/flows", "/h/.quickswarm/workflows"],
  });
});

test("D-012 an agent type that is mapped to no configured agent, and a wrong value or key, are refused with their path", () => {
  expect(resolved({ dialect: { agentTypes: { Explore: "reader" } } }).problems).toEqual([
    {
      kind: "wrong_value",
      path: 'dialect.agentTypes["Explore"]',
      got: '"reader"',
      expected: "the id of an agent that stands under agents",
    },
  ]);
  const paths = resolved({ dialect: { agentsMax: 1001, modles: {}, models: { haiku: "a b" } } }).problems;
  expect(paths.map((problem) => problem.path).sort()).toEqual([
    "dialect.agentsMax",
    "dialect.models.haiku",
    "dialect.modles",
  ]);
});
