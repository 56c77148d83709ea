// Types of plants.mjs, which runs uncompiled in processes of its own.

import type { Settings } from "../../../src/contract/settings.ts";
import type { Runtime } from "../../../src/runtime/api.ts";
import type { RuntimeOptions } from "../../../src/runtime/open.ts";

export interface Planting {
  /** The folder of the compiled sources, as a URL. */
  dist: string;
  plant: string;
}

/** As openRuntime, with a planted defect in between. */
export function openPlanted(config: Planting, settings: Settings, options: RuntimeOptions): Promise<Runtime>;
