import type { RejectedFormat, SourceState } from '@tenantscope/store/admin';
import { findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatTable } from '../../output/table.ts';
import { type BoundTopic, formatBindings, listBoundTopics } from './bound-topics.ts';

export interface SourcesOptions {
  readonly tenant?: string;
}

/** Lists how far each source of a tenant has come, and what of its records was rejected. */
export async function listSources({ tenant }: SourcesOptions, context: CommandContext): Promise<CommandResult> {
  const { problems, ...found } = await withAdmin(context.environment, async (admin) => {
    const tenantId = tenant === undefined ? null : (await findTenant(admin, tenant)).id;
    const [sources, bound] = await Promise.all([admin.sources(tenantId), listBoundTopics(admin, false)]);
    return {
      ...sources,
      bindings: bound.bindings.filter((one) => tenantId === null || isOfTenant(one, tenantId)),
      problems: [...new Set([...sources.problems, ...bound.problems])],
    };
  });
  const tables = [formatSources(found.sources), formatRejected(found.rejected), formatBindings(found.bindings)];
  return { document: found, text: tables.join('\n\n'), problems };
}

/** Each record of a topic without a tenant of its own may be of any. */
const isOfTenant = ({ tenantId }: BoundTopic, id: string): boolean => tenantId === null || tenantId === id;

function formatSources(sources: readonly SourceState[]): string {
  return formatTable(
    sources,
    [
      ['tenant', ({ tenantId }) => tenantId],
      ['source', ({ source, isUnlisted }) => (isUnlisted ? `${source} (unknown category)` : source)],
      ['rows', ({ rows }) => rows.toLocaleString('en')],
      ['last event', ({ lastOccurredAt }) => lastOccurredAt],
      ['last row', ({ lastDiscoveredAt }) => lastDiscoveredAt],
      [
        'silent for',
        ({ silentMs }) => (silentMs === null ? null : `${Math.round(silentMs / 60_000).toLocaleString('en')} min`),
      ],
      ['last complete import', ({ importedAt }) => importedAt],
      ['enabled', ({ isEnabled }) => isEnabled],
      ['reported gaps', ({ gaps }) => gaps?.length],
    ],
    'No source has written a row or is reported by a collector.',
  );
}

function formatRejected(rejected: readonly RejectedFormat[]): string {
  return formatTable(
    rejected,
    [
      ['rejected records', (one) => one.rejected.toLocaleString('en')],
      ["share of the tenant's records", ({ share }) => `${(share * 100).toFixed(1)} %`],
      ['format', ({ format }) => format],
      ['tenant', ({ tenantId }) => tenantId],
    ],
    'No records were rejected.',
  );
}
