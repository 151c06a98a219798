import {
  type ActivityFormatName,
  formatLogRow,
  type LogRow,
  type Message,
  type Outcome,
  type ReadingContext,
  readActivity,
  toEventType,
} from '@tenantscope/intake';

export const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';
export const azureTenantId = 'a1b2c3d4-0000-4000-8000-00000000cafe';

/** The clock of all tests that need one. */
export const now = Date.UTC(2026, 10, 21, 12);

export const context: ReadingContext = {
  findTenant: (id) => (id === tenantId ? { azureTenantId } : undefined),
  nowMs: now,
  maxValueBytes: 1_048_576,
  onlyElement: null,
};

/** A binary-mode message; a string or a buffer is the value as it is, anything else becomes JSON. */
export function message(format: ActivityFormatName, payload: unknown, changes: Partial<Message> = {}): Message {
  const value = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return {
    key: null,
    value,
    headers: { ce_specversion: '1.0', ce_type: toEventType(format), ce_tenantid: tenantId },
    ...changes,
  };
}

export function read(format: ActivityFormatName, payload: unknown, changes: Partial<ReadingContext> = {}): Outcome[] {
  return readActivity(message(format, payload), { ...context, ...changes });
}

/** The row of a payload that is one record, which may also give an alert. */
export function readRow(format: ActivityFormatName, payload: unknown): LogRow {
  const [outcome, ...others] = read(format, payload);
  if (outcome?.kind !== 'log' || others.some(({ kind }) => kind !== 'state'))
    throw new Error(`not one row: ${JSON.stringify(outcome)}`);
  return outcome.row;
}

/** The document of a payload that is one record, parsed. */
export function readDocument(format: ActivityFormatName, payload: unknown): Record<string, unknown> {
  return JSON.parse(formatLogRow(readRow(format, payload))) as Record<string, unknown>;
}

/** `log`, `state` (of an alert in addition to its row), or the reason of each rejection. */
export function ends(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.reason : outcome.kind));
}

/** A plain record of the Management Activity API. */
export function management(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    CreationTime: '2026-11-20T08:15:30',
    Id: '5f0c1d2e-1111-4222-8333-944455556666',
    Operation: 'FileDownloaded',
    OrganizationId: azureTenantId,
    RecordType: 6,
    UserKey: '10032001ABCDEF01',
    UserType: 0,
    Workload: 'SharePoint',
    UserId: 'Ada.Lovelace@contoso.example',
    ClientIP: '203.0.113.7',
    ...changes,
  };
}
