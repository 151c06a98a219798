/** Thousands apart: 26,015. */
export const grouped = (count: number): string => count.toLocaleString('en');

/** A number with its noun: 1 key, 26,015 keys. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;
