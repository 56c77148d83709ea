// One row of the table: a figure, the floor it is held against, and whether it meets its target.

import { rounded } from "./stats.mjs";

/**
 * @param {object} given
 * @param {string} given.id one row, one id; begins with the trial's
 * @param {string} given.what
 * @param {string} given.unit
 * @param {number | null} given.value
 * @param {number | null} [given.floor] in the same unit, measured in the same run
 * @param {{ of: "value" | "ratio", atMost: number } | null} [given.target]
 * @param {string} [given.limit] what limits it; shown when the target is missed
 * @param {string} [given.note] shown always
 */
export function row({ id, what, unit, value, floor = null, target = null, limit, note }) {
  const ratio = value !== null && floor !== null && floor > 0 ? value / floor : null;
  const held = target?.of === "ratio" ? ratio : value;
  const met = target === null ? null : held !== null && held <= target.atMost;
  const notes = [note, met === false ? limit : undefined].filter((text) => text !== undefined);
  return {
    id,
    what,
    unit,
    value: rounded(value),
    floor: rounded(floor),
    ratio: rounded(ratio),
    target: targetText(target, unit),
    met,
    ...(notes.length > 0 ? { limit: notes.join("; ") } : {}),
  };
}

function targetText(target, unit) {
  if (target === null) return null;
  return target.of === "ratio" ? `≤ ${target.atMost} × floor` : `≤ ${target.atMost.toLocaleString("en-US")} ${unit}`;
}
