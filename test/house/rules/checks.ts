// Every check of the house, with the sentence that it holds.

import { architectureViolations } from "./architecture.ts";
import { barrelViolations } from "./barrels.ts";
import { cycleViolations } from "./cycles.ts";
import { documentViolations } from "./docs.ts";
import { floorViolations } from "./floors.ts";
import { headerViolations, lawViolations } from "./headers.ts";
import { machineViolations } from "./machine.ts";
import { optionViolations } from "./options.ts";
import { errorViolations, ownerViolations } from "./owners.ts";
import { fileSizeViolations, functionSizeViolations } from "./sizes.ts";
import { titleViolations } from "./titles.ts";
import type { Check } from "./violation.ts";
import { anyViolations, mockViolations, silencedViolations, skippedViolations, sleepViolations } from "./words.ts";

export const CHECKS: readonly (readonly [string, Check])[] = [
  ["imports go down only, types included", floorViolations],
  ["no cycle of imports, types included", cycleViolations],
  ["at most 300 lines a file", fileSizeViolations],
  ["at most 70 lines a function", functionSizeViolations],
  ["at most 9 fields in an options type", optionViolations],
  ["each part of the outside has one owner", ownerViolations],
  ["errors are faults", errorViolations],
  ["one barrel only", barrelViolations],
  ["a file opens with what it is for", headerViolations],
  ["the laws that a file names exist", lawViolations],
  ["no any", anyViolations],
  ["no silenced check and no loose end", silencedViolations],
  ["no test that is skipped, alone or retried", skippedViolations],
  ["no module mock", mockViolations],
  ["no sleeping test", sleepViolations],
  ["no word of one machine", machineViolations],
  ["test titles cite acceptance ids that exist", titleViolations],
  ["documents point at what exists", documentViolations],
  ["ARCHITECTURE.md tells the floors as they are", architectureViolations],
];
