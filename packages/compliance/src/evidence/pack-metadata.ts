import type { EvidenceQuery, LogHistory } from '@tenantscope/store/compliance';
import { catalogueVersion } from '../catalogue/requirement.ts';
import { evaluatorVersion } from '../status/status-document.ts';
import { listLimitations } from './limitations.ts';
import { type PackRequest, packVersion } from './pack-request.ts';
import { buildRetention } from './retention.ts';
import type { SourceCoverage } from './source-coverage.ts';
import { toIsoTime } from './values/reported-value.ts';
import type { WrittenSection } from './write-section.ts';

export type PackMetadata = ReturnType<typeof buildMetadata>;

/** The metadata of a pack, before persons in it are replaced. */
export function buildMetadata(
  reading: EvidenceQuery,
  request: PackRequest,
  facts: {
    readonly sections: readonly WrittenSection[];
    readonly history: LogHistory;
    readonly coverage: readonly SourceCoverage[];
  },
) {
  const { tenant, framework, sections, continued, generatedAtMs } = request;
  const { history, coverage } = facts;
  const [from, to] = [toIsoTime(reading.fromMs), toIsoTime(reading.toMs)];
  return {
    tenantId: tenant.id,
    tenantName: tenant.name.toWellFormed(),
    azureTenantId: tenant.azureTenantId,
    generatedAt: toIsoTime(generatedAtMs),
    generatedBy: request.generatedBy.toWellFormed(),
    coveredFrom: from,
    coveredTo: to,
    timezone: 'UTC',
    catalogueVersion,
    evaluatorVersion,
    query: {
      from,
      to,
      framework,
      sections,
      section: continued?.section ?? null,
      pseudonymise: request.pseudonymisation !== null,
    },
    toolVersions: { service: request.serviceVersion, generator: packVersion },
    retention: buildRetention(history, framework, { connectedAtMs: tenant.connectedAtMs, toMs: reading.toMs }),
    sourceStatus: coverage,
    limitations: listLimitations({
      sections: facts.sections.map(({ key }) => key),
      coverage,
      history,
      fromMs: reading.fromMs,
      connectedAtMs: tenant.connectedAtMs,
      pseudonymisation: request.pseudonymisation,
      continuedFromMs: continued === null ? null : reading.storedThroughMs,
    }),
  };
}

/** The texts in which a person could be named: a tenant or a key may bear the name of one. */
export function replaceMetadataTexts(metadata: PackMetadata, replace: (text: string) => string): PackMetadata {
  const { tenantName, generatedBy, sourceStatus } = metadata;
  return {
    ...metadata,
    tenantName: replace(tenantName),
    generatedBy: replace(generatedBy),
    sourceStatus: sourceStatus.map((source) => ({
      ...source,
      gaps: source.gaps.map((gap) => ({ ...gap, reason: gap.reason === null ? null : replace(gap.reason) })),
    })),
  };
}
