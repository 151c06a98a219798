import {
  type EntityFormatName,
  type EntityPart,
  formatRecordKey,
  mergeEntity,
  type RecordOutcome,
  readRecords,
  toEventType,
} from '@tenantscope/intake';
import { context, tenantId } from './message.ts';

/** When the tests' collectors say that something happened. */
export const eventTime = '2026-11-20T08:00:00.000Z';

/** What becomes of an object of a provider; `key` names the entity where the message has one. */
export function readSource(
  format: EntityFormatName | (string & {}),
  object: unknown,
  key: { kind: string; id: string } | null = null,
): RecordOutcome[] {
  const message = {
    key: key && Buffer.from(formatRecordKey(tenantId, key.kind, key.id)),
    value: Buffer.isBuffer(object) ? object : Buffer.from(typeof object === 'string' ? object : JSON.stringify(object)),
    headers: { ce_specversion: '1.0', ce_type: toEventType(format), ce_tenantid: tenantId, ce_time: eventTime },
  };
  return readRecords('rawEntity', message, context);
}

/** What becomes of a record of the platform's own. */
export function readEntity(
  kind: string,
  id: string,
  members: Record<string, unknown>,
  happening: 'upserted' | 'deleted' = 'upserted',
): RecordOutcome[] {
  const time = happening === 'upserted' ? { changedAt: eventTime } : { deletedAt: eventTime };
  const message = {
    key: Buffer.from(formatRecordKey(tenantId, kind, id)),
    value: Buffer.from(JSON.stringify({ id, tenantId, version: 1, ...time, ...members })),
    headers: {
      ce_specversion: '1.0',
      ce_type: `tenantscope.entity.${kind}.${happening}.v1`,
      ce_tenantid: tenantId,
    },
  };
  return readRecords('entity', message, context);
}

export function listParts(outcomes: readonly RecordOutcome[]): EntityPart[] {
  return outcomes.map((outcome) => {
    if (outcome.kind !== 'part') throw new Error(`no part: ${JSON.stringify(outcome)}`);
    return outcome.part;
  });
}

/** The by-id record that parts make, what is not known left out. */
export function mergeRecord(parts: readonly EntityPart[]): Record<string, unknown> | null {
  const kind = parts[0]?.entityKind;
  const merged = kind === undefined ? null : mergeEntity(kind, parts);
  if (merged === null) return null;
  const record = JSON.parse(`{${merged.members},${merged.detailMembers}}`) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
