/** A lane without the prefix that all topics share. */
export const laneName = ({ source, partition }: { source: string; partition: number }): string =>
  `${source}/${partition}`;
