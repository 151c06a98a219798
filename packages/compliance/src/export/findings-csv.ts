import type { ComplianceFinding } from '@tenantscope/contract';
import { type CsvColumn, writeCsv } from '@tenantscope/report';

const columns: readonly CsvColumn<ComplianceFinding>[] = [
  ['subjectType', ({ subjectType }) => subjectType],
  ['subjectId', ({ subjectId }) => subjectId],
  ['subjectName', ({ subjectName }) => subjectName],
  ['state', ({ state }) => state],
  ['reason', ({ reason }) => reason],
  ['since', ({ since }) => since],
  ['count', ({ count }) => count],
  ['detail', ({ detail }) => formatDetail(detail)],
  ['exceptionId', ({ exception }) => exception?.id ?? null],
  ['approvedBy', ({ exception }) => exception?.approvedBy ?? null],
  ['validUntil', ({ exception }) => exception?.validUntil ?? null],
  ['exceptionReason', ({ exception }) => exception?.reason ?? null],
];

/** A line for each finding of the page. */
export const writeFindingsCsv = (findings: readonly ComplianceFinding[]): string => writeCsv(columns, findings);

const formatDetail = (detail: ComplianceFinding['detail']): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
