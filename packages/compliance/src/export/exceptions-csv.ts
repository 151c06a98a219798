import type { ComplianceException } from '@tenantscope/contract';
import { type CsvColumn, writeCsv } from '@tenantscope/report';

const columns: readonly CsvColumn<ComplianceException>[] = [
  ['id', ({ id }) => id],
  ['requirementKey', ({ requirementKey }) => requirementKey],
  ['state', ({ state }) => state],
  ['subjectIds', ({ subjectIds }) => subjectIds?.join(' ') ?? null],
  ['subjectType', ({ query }) => query?.subjectType ?? null],
  ['subjectName', ({ query }) => query?.subjectName ?? null],
  ['detail', ({ query }) => (query?.detail ? formatPairs(query.detail) : null)],
  ['reason', ({ reason }) => reason],
  ['approvedBy', ({ approvedBy }) => approvedBy],
  ['validFrom', ({ validFrom }) => validFrom],
  ['validUntil', ({ validUntil }) => validUntil],
  ['evidence', ({ evidenceRefs }) => evidenceRefs.map(formatReference).join('; ')],
  ['recordedBy', ({ recordedBy }) => recordedBy],
  ['recordedAt', ({ recordedAt }) => recordedAt],
  ['withdrawnAt', ({ withdrawnAt }) => withdrawnAt],
  ['withdrawnBy', ({ withdrawnBy }) => withdrawnBy],
  ['withdrawalReason', ({ withdrawalReason }) => withdrawalReason],
  ['findingsUrl', ({ findingsUrl }) => findingsUrl],
];

/** A line for each exception of the page. */
export const writeExceptionsCsv = (exceptions: readonly ComplianceException[]): string => writeCsv(columns, exceptions);

const formatPairs = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

const formatReference = ({ uri, sha256, title }: ComplianceException['evidenceRefs'][number]): string =>
  [title, uri, sha256].filter((one) => one !== null).join(' ');
