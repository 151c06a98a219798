import { topicName, topics } from '@tenantscope/contract';
import { bindableFormats } from '@tenantscope/intake';
import { findSimilar, mainCluster } from '@tenantscope/runtime';
import type { Admin, NewBinding } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { findOpenTenant, withAdmin } from '../../connections/admin-connection.ts';
import { readClusterNames, readTopicPrefix } from '../../connections/connection-settings.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatBindings, listBoundTopics } from './bound-topics.ts';
import { formatTopic } from './lanes.ts';

export interface SourceOptions {
  readonly topic: string;
  /** The configured name of a Kafka cluster. */
  readonly cluster: string;
}

export interface NewSourceOptions extends SourceOptions {
  readonly format: string;
  readonly tenant?: string;
  readonly tenantFrom?: string;
}

export interface ListOptions {
  readonly removed: boolean;
}

/** Binds a topic. Ingestion reads it within seconds, from its first retained record or from where it stopped. */
export async function createSource(options: NewSourceOptions, context: CommandContext): Promise<CommandResult> {
  checkTopic(options, readTopicPrefix(context.environment));
  checkFormat(options.format);
  checkCluster(options.cluster, readClusterNames(context.environment));
  return withAdmin(context.environment, async (admin) => {
    for (const { topicPrefix } of await admin.cells.list()) if (topicPrefix !== null) checkTopic(options, topicPrefix);
    const { topic, cluster, format } = options;
    const created = await admin.bindings.create({
      topic,
      cluster,
      format,
      ...(await chooseTenant(admin, options)),
    });
    if (created === null) throw await describeConflict(admin, options);
    const text = `${formatTopic(cluster, topic)} is bound: its values are ${format}. Ingestion reads it within 10 s; "tenantscope source list" shows it.`;
    return { document: created, text };
  });
}

export async function listSourceBindings({ removed }: ListOptions, context: CommandContext): Promise<CommandResult> {
  const { bindings, problems } = await withAdmin(context.environment, (admin) => listBoundTopics(admin, removed));
  return { document: { data: bindings }, text: formatBindings(bindings), problems };
}

/** Removes a binding. What the topic has then is read when it is bound again. */
export async function removeSource({ topic, cluster }: SourceOptions, context: CommandContext): Promise<CommandResult> {
  const name = formatTopic(cluster, topic);
  const removed = await withAdmin(context.environment, (admin) => admin.bindings.remove(cluster, topic));
  if (removed === null)
    throw new CommandError(`the topic ${name} has no source binding; see "tenantscope source list"`);
  const text = `${name} is not bound any more. Ingestion stops reading it within 10 s; what it has written stays.`;
  return { document: removed, text };
}

function checkTopic({ topic }: SourceOptions, prefix: string): void {
  if (!/^[A-Za-z0-9._-]{1,249}$/.test(topic) || topic === '.' || topic === '..')
    throw usageError(
      '--topic must be the name of a topic: up to 249 alphanumeric characters, dots, hyphens and underscores',
    );
  if (topic.startsWith('__')) throw usageError(`--topic ${topic} is a topic of Kafka itself`);
  if (Object.values(topics).some((own) => topicName(prefix, own) === topic))
    throw usageError(
      `--topic ${topic} is a topic of the product: its messages have an envelope that names format and tenant, so it needs no binding`,
    );
}

/** The variables of this command may be older than those of ingestion, but a misspelled name would never be read. */
function checkCluster(cluster: string, names: readonly string[]): void {
  if (names.includes(cluster)) return;
  throw usageError(
    `--cluster ${cluster} is not declared; declared: ${names.join(', ')}. Name it in TENANTSCOPE_KAFKA_CLUSTERS, for this command, ingest and jobs, and set TENANTSCOPE_KAFKA_CLUSTER_<NAME>_BROKERS`,
  );
}

function checkFormat(format: string): void {
  if (bindableFormats.includes(format)) return;
  const similar = findSimilar(format, bindableFormats, 3);
  throw usageError(
    `--format ${format} is no format of provider records; did you mean ${similar.join(', ')}? All: ${bindableFormats.join(', ')}`,
  );
}

async function chooseTenant(
  admin: Admin,
  { tenant, tenantFrom }: NewSourceOptions,
): Promise<Pick<NewBinding, 'tenantId' | 'tenantPath'>> {
  if ((tenant === undefined) === (tenantFrom === undefined))
    throw usageError('name the tenant of all records with --tenant, or the member that has it with --tenant-from');
  if (tenant === undefined) return { tenantId: null, tenantPath: parsePath(tenantFrom ?? '') };
  return { tenantId: (await findOpenTenant(admin, tenant)).id, tenantPath: null };
}

/** It travels as a header, and names a member of JSON: any name without control characters. */
function parsePath(text: string): string {
  if (text.trim() !== '' && text.length <= 200 && !/\p{Cc}/u.test(text)) return text;
  throw usageError('--tenant-from must be the name of a member, for example properties.tenantId');
}

async function describeConflict(admin: Admin, { topic, cluster }: SourceOptions): Promise<CommandError> {
  const bindings = await admin.bindings.list(false);
  const existing = bindings.find((one) => one.topic === topic && one.cluster === cluster);
  const option = cluster === mainCluster ? '' : ` --cluster ${cluster}`;
  const what = existing === undefined ? '' : ` to ${existing.format}`;
  return new CommandError(
    `the topic ${formatTopic(cluster, topic)} is already bound${what}; a topic has one binding: "tenantscope source remove --topic ${topic}${option}" removes it`,
  );
}
