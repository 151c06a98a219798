import { findProviderTenant, normaliserVersion, readActivity, type TenantFacts } from '@tenantscope/intake';
import { type AuditLogRow, type PreparedRows, prepareRows, type RecordState } from '@tenantscope/store/ingest';
import { type PackedRecords, unpackRecords } from '../kafka/packed-records.ts';
import { decompressedBytesMax, elementsMax } from '../lane/slice-size.ts';
import type { AppCache } from './app-cache.ts';
import type { PrincipalCache } from './principal-cache.ts';

/** A record, or one element of it, that becomes a dead letter; `wholeMessage` where it could not be read at all. */
export interface RejectedElement {
  /** Index of the record in its slice. */
  record: number;
  element: number;
  tenantId: string | null;
  reason: string;
  stage: string;
  detail: string;
  format: string | null;
}

/** A slice of a partition, ready to be written except for its stamps. */
export interface PreparedSlice {
  rows: PreparedRows;
  /** Alerts contained in the rows, in the order of the log. */
  alerts: RecordState[];
  rejected: RejectedElement[];
  /** Every record in the order of the log: 1 became a row, 0 did not. */
  outcomes: Uint8Array;
  /** Per row, in the order of the log and before duplicates are left out: the record that it came from. */
  recordOfRow: Uint32Array;
  /** The tenants of the rows, with the number of names that their actors were looked up in; null where none were cached. */
  tenants: readonly { tenantId: string; aliases: number | null }[];
  /** Its records are longer than a slice's may be when decompressed, or have more elements: nothing was prepared. */
  isTooLarge: boolean;
}

/** What rows get from the read models. */
export interface DirectoryCaches {
  apps: AppCache;
  principals: PrincipalCache;
}

export interface PrepareSettings {
  maxRecordBytes: number;
}

/** Normalises and encodes a slice: everything that needs no database. Never throws, whatever the bytes. */
export function prepareSlice(
  packed: PackedRecords,
  tenants: ReadonlyMap<string, TenantFacts>,
  { apps, principals }: DirectoryCaches,
  settings: PrepareSettings,
  nowMs: number,
): PreparedSlice {
  const rows: AuditLogRow[] = [];
  const alerts: RecordState[] = [];
  const rejected: RejectedElement[] = [];
  const outcomes: number[] = [];
  const recordOfRow: number[] = [];
  const findTenant = (tenantId: string) => tenants.get(tenantId);
  const findByProvider = (providerId: string) => findProviderTenant(tenants, providerId);
  let record = 0;
  let bytes = 0;
  const countBytes = (more: number) => {
    bytes += more;
  };
  for (const message of unpackRecords(packed)) {
    for (const outcome of readActivity(message, {
      findTenant,
      findProviderTenant: findByProvider,
      findApp: apps.findApp,
      findPrincipal: principals.findPrincipal,
      nowMs,
      maxValueBytes: settings.maxRecordBytes,
      onlyElement: message.onlyElement,
      countBytes,
    })) {
      if (outcome.kind === 'state') {
        alerts.push(outcome.state);
        continue;
      }
      outcomes.push(outcome.kind === 'log' ? 1 : 0);
      if (outcome.kind === 'log') {
        rows.push(outcome.row);
        recordOfRow.push(record);
      } else {
        const { element, tenantId, reason, stage, detail, format } = outcome;
        rejected.push({ record, element, tenantId, reason, stage, detail, format });
      }
    }
    record += 1;
    const isTooLarge = bytes > decompressedBytesMax || outcomes.length > elementsMax;
    if (isTooLarge && packed.onlyElements.length > 1) return tooLarge();
  }
  const prepared = prepareRows(rows, normaliserVersion);
  const tenantIds = new Set(prepared.sources.map(({ tenantId }) => tenantId));
  return {
    rows: prepared,
    alerts,
    rejected,
    outcomes: Uint8Array.from(outcomes),
    recordOfRow: Uint32Array.from(recordOfRow),
    tenants: [...tenantIds].map((tenantId) => ({ tenantId, aliases: principals.countAliases(tenantId) })),
    isTooLarge: false,
  };
}

const tooLarge = (): PreparedSlice => ({ ...createEmptySlice(), isTooLarge: true });

/** A slice without rows. */
export const createEmptySlice = (): PreparedSlice => ({
  rows: prepareRows([], normaliserVersion),
  alerts: [],
  rejected: [],
  outcomes: new Uint8Array(0),
  recordOfRow: new Uint32Array(0),
  tenants: [],
  isTooLarge: false,
});
