import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { type SecureKafka, startSecureKafka } from '../connections/secure-kafka.ts';
import { activityRecord } from '../installation/activity-records.ts';
import { createTopics } from '../installation/create-topics.ts';

const principal = 'User:tenantscope-ingest';

/** A Kafka cluster of others, with TLS, logins and ACLs, that is declared as `partner`. */
export interface PartnerCluster extends AsyncDisposable {
  readonly kafka: SecureKafka;
  /** The variables that declare it. */
  readonly variables: Record<string, string>;
  /** Creates a topic that ingest may describe and, unless `mayRead` is false, read. */
  createTopic(topic: string, partitions: number, mayRead?: boolean): Promise<string>;
  allowReading(topic: string): Promise<void>;
  forbidReading(topic: string): Promise<void>;
  /** Appends bare records, numbered from `from`. */
  append(topic: string, partition: number, count: number, from?: number): Promise<void>;
  /** Writes the password file: the right password by default. */
  writePassword(password?: string): Promise<void>;
}

export async function startPartnerCluster(group: string): Promise<PartnerCluster> {
  await using started = new AsyncDisposableStack();
  const kafka = started.use(await startSecureKafka());
  const { admin } = kafka.superuser;
  const right = (resourceType: number, resourceName: string, operation: number) => ({
    resourceType,
    resourceName,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    operation,
  });
  const read = (topic: string) => right(AclResourceTypes.TOPIC, topic, AclOperationTypes.READ);
  await admin.createAcls({ acl: [right(AclResourceTypes.GROUP, group, AclOperationTypes.READ)] });
  const passwordFile = join(kafka.certificates.directory, `partner-${randomUUID()}`);
  const writePassword = (password = kafka.passwords['tenantscope-ingest'] ?? '') => writeFile(passwordFile, password);
  await writePassword();
  const all = started.move();
  return {
    kafka,
    variables: {
      TENANTSCOPE_KAFKA_CLUSTERS: 'partner',
      TENANTSCOPE_KAFKA_CLUSTER_PARTNER_BROKERS: `localhost:${kafka.saslPort}`,
      TENANTSCOPE_KAFKA_CLUSTER_PARTNER_SSL_CA_FILE: kafka.certificates.caFile,
      TENANTSCOPE_KAFKA_CLUSTER_PARTNER_SASL_MECHANISM: 'plain',
      TENANTSCOPE_KAFKA_CLUSTER_PARTNER_SASL_USERNAME: 'tenantscope-ingest',
      TENANTSCOPE_KAFKA_CLUSTER_PARTNER_SASL_PASSWORD_FILE: passwordFile,
    },
    async createTopic(topic, numPartitions, mayRead = true) {
      await createTopics(admin, [{ topic, numPartitions }]);
      const describe = right(AclResourceTypes.TOPIC, topic, AclOperationTypes.DESCRIBE);
      await admin.createAcls({ acl: mayRead ? [read(topic)] : [describe] });
      return topic;
    },
    async allowReading(topic) {
      await admin.createAcls({ acl: [read(topic)] });
    },
    async forbidReading(topic) {
      await admin.createAcls({ acl: [right(AclResourceTypes.TOPIC, topic, AclOperationTypes.DESCRIBE)] });
      await admin.deleteAcls({ filters: [read(topic)] });
    },
    async append(topic, partition, count, from = 0) {
      const values = Array.from({ length: count }, (_, number) => ({
        value: Buffer.from(JSON.stringify(activityRecord(from + number))),
      }));
      await kafka.superuser.append(topic, partition, values);
    },
    writePassword,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
