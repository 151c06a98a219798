import { type AuditLogEvent, auditLogEvent } from '@tenantscope/contract';

/** An event with nothing but what every event has, and the given members. */
export function createEvent(more: Partial<AuditLogEvent>): AuditLogEvent {
  const empty = Object.fromEntries(Object.keys(auditLogEvent.shape).map((name) => [name, null]));
  return {
    ...(empty as unknown as AuditLogEvent),
    id: '019a9f3c-2d40-8b1e-9c57-3f0a6d2e81b4',
    occurredAt: '2026-11-20T08:00:00.000Z',
    discoveredAt: '2026-11-20T08:01:00.000Z',
    tenantId: '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80',
    action: 'FileDownloaded',
    truncated: false,
    ...more,
  };
}
