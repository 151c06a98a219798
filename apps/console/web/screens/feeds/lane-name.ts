/** A lane without the prefix that all topics share. */
export const shortLaneName = ({ source, partition }: { source: string; partition: number }): string =>
  `${source}/${partition}`;
