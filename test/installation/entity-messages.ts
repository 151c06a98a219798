import { randomUUID } from 'node:crypto';
import { type RecordMessage, recordMessage } from './feed-records.ts';

/** A full state of an entity as the platform's producers send it. */
export function entityMessage(
  kind: string,
  tenantId: string,
  id: string,
  version: number,
  members: Record<string, unknown>,
): RecordMessage {
  const changedAt = new Date(changedMs(version)).toISOString();
  return recordMessage(`entity.${kind}.upserted`, { id, tenantId, version, changedAt, ...members });
}

export function deletionMessage(kind: string, tenantId: string, id: string, version: number): RecordMessage {
  const deletedAt = new Date(changedMs(version)).toISOString();
  return recordMessage(`entity.${kind}.deleted`, { id, tenantId, version, deletedAt, reason: 'gone' });
}

/** The creation time of a version: one per minute. */
export const changedMs = (version: number): number => Date.UTC(2026, 9, 1) + version * 60_000;

/** A provider object as a collector sends it. */
export function sourceMessage(
  format: string,
  tenantId: string,
  key: { kind: string; id: string },
  object: unknown,
  time = new Date(changedMs(0)).toISOString(),
): RecordMessage {
  return {
    key: `${tenantId}/${key.kind}/${encodeURIComponent(key.id)}`,
    value: Buffer.from(JSON.stringify(object)),
    headers: {
      ce_specversion: '1.0',
      ce_id: randomUUID(),
      ce_source: '/collectors/test',
      ce_type: `tenantscope.raw.${format.replaceAll('.', '-')}.v1`,
      ce_tenantid: tenantId,
      ce_time: time,
      'content-type': 'application/json',
    },
  };
}
