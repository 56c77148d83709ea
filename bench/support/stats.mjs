// The few figures that the trials take of their samples.

/** @param {number[]} samples at least one */
export function median(samples) {
  return percentile(samples, 50);
}

/** Nearest rank. @param {number[]} samples at least one @param {number} percent from 0 to 100 */
export function percentile(samples, percent) {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.ceil((percent / 100) * sorted.length);
  return sorted[Math.max(rank - 1, 0)];
}

/** Three significant digits, so that no figure looks surer than it is. */
export function rounded(value) {
  return value === null || value === 0 ? value : Number(value.toPrecision(3));
}
