import { isAbsolute } from 'node:path';
import {
  type CollectorProvider,
  collectorProviderNames,
  getCollectorProvider,
  isCollectorProviderName,
} from '@tenantscope/contract';
import { isLoopback } from '@tenantscope/runtime';
import type { ListedCollector, NewCollector } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../../command-error.ts';
import { findTenant, withAdmin } from '../../../connections/admin-connection.ts';
import type { CommandContext } from '../../../context.ts';
import { parseChoice, parseGuid, parseInteger } from '../../../input/option-parsers.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { formatFields, formatTable } from '../../../output/table.ts';

export interface CollectorOptions {
  readonly tenant: string;
  readonly secretFile: string;
  readonly url?: string;
  readonly from?: string;
  readonly stream?: readonly string[];
  readonly interval?: string;
}

export async function createCollector(
  providerName: string,
  options: CollectorOptions,
  context: CommandContext,
): Promise<CommandResult> {
  if (!isCollectorProviderName(providerName))
    throw usageError(`there is no provider ${providerName}; choose one of ${collectorProviderNames.join(', ')}`);
  const provider = getCollectorProvider(providerName);
  const input = { provider: providerName, settings: {}, ...parseOptions(options, provider) };
  const created = await withAdmin(context.environment, async (admin) => {
    const { id: tenantId } = await findTenant(admin, options.tenant);
    const id = await admin.collectors.create({ ...input, tenantId });
    if (id === null)
      throw new CommandError(
        `the tenant ${tenantId} has a collector of ${input.url}; "tenantscope collector list" shows it`,
      );
    return { id, tenantId, ...input };
  });
  const { streams, settings: _, ...fields } = created;
  const text = formatFields(Object.entries({ ...fields, streams: streams.join(', ') }));
  return {
    document: created,
    text: `${text}\nThe collecting process starts within a second; "tenantscope collector list" shows its progress.`,
  };
}

function parseOptions(
  options: CollectorOptions,
  provider: CollectorProvider,
): Omit<NewCollector, 'tenantId' | 'provider' | 'settings'> {
  if (!isAbsolute(options.secretFile))
    throw usageError('--secret-file must be an absolute path: the collecting process has another working directory');
  const names = Object.keys(provider.streams);
  return {
    url: parseUrl(options.url, provider),
    secretFile: options.secretFile,
    streams: [...new Set((options.stream ?? names).map((name) => parseChoice(name, names, '--stream')))],
    intervalSeconds:
      options.interval === undefined
        ? provider.intervalSeconds
        : parseInteger(options.interval, '--interval', { from: 1, to: 86_400 }),
    startAt: parseStart(options.from, provider),
  };
}

/** Scheme and host: paths are the provider module's. Without TLS the secret would be readable on its way. */
function parseUrl(text: string | undefined, { url }: CollectorProvider): string {
  if (text === undefined) {
    if ('shared' in url) return url.shared;
    throw usageError(`--url is missing, for example ${url.example}`);
  }
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw usageError('--url must be an https address');
  if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname))
    throw usageError('--url must be an https address: the secret is part of each request');
  if (parsed.username !== '' || parsed.password !== '') throw usageError('--url must not contain a user or password');
  if (parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '')
    throw usageError(`--url must be an address without a path, such as ${parsed.origin}`);
  return parsed.origin;
}

const dayMs = 86_400_000;

function parseStart(text: string | undefined, { label, retentionDays }: CollectorProvider): string {
  const nowMs = Date.now();
  const oldestMs = nowMs - retentionDays * dayMs;
  if (text === undefined) return new Date(oldestMs).toISOString();
  const ms = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(ms))
    throw usageError('--from must be a date or an RFC 3339 time, such as 2026-11-01 or 2026-11-01T00:00:00Z');
  if (ms > nowMs) throw usageError('--from must not be in the future');
  if (ms < oldestMs - dayMs)
    throw usageError(`--from must not be more than ${retentionDays} days ago: ${label} does not retain older records`);
  return new Date(ms).toISOString();
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
  if (stream.failures > 0) return `failed ${stream.failures} times: ${stream.failure}`;
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
