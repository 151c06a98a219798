import { topicName, topics } from '@tenantscope/contract';
import { bindableFormats } from '@tenantscope/intake';
import { findSimilar } from '@tenantscope/runtime';
import type { Admin, NewBinding } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import { readTopicPrefix } from '../../connections/connection-settings.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatBindings, listBoundTopics } from './bound-topics.ts';

export interface SourceOptions {
  readonly topic: string;
}

export interface NewSourceOptions extends SourceOptions {
  readonly format: string;
  readonly tenant?: string;
  readonly tenantFrom?: string;
}

export interface ListOptions {
  readonly removed: boolean;
}

/** The cluster that ingestion is configured with: the only one so far. */
const mainCluster = 'main';

/** Binds a topic. Ingestion reads it within seconds, from its first retained record or from where it stopped. */
export async function createSource(options: NewSourceOptions, context: CommandContext): Promise<CommandResult> {
  checkTopic(options, readTopicPrefix(context.environment));
  checkFormat(options.format);
  return withAdmin(context.environment, async (admin) => {
    const { topic, format } = options;
    const created = await admin.bindings.create({
      topic,
      cluster: mainCluster,
      format,
      ...(await chooseTenant(admin, options)),
    });
    if (created === null) throw await describeConflict(admin, options);
    const text = `${topic} is bound: its values are ${format}. Ingestion reads it within 10 s; "tenantscope source list" shows it.`;
    return { document: created, text };
  });
}

export async function listSourceBindings({ removed }: ListOptions, context: CommandContext): Promise<CommandResult> {
  const found = await withAdmin(context.environment, (admin) => listBoundTopics(admin, removed));
  return { document: { data: found }, text: formatBindings(found) };
}

/** Removes a binding. What the topic has then is read when it is bound again. */
export async function removeSource({ topic }: SourceOptions, context: CommandContext): Promise<CommandResult> {
  const removed = await withAdmin(context.environment, (admin) => admin.bindings.remove(mainCluster, topic));
  if (removed === null)
    throw new CommandError(`the topic ${topic} has no source binding; see "tenantscope source list"`);
  const text = `${topic} is not bound any more. Ingestion stops reading it within 10 s; what it has written stays.`;
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
  return { tenantId: (await findTenant(admin, tenant)).id, tenantPath: null };
}

/** It travels as a header, and names a member of JSON: any name without control characters. */
function parsePath(text: string): string {
  if (text.trim() !== '' && text.length <= 200 && !/\p{Cc}/u.test(text)) return text;
  throw usageError('--tenant-from must be the name of a member, for example properties.tenantId');
}

async function describeConflict(admin: Admin, { topic }: SourceOptions): Promise<CommandError> {
  const existing = (await admin.bindings.list(false)).find((one) => one.topic === topic);
  const what = existing === undefined ? '' : ` to ${existing.format}`;
  return new CommandError(
    `the topic ${topic} is already bound${what}; a topic has one binding: "tenantscope source remove --topic ${topic}" removes it`,
  );
}
