import type { ComplianceStatus, RequirementStatus } from '@tenantscope/contract';
import { type CsvColumn, writeCsv } from '@tenantscope/report';

const metric = (name: string) => (one: RequirementStatus) => one.metricsJson[name] ?? null;

const columns: readonly CsvColumn<RequirementStatus>[] = [
  ['key', ({ key }) => key],
  ['title', ({ title }) => title],
  ['titlePl', ({ titlePl }) => titlePl],
  ['area', ({ area }) => area],
  ['status', ({ status }) => status],
  ['evaluation', ({ evaluation }) => evaluation],
  ['reason', ({ reason }) => reason],
  ['evaluatedAt', ({ evaluatedAt }) => evaluatedAt],
  ['dataAsOf', ({ dataAsOf }) => dataAsOf],
  ['metric', ({ thresholds }) => thresholds?.primaryMetric ?? null],
  ['value', (one) => (one.thresholds ? metric(one.thresholds.primaryMetric)(one) : null)],
  ['unit', ({ thresholds }) => thresholds?.unit ?? null],
  ['direction', ({ thresholds }) => thresholds?.direction ?? null],
  ['met', ({ thresholds }) => formatBounds(thresholds?.met)],
  ['atRisk', ({ thresholds }) => formatBounds(thresholds?.atRisk)],
  ['population', (one) => (one.thresholds?.population ? metric(one.thresholds.population)(one) : null)],
  ['unknown', metric('unknown')],
  ['exceptions', ({ exceptions }) => exceptions?.count ?? null],
  ['valueWithExceptions', ({ exceptions }) => exceptions?.value ?? null],
  ['verdict', ({ attestation }) => attestation?.verdict ?? null],
  ['attestedBy', ({ attestation }) => attestation?.attestedBy ?? null],
  ['attestedAt', ({ attestation }) => attestation?.attestedAt ?? null],
  ['validUntil', ({ attestation }) => attestation?.validUntil ?? null],
  ['articles', ({ articles }) => articles.map(({ id }) => id).join(' ')],
  ['findingsUrl', ({ findingsUrl }) => findingsUrl],
  ['statusWithoutExceptions', ({ exceptions, status }) => exceptions?.statusWithout ?? status],
];

/** A line for each requirement of the status. */
export const writeStatusCsv = ({ requirements }: ComplianceStatus): string => writeCsv(columns, requirements);

function formatBounds(bounds: number | readonly number[] | null | undefined): number | string | null {
  if (bounds === undefined || bounds === null || typeof bounds === 'number') return bounds ?? null;
  return bounds.join('..');
}
