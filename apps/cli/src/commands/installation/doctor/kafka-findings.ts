import { ledgerTopic, topicName, topics } from '@tenantscope/contract';
import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { describeKafkaError, isKafkaAccessRefused } from '@tenantscope/runtime';
import type { Admin } from 'kafkajs';
import { type KafkaSettings, readKafkaSettings } from '../../../connections/connection-settings.ts';
import type { Environment } from '../../../connections/environment.ts';
import { readTopicSettings } from '../../../connections/topic-settings.ts';
import { describeUncleanElection, readTopicDurability } from '../../administration/topic-durability.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;
const dayMs = 86_400_000;

/** Checks the login of the environment, if there is one, the topics that it may see, and how long they retain records. */
export async function checkKafka(environment: Environment, backupDays: number): Promise<readonly Finding[]> {
  if (!environment.TENANTSCOPE_KAFKA_BROKERS) return [];
  const subject = 'Kafka, TENANTSCOPE_KAFKA_BROKERS';
  let brokers = '';
  let admin: Admin | undefined;
  try {
    const settings = readKafkaSettings(environment);
    ({ brokers } = settings.connection);
    admin = createKafkaClient({ ...settings.connection, clientId: 'tenantscope-doctor' }).admin();
    await waitForBroker(brokers, timeoutMs, admin.connect());
    const { brokers: nodes } = await admin.describeCluster();
    const reached: Finding = { subject, result: 'ok', detail: `${nodes.length} brokers` };
    return [reached, ...(await checkTopics(admin, settings, { backupDays, nodeCount: nodes.length }))];
  } catch (error) {
    return [{ subject, result: 'failed', detail: describeKafkaError(error, { brokers }) }];
  } finally {
    await admin?.disconnect();
  }
}

/** Topics that the login may not see are not checked: each process sees its own. */
async function checkTopics(
  admin: Admin,
  { topicPrefix }: KafkaSettings,
  { backupDays, nodeCount }: { readonly backupDays: number; readonly nodeCount: number },
): Promise<readonly Finding[]> {
  const listed = new Set(await admin.listTopics());
  const expected = [...Object.values(topics), ledgerTopic].map((topic) => ({
    name: topicName(topicPrefix, topic),
    topic,
  }));
  const visible = expected.filter(({ name }) => listed.has(name));
  if (visible.length === 0) {
    const detail = `no topic ${topicPrefix}.* is visible to this login; "tenantscope migrate" creates them`;
    return [{ subject: 'Kafka, topics', result: 'not checked', detail }];
  }
  const names = visible.map(({ name }) => name);
  const { topics: described } = await admin.fetchTopicMetadata({ topics: names });
  const partitions = new Map(described.map(({ name, partitions: list }) => [name, list.length]));
  const short = visible.filter(({ name, topic }) => (partitions.get(name) ?? 0) < topic.partitions);
  return [
    ...expected.filter(({ name }) => !listed.has(name)).map(({ name }) => describeHidden(name)),
    ...short.map(({ name, topic }): Finding => {
      const detail = `${partitions.get(name)} of ${topic.partitions} partitions; run "tenantscope migrate --add-partitions"`;
      return { subject: `Kafka, ${name}`, result: 'warning', detail };
    }),
    ...(await checkDurability(admin, names, nodeCount)),
    await checkRetention(
      admin,
      visible.filter(({ topic }) => topic.cleanup === 'delete').map(({ name }) => name),
      backupDays,
    ),
  ];
}

const describeHidden = (name: string): Finding => ({
  subject: `Kafka, ${name}`,
  result: 'warning',
  detail: 'missing or not visible to this login; "tenantscope migrate" creates it',
});

const describeUnreadable = (subject: string): Finding => ({
  subject,
  result: 'not checked',
  detail: 'the login may not describe settings of topics (DescribeConfigs)',
});

/** Copies are judged in a cluster of several brokers: one broker has no other place for them. */
async function checkDurability(admin: Admin, names: readonly string[], nodeCount: number): Promise<readonly Finding[]> {
  const subject = 'Kafka, durability';
  const topics = await readTopicDurability(admin, names);
  if (topics === null) return [describeUnreadable(subject)];
  const unclean = topics.filter(({ electsUnclean }) => electsUnclean).map(({ name }) => name);
  if (unclean.length > 0) return [{ subject, result: 'failed', detail: describeUncleanElection(unclean) }];
  const weak =
    nodeCount === 1 ? [] : topics.filter(({ copies, minInSyncReplicas }) => Math.min(copies, minInSyncReplicas) < 2);
  if (weak.length === 0) return [{ subject, result: 'ok', detail: 'no unclean election of leaders' }];
  return weak.map(({ name, copies, minInSyncReplicas }) => ({
    subject: `${subject}, ${name}`,
    result: 'warning',
    detail: `${copies} copies, min.insync.replicas ${minInSyncReplicas}: a broker that is lost takes acknowledged records with it; use three copies and min.insync.replicas 2`,
  }));
}

/** After a restore, ingest reads again what came since the backup: records must be retained for longer than the oldest backup that is restored. */
async function checkRetention(admin: Admin, names: readonly string[], backupDays: number): Promise<Finding> {
  const subject = 'Kafka, retention';
  try {
    const settings = await readTopicSettings(admin, names, ['retention.ms']);
    const shortest = [...settings]
      .map(([name, values]) => ({ name, retentionMs: Number(values.get('retention.ms')) }))
      .filter(({ retentionMs }) => retentionMs >= 0)
      .sort((left, right) => left.retentionMs - right.retentionMs)[0];
    if (shortest === undefined) return { subject, result: 'ok', detail: 'unlimited' };
    const detail = `${shortest.name} retains ${(shortest.retentionMs / dayMs).toFixed(1)} days`;
    if (shortest.retentionMs >= backupDays * dayMs) return { subject, result: 'ok', detail };
    const advice = `raise retention.ms, or restore only backups that are younger (--backup-days is ${backupDays})`;
    return { subject, result: 'warning', detail: `${detail}; ${advice}` };
  } catch (error) {
    if (!isKafkaAccessRefused(error)) throw error;
    return describeUnreadable(subject);
  }
}
