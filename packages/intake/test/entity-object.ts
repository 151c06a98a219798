export const id = '87d349ed-44d7-43e1-9a83-5f2406dee5bd';
export const other = 'c3f5d7a9-1b2e-4f60-9c84-7d6e5a4b3c21';

/** An object of a provider with the part that is read from it. */
export type EntityObject = readonly [
  format: string,
  object: Record<string, unknown>,
  key: { kind: string; id: string } | null,
  /** Kind, id and name of the part. */
  part: string,
  /** The members that are served of the part alone. */
  served: Record<string, unknown> | null,
];
