// Which function is which strategy.

import type { StrategyName } from "../config.ts";
import type { Strategy } from "../strategy.ts";
import { debate } from "./debate.ts";
import { graph } from "./graph.ts";
import { hierarchical } from "./hierarchical.ts";
import { parallel } from "./parallel.ts";
import { reviewLoop } from "./review-loop.ts";
import { sequential } from "./sequential.ts";

export const STRATEGIES: { readonly [Name in StrategyName]: Strategy } = {
  sequential,
  parallel,
  debate,
  "review-loop": reviewLoop,
  hierarchical,
  graph,
};
