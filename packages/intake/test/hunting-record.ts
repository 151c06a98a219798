import { formatLogRow } from '@tenantscope/intake';
import { azureTenantId, readRow } from './message.ts';

/** A row of a table of advanced hunting, as the streaming API of Defender exports it. */
export function huntingRecord(table: string, columns: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    time: '2026-11-20T08:20:00.1234567Z',
    tenantId: azureTenantId,
    operationName: 'Publish',
    category: `AdvancedHunting-${table}`,
    properties: { Timestamp: '2026-11-20T08:15:30.1234567Z', ReportId: 'report-1', ...columns },
  };
}

/** The document of a row of a table. */
export function showHuntingRow(table: string, columns: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(formatLogRow(readRow('m365d.advanced-hunting', huntingRecord(table, columns)))) as Record<
    string,
    unknown
  >;
}
