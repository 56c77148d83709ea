// docs/offline.md and the code say the same.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OFFLINE_FIELDS } from "../../src/config/fields.ts";
import { OFFLINE_NAMES } from "../../src/models/offline/names.ts";
import { FORMAT_NAMES } from "../../src/models/offline/schema/formats.ts";
import { KEYWORD_NAMES } from "../../src/models/offline/schema/support.ts";

const guide = readFileSync(new URL("../../docs/offline.md", import.meta.url), "utf8");

test("the guide to offline models names every model, every keyword and every format", () => {
  const names = [...OFFLINE_NAMES.flatMap((name) => name.split(" to ")), ...KEYWORD_NAMES, ...FORMAT_NAMES];
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !guide.includes(name))).toEqual([]);
});

test("the guide to offline models gives the default delays", () => {
  expect(guide).toContain(`\`offlineDelayMs\` (${OFFLINE_FIELDS.offlineDelayMs.default.toLocaleString("en")} ms)`);
  expect(guide).toContain(`\`offlineSlowMs\` (${OFFLINE_FIELDS.offlineSlowMs.default.toLocaleString("en")} ms)`);
});
