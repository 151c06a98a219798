import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { describeKafkaError } from '@tenantscope/runtime';
import kafkajs, { type AclEntry } from 'kafkajs';
import { CommandError } from '../../command-error.ts';
import { type KafkaSettings, readKafkaSettings, readTopicPrefix } from '../../connections/connection-settings.ts';
import { parseWait, waitForStores } from '../../connections/wait-for-stores.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatRight, type KafkaRight, listKafkaRights, type OptionalUse } from './kafka-rights.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const connectTimeoutMs = 5_000;

/** Shows the rights of all principals, or grants them. Granting again changes nothing. */
export async function showKafkaAcls(
  options: { apply?: boolean; wait: string } & OptionalUse,
  { environment }: CommandContext,
): Promise<CommandResult> {
  const rights = listKafkaRights(readTopicPrefix(environment), options);
  if (options.apply) {
    const settings = readKafkaSettings(environment);
    const work = waitForStores(parseWait(options.wait), () => grant(settings, rights));
    await work.catch((error: unknown) => {
      throw new CommandError(describeKafkaError(error, { brokers: settings.connection.brokers }));
    });
  }
  const lines = rights.map(formatRight);
  return { document: { applied: options.apply ?? false, rights }, text: lines.join('\n') };
}

async function grant({ connection }: KafkaSettings, rights: readonly KafkaRight[]): Promise<void> {
  const admin = createKafkaClient({ ...connection, clientId: 'tenantscope-kafka-acls' }).admin();
  try {
    await waitForBroker(connection.brokers, connectTimeoutMs, admin.connect());
    await admin.createAcls({ acl: rights.flatMap(createEntries) });
  } finally {
    await admin.disconnect();
  }
}

const operations = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Create: AclOperationTypes.CREATE,
  Alter: AclOperationTypes.ALTER,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Describe: AclOperationTypes.DESCRIBE,
};

function createEntries(right: KafkaRight): AclEntry[] {
  const { principal, resource, name, isPrefix = false, isDenied = false } = right;
  return right.operations.map((operation) => ({
    principal: `User:${principal}`,
    host: '*',
    operation: operations[operation],
    permissionType: isDenied ? AclPermissionTypes.DENY : AclPermissionTypes.ALLOW,
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: isPrefix ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  }));
}
