import { type ComplianceStatus, complianceStatus } from '@tenantscope/contract';
import { readDeclarations, readSnapshotBefore, type SnapshotSummary } from '@tenantscope/store/compliance';
import { formatInstant } from '../evidence/limitations.ts';
import { toSelections } from '../status/declarations.ts';
import { readStatusInSnapshot } from '../status/read-status.ts';
import { buildUnknownStatus } from '../status/unknown-status.ts';
import type { LocalizedText } from './language.ts';
import type { EndStatus, ReportQuery, ReportReading } from './report-reading.ts';

export async function readEndStatus(query: ReportQuery): Promise<EndStatus> {
  if (query.storedThroughMs <= query.toMs) return { kind: 'current' };
  const snapshot = await readSnapshotBefore(query);
  const status = snapshot && parseStatus(snapshot);
  return snapshot && status
    ? { kind: 'snapshot', id: snapshot.id, takenAtMs: snapshot.takenAtMs, status }
    : { kind: 'unknown' };
}

/** Null for a snapshot of another format, which stays stored but is not read. */
function parseStatus({ document }: SnapshotSummary): ComplianceStatus | null {
  const { status } = JSON.parse(document) as { readonly status?: unknown };
  return complianceStatus.safeParse(status).data ?? null;
}

/** The status at the end of the period. Nothing counts that was recorded later. */
export async function readStatusAtEnd(reading: ReportReading): Promise<ComplianceStatus> {
  const { client, tenantId, connectedAtMs, toMs, end } = reading;
  if (end.kind === 'current') return readStatusInSnapshot(client, { tenantId, connectedAtMs, nowMs: toMs });
  if (end.kind === 'snapshot') return end.status;
  const selections = toSelections(await readDeclarations(client, { tenantId, nowMs: toMs }));
  return buildUnknownStatus({ nowMs: toMs, selections: selections.filter(({ changedAtMs }) => changedAtMs <= toMs) });
}

export function listEndLimitations(end: EndStatus): LocalizedText[] {
  if (end.kind === 'current') return [];
  if (end.kind === 'unknown')
    return [
      [
        'The period ended in the past and no snapshot was taken by then: statuses and readiness on that day are unknown.',
        'Okres już się zakończył, a do tego czasu nie wykonano migawki: statusy i gotowość na ten dzień nie są znane.',
      ],
    ];
  const { en, pl } = formatInstant(end.takenAtMs);
  return [
    [
      `The period ended in the past: statuses are those of the snapshot of ${en} (${end.id}), the newest one at or before the end. Lists of records show present values.`,
      `Okres już się zakończył: statusy pochodzą z migawki z ${pl} (${end.id}), ostatniej przed jego końcem. Wykazy pozycji podają wartości znane obecnie.`,
    ],
  ];
}

/** Replaces a section about statuses where they are unknown. */
export const statusUnknown: LocalizedText = [
  'Unknown: no snapshot was taken by the end of the period.',
  'Nie wiadomo: do końca okresu nie wykonano migawki.',
];

/** Replaces a section about the present state in a report for a past end. */
export const stateUnknown: LocalizedText = [
  'Unknown: this state is not retained for past days.',
  'Nie wiadomo: usługa nie przechowuje tego stanu z minionych dni.',
];
