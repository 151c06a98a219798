import kafkajs, { type Admin } from 'kafkajs';

/** The settings of each topic by name, as the brokers have them. Rejects where the login lacks DescribeConfigs. */
export async function readTopicSettings(
  admin: Admin,
  topics: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames: [...names] })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}
