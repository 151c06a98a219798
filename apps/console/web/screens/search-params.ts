/** A text in the address; undefined where it is missing or empty. */
export const parseText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
