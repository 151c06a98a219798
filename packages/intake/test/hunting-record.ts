import { azureTenantId } from './message.ts';

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
