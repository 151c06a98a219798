import { collectorProviderNames, getCollectorProvider, isCollectorProviderName } from '@tenantscope/contract';
import type { ListedCollector } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../../command-error.ts';
import { findOpenTenant, findTenant, withAdmin } from '../../../connections/admin-connection.ts';
import type { CommandContext } from '../../../context.ts';
import { parseGuid } from '../../../input/option-parsers.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatCount } from '../../../output/count.ts';
import { formatFields, formatTable } from '../../../output/table.ts';
import { type CollectorOptions, parseCollectorOptions, parseSettings } from './collector-options.ts';

export async function createCollector(
  providerName: string,
  options: CollectorOptions,
  context: CommandContext,
): Promise<CommandResult> {
  if (!isCollectorProviderName(providerName))
    throw usageError(`there is no provider ${providerName}; choose one of ${collectorProviderNames.join(', ')}`);
  const provider = getCollectorProvider(providerName);
  const input = { provider: providerName, ...parseCollectorOptions(options, provider) };
  const created = await withAdmin(context.environment, async (admin) => {
    const { id: tenantId, azureTenantId } = await findOpenTenant(admin, options.tenant);
    const settings = parseSettings(options, provider, azureTenantId);
    const id = await admin.collectors.create({ ...input, tenantId, settings });
    if (id === null)
      throw new CommandError(
        `the tenant ${tenantId} has a collector of ${input.url}; "tenantscope collector list" shows it`,
      );
    return { id, tenantId, ...input, settings };
  });
  const { streams, settings, ...fields } = created;
  const text = formatFields(Object.entries({ ...fields, ...settings, streams: streams.join(', ') }));
  return {
    document: created,
    text: `${text}\nThe collecting process starts within a second; "tenantscope collector list" shows its progress.`,
  };
}

export async function listCollectors(options: { tenant?: string }, context: CommandContext): Promise<CommandResult> {
  const found = await withAdmin(context.environment, async (admin) =>
    admin.collectors.list(options.tenant === undefined ? null : (await findTenant(admin, options.tenant)).id),
  );
  const text = formatTable(
    found.flatMap(listRows),
    [
      ['id', ({ collector }) => collector.id],
      ['tenant', ({ collector }) => collector.tenantId],
      ['provider', ({ collector }) => `${collector.provider} ${new URL(collector.url).host}`],
      ['stream', ({ stream }) => stream?.stream],
      ['state', describeState],
      ['records', ({ stream }) => stream?.records.toLocaleString('en')],
      ['last complete', ({ stream }) => stream?.completedAt],
      ['next run', ({ collector, stream }) => (collector.state === 'active' ? stream?.dueAt : null)],
      ['gaps', ({ stream }) => stream?.gaps.length],
    ],
    'No collectors.',
  );
  return { document: { data: found }, text };
}

interface Row {
  readonly collector: ListedCollector;
  /** Undefined: no collecting process has seen it. */
  readonly stream: ListedCollector['streams'][number] | undefined;
}

function listRows(collector: ListedCollector): Row[] {
  if (collector.streams.length === 0) return [{ collector, stream: undefined }];
  return collector.streams.map((stream) => ({ collector, stream }));
}

function describeState({ collector, stream }: Row): string {
  if (collector.state !== 'active') return collector.state;
  if (stream === undefined) return 'waiting for a collecting process';
  if (stream.failures > 0) return `failed ${formatCount(stream.failures, 'time')}: ${stream.failure}`;
  if (stream.isRunning) return 'running';
  return stream.completedAt === null ? 'incomplete' : 'complete';
}

const states = { pause: 'paused', resume: 'active', remove: 'removed' } as const;

export async function changeCollector(
  id: string,
  change: keyof typeof states,
  context: CommandContext,
): Promise<CommandResult> {
  const collectorId = parseGuid(id, 'the id of a collector');
  const state = states[change];
  await withAdmin(context.environment, async (admin) => {
    if (!(await admin.collectors.setState(collectorId, state)))
      throw new CommandError(`there is no collector ${collectorId}; "tenantscope collector list" shows them`);
  });
  const document = { id: collectorId, state };
  return { document, text: formatFields(Object.entries(document)) };
}
