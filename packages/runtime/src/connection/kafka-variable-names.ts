/** Names the variables of a cluster in place of those of the main one: TENANTSCOPE_KAFKA_SSL becomes TENANTSCOPE_KAFKA_CLUSTER_<NAME>_SSL. */
export function nameClusterVariables(cluster: string, text: string): string {
  const name = cluster.toUpperCase().replaceAll('-', '_');
  return text.replaceAll('TENANTSCOPE_KAFKA_', `TENANTSCOPE_KAFKA_CLUSTER_${name}_`);
}
