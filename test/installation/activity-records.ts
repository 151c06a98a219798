import { randomUUID } from 'node:crypto';

/** A synthetic Management Activity record; all are different. */
export function activityRecord(number: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    CreationTime: new Date(Date.UTC(2026, 9, 1) + number * 1_000).toISOString().slice(0, 19),
    Id: randomUUID(),
    Operation: ['FileAccessed', 'FileDownloaded', 'FileModified'][number % 3],
    RecordType: 6,
    UserType: 0,
    UserId: `person${number % 7}@example.com`,
    UserKey: `i:0h.f|membership|${10_000 + (number % 7)}@live.com`,
    Workload: 'SharePoint',
    ClientIP: `203.0.113.${number % 250}`,
    ObjectId: `https://example.sharepoint.test/sites/a/report-${number}.docx`,
    SourceFileName: `report-${number}.docx`,
    ItemType: 'File',
    ...more,
  };
}

/** The record as one Kafka message, CloudEvents in binary mode. */
export function activityMessage(
  tenantId: string,
  record: unknown,
  format = 'o365.management-activity',
): { key: string; value: Buffer; headers: Record<string, string> } {
  return {
    key: tenantId,
    value: Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)),
    headers: {
      ce_specversion: '1.0',
      ce_id: randomUUID(),
      ce_source: '/collectors/test',
      ce_type: `tenantscope.raw.${format.replaceAll('.', '-')}.v1`,
      ce_tenantid: tenantId,
      'content-type': 'application/json',
    },
  };
}
