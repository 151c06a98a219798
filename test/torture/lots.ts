import { createHash, randomInt } from 'node:crypto';

/** `npm run torture` runs the long form of these tests, `npm test` a short one. */
export const isLong = process.env.TENANTSCOPE_TORTURE === '1';

/** Decides everything that is left to chance here. */
export const seed = process.env.TENANTSCOPE_TORTURE_SEED ?? String(randomInt(2 ** 31));

/** How long a torture lasts; TENANTSCOPE_TORTURE_SECONDS makes the long form longer. */
export function lasting(seconds: { short: number; long: number }): number {
  return 1_000 * (isLong ? Number(process.env.TENANTSCOPE_TORTURE_SECONDS ?? seconds.long) : seconds.short);
}

export interface Lots {
  /** A whole number in [from, to]. */
  between(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Lots that the seed and the name repeat (splitmix32). Says the seed, since a failure is worth nothing without it. */
export function drawLots(name: string): Lots {
  console.log(`${name}: seed ${seed}`);
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readInt32LE();
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    between,
    pick: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
    shuffle: (items) =>
      items
        .map((item) => ({ item, lot: next() }))
        .sort((a, b) => a.lot - b.lot)
        .map(({ item }) => item),
  };
}
