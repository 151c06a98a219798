/** A number with its noun: 1 record, 26,015 records. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
