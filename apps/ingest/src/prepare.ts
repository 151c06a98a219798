import { type AppLookup, normaliserVersion, readActivity, type TenantFacts } from '@tenantscope/intake';
import { type AuditLogRow, type PreparedRows, prepareRows, type RecordState } from '@tenantscope/store';
import { type PackedRecords, unpackRecords } from './packed-records.ts';

/** A record, or one element of it, that became no row. */
export interface Rejected {
  /** Index of the record in its slice. */
  record: number;
  element: number;
  tenantId: string | null;
  reason: string;
  stage: string;
  detail: string;
  format: string | null;
}

/** A slice of a partition, ready to be written but for its stamps. */
export interface PreparedSlice {
  rows: PreparedRows;
  /** Alerts that some of the rows tell of, in the order of the log. */
  alerts: RecordState[];
  rejected: Rejected[];
  /** Every record in the order of the log: 1 became a row, 0 did not. */
  outcomes: Uint8Array;
  /** Per record: 1 when all of it became rows. */
  complete: Uint8Array;
}

export interface PrepareSettings {
  maxRecordBytes: number;
}

/** Normalises and encodes: all the work of a slice that needs no database. Never throws on any bytes. */
export function prepareSlice(
  packed: PackedRecords,
  tenants: ReadonlyMap<string, TenantFacts>,
  appOf: AppLookup,
  settings: PrepareSettings,
  nowMs: number,
): PreparedSlice {
  const rows: AuditLogRow[] = [];
  const alerts: RecordState[] = [];
  const rejected: Rejected[] = [];
  const outcomes: number[] = [];
  const complete = new Uint8Array(packed.headerSetOf.length);
  const tenantOf = (tenantId: string) => tenants.get(tenantId);
  let record = 0;
  for (const { onlyElement, ...message } of unpackRecords(packed)) {
    complete[record] = 1;
    for (const outcome of readActivity(message, {
      tenantOf,
      appOf,
      nowMs,
      maxValueBytes: settings.maxRecordBytes,
      onlyElement,
    })) {
      if (outcome.kind === 'state') {
        alerts.push(outcome.state);
        continue;
      }
      outcomes.push(outcome.kind === 'log' ? 1 : 0);
      if (outcome.kind === 'log') {
        rows.push(outcome.row);
      } else {
        const { element, tenantId, reason, stage, detail, format } = outcome;
        rejected.push({ record, element, tenantId, reason, stage, detail, format });
        complete[record] = 0;
      }
    }
    record += 1;
  }
  return {
    rows: prepareRows(rows, normaliserVersion),
    alerts,
    rejected,
    outcomes: Uint8Array.from(outcomes),
    complete,
  };
}
