import type { Admin, Tenant } from '@tenantscope/store/admin';

/** By cell, the prefix of its topics. `defaultPrefix` is that of the configuration, of the cell default. */
export async function readTopicPrefixes(admin: Admin, defaultPrefix: string): Promise<ReadonlyMap<string, string>> {
  return new Map((await admin.cells.list()).map(({ name, topicPrefix }) => [name, topicPrefix ?? defaultPrefix]));
}

/** Of the topics that records of a tenant are sent to. */
export async function readTopicPrefixOf(
  admin: Admin,
  { cell }: Pick<Tenant, 'cell'>,
  defaultPrefix: string,
): Promise<string> {
  return (await readTopicPrefixes(admin, defaultPrefix)).get(cell) ?? defaultPrefix;
}
