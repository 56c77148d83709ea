// docs/models.md, docs/configuration.md and the code say the same.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MODEL_FIELDS } from "../../src/config/fields.ts";
import { PROVIDER_ALIASES, PROVIDER_KINDS, providerRow } from "../../src/contract/providers.ts";
import { TRIES_MAX } from "../../src/models/ask/ask.ts";
import { BREAKER_FAILURES_MAX, BREAKER_OPEN_MS } from "../../src/models/ask/gate.ts";
import { THINKING_LEVELS } from "../../src/models/child/thinking.ts";
import { FAILOVER_STATUSES } from "../../src/models/resolve/failover.ts";
import { SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX } from "../../src/models/schema/gate.ts";

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const guide = read("models.md");

test("the guide to models names every provider with its variables", () => {
  const names = PROVIDER_KINDS.flatMap((kind) => {
    const row = providerRow(kind);
    return [kind, ...row.keyVariables, row.baseUrlVariable];
  });
  const shown = [...names, Object.keys(PROVIDER_ALIASES)[0] ?? "", ...THINKING_LEVELS.map((level) => `"${level}"`)];
  expect(shown.filter((name) => !guide.includes(`\`${name}`))).toEqual([]);
});

test("the guide to models gives the limits that hold", () => {
  const figures = [
    `${TRIES_MAX} times`,
    `${BREAKER_FAILURES_MAX} failures in a row`,
    `${BREAKER_OPEN_MS / 1000} seconds`,
    `${SCHEMA_DEPTH_MAX} levels and ${SCHEMA_NODES_MAX.toLocaleString("en")} values`,
    [...FAILOVER_STATUSES].join(", "),
  ];
  expect(figures.filter((figure) => !guide.includes(figure))).toEqual([]);
});

test("the configuration page gives the defaults and ranges of the models section", () => {
  const page = read("configuration.md");
  for (const [name, field] of Object.entries(MODEL_FIELDS)) {
    const figures = `| ${field.default.toLocaleString("en")} | ${field.min.toLocaleString("en")}–`;
    expect(page, name).toMatch(new RegExp(`\`models\\.[^\`]*${name}\` ${figures.replaceAll("|", "\\|")}`));
  }
});
