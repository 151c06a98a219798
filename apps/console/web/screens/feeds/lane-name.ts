/** The cluster of TENANTSCOPE_KAFKA_BROKERS; its name is left out. */
export const mainCluster = 'main';

/** A lane without the prefix that all topics share, with its cluster where that is a further one. */
export const shortLaneName = ({
  cluster,
  source,
  partition,
}: {
  cluster: string;
  source: string;
  partition: number;
}): string => `${source}/${partition}${cluster === mainCluster ? '' : ` (${cluster})`}`;
