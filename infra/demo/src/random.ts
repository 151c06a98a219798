import { createHash } from 'node:crypto';

/** Seeded pseudorandom choices. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [from, to]. */
  between(from: number, to: number): number;
  bool(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item;
  guid(): string;
  hex(digits: number): string;
}

/** sfc32 (Chris Doty-Humphrey, PractRand), seeded by a digest of the text: 128 bits of state, the same on every machine. */
export function createRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];

  const word = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  const next = () => word() / 2 ** 32;
  const hex = (digits: number) =>
    Array.from({ length: Math.ceil(digits / 8) }, () => word().toString(16).padStart(8, '0'))
      .join('')
      .slice(0, digits);

  return {
    next,
    hex,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    bool: (probability) => next() < probability,
    pick: (items) => one(items, Math.floor(next() * items.length)),
    weighted(items) {
      let left = next() * items.reduce((sum, item) => sum + item.weight, 0);
      for (const item of items) {
        left -= item.weight;
        if (left < 0) return item;
      }
      return one(items, items.length - 1);
    },
    guid: () => formatGuid(hex(32)),
  };
}

/** Derives a GUID from names, always the same for the same names. */
export function deriveGuid(...names: readonly string[]): string {
  return formatGuid(computeDigest(names));
}

/** Derives an integer below `limit` from names, always the same for the same names. */
export function deriveNumber(limit: number, ...names: readonly string[]): number {
  return Number.parseInt(computeDigest(names).slice(0, 12), 16) % limit;
}

function computeDigest(names: readonly string[]): string {
  return createHash('sha256').update(names.join('\0')).digest('hex');
}

/** Sets version 4 and the RFC 9562 variant, which some parsers check. */
function formatGuid(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function one<Item>(items: readonly Item[], index: number): Item {
  if (items.length === 0) throw new RangeError('nothing to choose from');
  return items[index] as Item;
}
