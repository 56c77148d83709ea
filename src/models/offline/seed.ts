// Determinism for the offline models: a hash of text, and a stream of numbers that follows from it.
// No chance is involved, so the same prompt always gives the same answer.

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A 32-bit hash of `text` (FNV-1a over UTF-16 units, then mixed). Not for secrets. */
export function hashText(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return mix(hash);
}

/** Numbers that follow from a seed. */
export interface Stream {
  /** At least 0, below 1. */
  unit(): number;
  /** A whole number of at least 0 and below `limit` (which is at least 1). */
  below(limit: number): number;
  /** The same items in an order that the seed decides. */
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** The stream of one place: the same parts give the same numbers, and no place disturbs another. */
export function streamOf(seed: number, ...place: (string | number)[]): Stream {
  let state = hashText(`${seed}|${place.join("|")}`);
  const unit = (): number => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(unit() * limit);
  const shuffled = <Item>(items: readonly Item[]): Item[] => {
    const left = [...items];
    const order: Item[] = [];
    while (left.length > 0) order.push(...left.splice(below(left.length), 1));
    return order;
  };
  return { unit, below, shuffled };
}

function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
