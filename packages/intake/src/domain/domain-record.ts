import { hash } from 'node:crypto';
import { asTenantId, parseGuid, type RecordTableName, type TenantId } from '@tenantscope/contract';
import { checkVersion } from '../field/version.ts';
import { canonicalizeJson } from '../json/canonical.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { toPlainJson } from '../json/write-json.ts';
import { type Envelope, type Message, openEnvelope } from '../message/envelope.ts';
import type { ReadingContext } from '../message/reading-context.ts';
import type { EntityPart, RecordOutcome, RecordState, RowReference } from '../message/record-outcome.ts';
import { getStage, isRejection, type Rejection, reject, rejectOtherCell } from '../message/rejection.ts';
import {
  checkAddressee,
  deletionPayload,
  immutablePayload,
  type ParsedPayload,
  parseInstant,
  parsePayload,
  statefulPayload,
} from './payload.ts';
import { parseRecordKey } from './record-key.ts';

/** One kind of record that the platform's own producers publish. */
export interface DomainKind {
  /** As used in event types and keys, with hyphens or in camel case. */
  readonly name: string;
  readonly isDeletable: boolean;
  /** Present where deletions are rows of their own, next to the records they delete. */
  readonly readDeletion?: (deletion: Deletion) => DomainOutcome;
  /** Whether a record never changes: its version and changedAt may be left out. */
  readonly isImmutable: boolean;
  readonly toRow: (tenantId: TenantId, id: string) => RowReference;
  readonly read: (record: ValidatedRecord) => DomainOutcome | Rejection;
}

/** A full state whose envelope, key, tenant and version are valid. */
export interface ValidatedRecord {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly version: number;
  readonly changedAtMs: number | null;
  readonly digest: Buffer;
  /** As received, digits of numbers unchanged. */
  readonly payload: JsonObject;
  /** The same with numbers as doubles: what schemas read. */
  readonly plain: unknown;
  /** When the record is read. */
  readonly nowMs: number;
}

export interface Deletion extends Pick<ValidatedRecord, 'tenantId' | 'id' | 'version' | 'digest'> {
  readonly deletedAtMs: number;
  readonly reason: string | null;
}

export type DomainOutcome =
  | { readonly kind: 'state'; readonly table: RecordTableName; readonly state: RecordState }
  | { readonly kind: 'part'; readonly part: EntityPart };

/**
 * Reads one message of a topic of domain records: a CloudEvents event of type `tenantscope.<kind>.upserted.v1`, also with
 * the topic's area before the kind, whose key is `tenantId/<kind>/<id>`. The attribute `tenantid` alone decides which tenant
 * the record belongs to.
 */
export function readDomainRecord(
  area: string,
  kinds: readonly DomainKind[],
  message: Message,
  context: ReadingContext,
): RecordOutcome[] {
  const element = context.onlyElement ?? 0;
  const origin: RecordOrigin = { tenantId: null, format: null };
  const outcome = element > 0 ? reject('SCHEMA_VIOLATION', `the message has no element ${element}`) : read();
  if (!isRejection(outcome)) return [{ element, ...outcome }];
  const { rejected: reason, detail } = outcome;
  return [{ element, kind: 'rejected', reason, detail, stage: getStage(reason), ...origin }];

  function read(): WithoutElement<RecordOutcome> | Rejection {
    if (message.value === null) return readTombstone(kinds, message, origin);
    const envelope = openEnvelope(message, context.maxValueBytes);
    if (isRejection(envelope)) return envelope;
    origin.tenantId = parseGuid(envelope.tenantid ?? '');
    if (envelope.specversion !== null && envelope.specversion !== '1.0') {
      return reject('UNSUPPORTED_VERSION', 'attribute specversion is not 1.0');
    }
    const event = parseEventType(envelope.type, area, kinds);
    if (isRejection(event)) return event;
    origin.format = event.kind.name;
    const tenantId = readTenant(envelope, context);
    if (isRejection(tenantId)) return tenantId;
    const parsed = envelope.payload();
    if (isRejection(parsed)) return parsed;
    if (!isObject(parsed.value)) return reject('SCHEMA_VIOLATION', 'the record is not a JSON object');
    const digest = hash('sha256', canonicalizeJson(parsed.value, parsed.hasDuplicateNames), 'buffer');
    return readOutcome(event, message.key, { tenantId, payload: parsed.value, digest }, context.nowMs);
  }
}

interface RecordOrigin {
  tenantId: string | null;
  format: string | null;
}

type WithoutElement<Outcome> = Outcome extends unknown ? Omit<Outcome, 'element'> : never;

