import { dayMs, topicName } from '@tenantscope/contract';
import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { describeKafkaError, isKafkaAccessRefused, nameCellVariable } from '@tenantscope/runtime';
import type { Admin } from 'kafkajs';
import { readKafkaSettings } from '../../../connections/connection-settings.ts';
import type { Environment } from '../../../connections/environment.ts';
import { readTopicSettings } from '../../../connections/topic-settings.ts';
import { formatCount } from '../../../output/count.ts';
import { describeUncleanElection, readTopicDurability } from '../../administration/topic-durability.ts';
import { listCellTopics } from '../../administration/topics.ts';
import { listCells } from './cell-findings.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;

/** Checks the login of the environment, if there is one, the topics of each cell that it may see, and how long they retain records. */
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
    const reached: Finding = { subject, result: 'ok', detail: formatCount(nodes.length, 'broker') };
    const listed = new Set(await admin.listTopics());
    const findings = [reached];
    for (const cell of listPrefixes(environment, settings.topicPrefix))
      findings.push(...(await checkTopics(admin, cell, { listed, backupDays, nodeCount: nodes.length })));
    return findings;
  } catch (error) {
    return [{ subject, result: 'failed', detail: describeKafkaError(error, { brokers }) }];
  } finally {
    await admin?.disconnect();
  }
}

interface CellTopics {
  /** Follows the subjects of findings; of the cell `default` it is empty. */
  readonly suffix: string;
  /** Null: no variable has it. */
  readonly prefix: string | null;
  readonly variable: string;
}

const listPrefixes = (environment: Environment, ownPrefix: string): readonly CellTopics[] => [
  { suffix: '', prefix: ownPrefix, variable: 'TENANTSCOPE_TOPIC_PREFIX' },
  ...listCells(environment).map((cell) => {
    const variable = nameCellVariable(cell, 'TENANTSCOPE_CELL_TOPIC_PREFIX');
    return { suffix: ` of the cell ${cell}`, prefix: environment[variable] || null, variable };
  }),
];

interface ClusterFacts {
  /** The topics that the login may see. */
  readonly listed: ReadonlySet<string>;
  readonly backupDays: number;
  readonly nodeCount: number;
}

/** Topics that the login may not see are not checked: each process sees its own. */
async function checkTopics(
  admin: Admin,
  { suffix, prefix, variable }: CellTopics,
  { listed, backupDays, nodeCount }: ClusterFacts,
): Promise<readonly Finding[]> {
  const subject = `Kafka, topics${suffix}`;
  if (prefix === null) return [{ subject, result: 'not checked', detail: `needs ${variable}` }];
  const expected = listCellTopics(suffix === '').map((topic) => ({ name: topicName(prefix, topic), topic }));
  const visible = expected.filter(({ name }) => listed.has(name));
  if (visible.length === 0) {
    const detail = `no topic ${prefix}.* is visible to this login; "tenantscope migrate" creates them`;
    return [{ subject, result: 'not checked', detail }];
  }
  const names = visible.map(({ name }) => name);
  const { topics: described } = await admin.fetchTopicMetadata({ topics: names });
  const partitions = new Map(described.map(({ name, partitions: list }) => [name, list.length]));
  const short = visible.filter(({ name, topic }) => (partitions.get(name) ?? 0) < topic.partitions);
  const expiring = visible.filter(({ topic }) => topic.cleanup === 'delete').map(({ name }) => name);
  return [
    ...expected.filter(({ name }) => !listed.has(name)).map(({ name }) => describeHidden(name)),
    ...short.map(({ name, topic }): Finding => {
      const detail = `${partitions.get(name)} of ${topic.partitions} partitions; run "tenantscope migrate --add-partitions"`;
      return { subject: `Kafka, ${name}`, result: 'warning', detail };
    }),
    ...(await checkDurability(admin, `Kafka, durability${suffix}`, { names, nodeCount })),
    await checkRetention(admin, `Kafka, retention${suffix}`, { names: expiring, backupDays }),
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
async function checkDurability(
  admin: Admin,
  subject: string,
  { names, nodeCount }: { readonly names: readonly string[]; readonly nodeCount: number },
): Promise<readonly Finding[]> {
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
    detail: `${formatCount(copies, 'copy', 'copies')}, min.insync.replicas ${minInSyncReplicas}: a broker that is lost takes acknowledged records with it; use three copies and min.insync.replicas 2`,
  }));
}

/** After a restore, ingest reads again what came since the backup: records must be retained for longer than the oldest backup that is restored. */
async function checkRetention(
  admin: Admin,
  subject: string,
  { names, backupDays }: { readonly names: readonly string[]; readonly backupDays: number },
): Promise<Finding> {
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
