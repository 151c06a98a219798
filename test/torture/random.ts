import { createHash, randomInt } from 'node:crypto';

/** `npm run torture` runs the long form of these tests, `npm test` a short one. */
export const isLong = process.env.TENANTSCOPE_TORTURE === '1';

/** Determines all random choices in these tests. */
export const seed = process.env.TENANTSCOPE_TORTURE_SEED ?? String(randomInt(2 ** 31));

/** The duration of a torture test; TENANTSCOPE_TORTURE_SECONDS extends the long form. */
export function tortureDurationMs(seconds: { short: number; long: number }): number {
  return 1_000 * (isLong ? Number(process.env.TENANTSCOPE_TORTURE_SECONDS ?? seconds.long) : seconds.short);
}

export interface Random {
  /** An integer in [from, to]. */
  between(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Random choices that are reproducible by seed and name (splitmix32). Logs the seed to make failures reproducible. */
export function createRandom(name: string): Random {
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