interface DomainEvent {
  readonly kind: DomainKind;
  readonly isDeletion: boolean;
}

function readOutcome(
  { kind, isDeletion }: DomainEvent,
  key: Buffer | null,
  { tenantId, payload, digest }: Pick<ValidatedRecord, 'tenantId' | 'payload' | 'digest'>,
  nowMs: number,
): WithoutElement<RecordOutcome> | Rejection {
  if (isDeletion && !kind.isDeletable) {
    return reject('SCHEMA_VIOLATION', `attribute type: records of kind ${kind.name} are never deleted`);
  }
  const plainPayload = toPlainJson(payload);
  const schema = isDeletion ? deletionPayload : kind.isImmutable ? immutablePayload : statefulPayload;
  const head: ParsedPayload<typeof statefulPayload | typeof immutablePayload | typeof deletionPayload> = parsePayload(
    schema,
    plainPayload,
  );
  if (isRejection(head)) return head;
  const fault = checkAddressee(head.tenantId, tenantId) ?? checkKey(key, tenantId, kind, head.id);
  if (fault !== null) return fault;
  const { id, version = 1 } = head;
  const future = checkVersion(version, nowMs);
  if (future !== null) return future;
  if ('deletedAt' in head) {
    const deletedAtMs = parseInstant(head.deletedAt);
    if (kind.readDeletion)
      return kind.readDeletion({ tenantId, id, version, digest, deletedAtMs, reason: head.reason ?? null });
    return { kind: 'removed', version, digest, deletedAtMs, ...kind.toRow(tenantId, id) };
  }
  const changedAtMs = head.changedAt === undefined ? null : parseInstant(head.changedAt);
  return kind.read({ tenantId, id, version, changedAtMs, digest, payload, plain: plainPayload, nowMs });
}

function parseEventType(type: string | null, area: string, kinds: readonly DomainKind[]): DomainEvent | Rejection {
  if (type === null || type === '') return reject('SCHEMA_VIOLATION', 'attribute type is missing');
  const [, before, name, verb, version] =
    /^tenantscope\.(?:([a-z-]+)\.)?([A-Za-z-]+)\.(upserted|deleted)\.v(\d+)$/.exec(type) ?? [];
  const kind = name === undefined ? undefined : findKind(name, kinds);
  if (kind === undefined || (before !== undefined && before !== area)) {
    return reject('UNKNOWN_TYPE', 'attribute type is not a record of this topic');
  }
  if (version !== '1')
    return reject('UNSUPPORTED_VERSION', `attribute type: only version 1 of ${kind.name} records is supported`);
  return { kind, isDeletion: verb === 'deleted' };
}

function findKind(name: string, kinds: readonly DomainKind[]): DomainKind | undefined {
  return kinds.find((kind) => normaliseName(kind.name) === normaliseName(name));
}

/** `policy-scan` and `policyScan` are one name. */
function normaliseName(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

function readTenant({ tenantid }: Envelope, context: ReadingContext): TenantId | Rejection {
  if (tenantid === null || tenantid === '') return reject('MISSING_TENANT', 'attribute tenantid is missing');
  const guid = parseGuid(tenantid);
  const tenant = guid === null ? undefined : context.findTenant(guid);
  if (guid === null || tenant === undefined) return reject('UNKNOWN_TENANT', 'attribute tenantid names no tenant');
  if (tenant.isClosed) return reject('TENANT_CLOSED', 'the tenant was closed');
  if (tenant.otherCell !== undefined) return rejectOtherCell(tenant.otherCell);
  return asTenantId(guid);
}

function checkKey(bytes: Buffer | null, tenantId: TenantId, kind: DomainKind, id: string): Rejection | null {
  const key = parseRecordKey(bytes);
  const isRight =
    key !== null && key.tenantId === tenantId && normaliseName(key.kind) === normaliseName(kind.name) && key.id === id;
  return isRight
    ? null
    : reject('KEY_MISMATCH', `the key is not the tenant id, ${kind.name} and the id, separated by slashes`);
}

/** A tombstone has nothing but a key. Its effect depends on the row, which is not known here. */
function readTombstone(
  kinds: readonly DomainKind[],
  message: Message,
  place: RecordOrigin,
): WithoutElement<RecordOutcome> | Rejection {
  const key = parseRecordKey(message.key);
  const kind = key === null ? undefined : findKind(key.kind, kinds);
  if (key === null || kind === undefined) {
    return reject('KEY_MISMATCH', 'the key of a message without a value is not that of a record of this topic');
  }
  place.tenantId = key.tenantId;
  place.format = kind.name;
  return { kind: 'tombstone', ...kind.toRow(key.tenantId, key.id) };
}
