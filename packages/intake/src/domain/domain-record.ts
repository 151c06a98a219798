import { hash } from 'node:crypto';
import { asTenantId, readGuid, type TenantId } from '@tenantscope/contract';
import { type Envelope, type Message, openEnvelope } from '../envelope.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { plain } from '../json/write.ts';
import type { ReadingContext } from '../reading-context.ts';
import type { EntityPart, RecordOutcome, RecordState, RecordTableName, RowName } from '../record-outcome.ts';
import { isRejection, type Rejection, reject, stageOf } from '../rejection.ts';
import {
  addresseeFault,
  type Conforming,
  conform,
  deletionPayload,
  immutablePayload,
  instantOf,
  statefulPayload,
} from './payload.ts';
import { readKey } from './record-key.ts';

/** One kind of record that the platform's own producers publish. */
export interface DomainKind {
  /** As types of events and keys spell it, with hyphens or in camel case. */
  readonly name: string;
  readonly isDeletable: boolean;
  /** Where deletions are rows of their own, beside what they delete. */
  readonly readDeletion?: (deletion: Deletion) => Said;
  /** Whether a record is said once: its version and changedAt may be left out. */
  readonly isImmutable: boolean;
  readonly rowOf: (tenantId: TenantId, id: string) => RowName;
  readonly read: (arrival: Arrival) => Said | Rejection;
}

/** A full state whose envelope, key, tenant and version are in order. */
export interface Arrival {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly version: number;
  readonly changedAtMs: number | null;
  readonly digest: Buffer;
  /** As received, digits of numbers kept. */
  readonly payload: JsonObject;
  /** The same with numbers as doubles: what schemas read. */
  readonly plain: unknown;
}

export interface Deletion extends Pick<Arrival, 'tenantId' | 'id' | 'version' | 'digest'> {
  readonly deletedAtMs: number;
  readonly reason: string | null;
}

export type Said =
  | { readonly kind: 'state'; readonly table: RecordTableName; readonly state: RecordState }
  | { readonly kind: 'part'; readonly part: EntityPart };

/**
 * Reads one message of a topic of domain records: a CloudEvents event of type `tenantscope.<kind>.upserted.v1`, also with
 * the topic's area before the kind, whose key is `tenantId/<kind>/<id>`. The attribute `tenantid` alone says whose it is.
 */
export function readDomainRecord(
  area: string,
  kinds: readonly DomainKind[],
  message: Message,
  context: ReadingContext,
): RecordOutcome[] {
  const element = context.onlyElement ?? 0;
  const place: Place = { tenantId: null, format: null };
  const said = element > 0 ? reject('SCHEMA_VIOLATION', `the message holds no element ${element}`) : read();
  if (!isRejection(said)) return [{ element, ...said }];
  const { rejected: reason, detail } = said;
  return [{ element, kind: 'rejected', reason, detail, stage: stageOf(reason), ...place }];

  function read(): WithoutElement<RecordOutcome> | Rejection {
    if (message.value === null) return tombstoneOf(kinds, message, place);
    const envelope = openEnvelope(message, context.maxValueBytes);
    if (isRejection(envelope)) return envelope;
    place.tenantId = readGuid(envelope.tenantid ?? '');
    if (envelope.specversion !== null && envelope.specversion !== '1.0') {
      return reject('UNSUPPORTED_VERSION', 'attribute specversion is not 1.0');
    }
    const event = eventOfType(envelope.type, area, kinds);
    if (isRejection(event)) return event;
    place.format = event.kind.name;
    const tenantId = tenantOf(envelope, context);
    if (isRejection(tenantId)) return tenantId;
    const reading = envelope.payload();
    if (isRejection(reading)) return reading;
    if (!isObject(reading.value)) return reject('SCHEMA_VIOLATION', 'the record is not a JSON object');
    const digest = hash('sha256', canonicalText(reading.value, reading.repeatsNames), 'buffer');
    return outcomeOf(event, message.key, { tenantId, payload: reading.value, digest });
  }
}

interface Place {
  tenantId: string | null;
  format: string | null;
}

type WithoutElement<Outcome> = Outcome extends unknown ? Omit<Outcome, 'element'> : never;

interface DomainEvent {
  readonly kind: DomainKind;
  readonly isDeletion: boolean;
}

function outcomeOf(
  { kind, isDeletion }: DomainEvent,
  key: Buffer | null,
  { tenantId, payload, digest }: Pick<Arrival, 'tenantId' | 'payload' | 'digest'>,
): WithoutElement<RecordOutcome> | Rejection {
  if (isDeletion && !kind.isDeletable) {
    return reject('SCHEMA_VIOLATION', `attribute type: records of kind ${kind.name} are never deleted`);
  }
  const doubles = plain(payload);
  const schema = isDeletion ? deletionPayload : kind.isImmutable ? immutablePayload : statefulPayload;
  const head: Conforming<typeof statefulPayload | typeof immutablePayload | typeof deletionPayload> = conform(
    schema,
    doubles,
  );
  if (isRejection(head)) return head;
  const fault = addresseeFault(head.tenantId, tenantId) ?? keyFault(key, tenantId, kind, head.id);
  if (fault !== null) return fault;
  const { id, version = 1 } = head;
  if ('deletedAt' in head) {
    const deletedAtMs = instantOf(head.deletedAt);
    if (kind.readDeletion)
      return kind.readDeletion({ tenantId, id, version, digest, deletedAtMs, reason: head.reason ?? null });
    return { kind: 'removed', version, digest, deletedAtMs, ...kind.rowOf(tenantId, id) };
  }
  const changedAtMs = head.changedAt === undefined ? null : instantOf(head.changedAt);
  return kind.read({ tenantId, id, version, changedAtMs, digest, payload, plain: doubles });
}

function eventOfType(type: string | null, area: string, kinds: readonly DomainKind[]): DomainEvent | Rejection {
  if (type === null || type === '') return reject('SCHEMA_VIOLATION', 'attribute type is missing');
  const [, before, name, verb, version] =
    /^tenantscope\.(?:([a-z-]+)\.)?([A-Za-z-]+)\.(upserted|deleted)\.v(\d+)$/.exec(type) ?? [];
  const kind = name === undefined ? undefined : kindNamed(name, kinds);
  if (kind === undefined || (before !== undefined && before !== area)) {
    return reject('UNKNOWN_TYPE', 'attribute type names no record of this topic');
  }
  if (version !== '1')
    return reject('UNSUPPORTED_VERSION', `attribute type: of ${kind.name} records version 1 is read`);
  return { kind, isDeletion: verb === 'deleted' };
}

function kindNamed(name: string, kinds: readonly DomainKind[]): DomainKind | undefined {
  return kinds.find((kind) => spelling(kind.name) === spelling(name));
}

/** `policy-scan` and `policyScan` are one name. */
function spelling(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

function tenantOf({ tenantid }: Envelope, context: ReadingContext): TenantId | Rejection {
  if (tenantid === null || tenantid === '') return reject('MISSING_TENANT', 'attribute tenantid is missing');
  const guid = readGuid(tenantid);
  if (guid === null || context.tenantOf(guid) === undefined) {
    return reject('UNKNOWN_TENANT', 'attribute tenantid names no tenant');
  }
  return asTenantId(guid);
}

function keyFault(bytes: Buffer | null, tenantId: TenantId, kind: DomainKind, id: string): Rejection | null {
  const key = readKey(bytes);
  const isRight =
    key !== null && key.tenantId === tenantId && spelling(key.kind) === spelling(kind.name) && key.id === id;
  return isRight
    ? null
    : reject('KEY_MISMATCH', `the key is not the tenant id, ${kind.name} and the id, parted by slashes`);
}

/** Compaction's own way of deleting: nothing but a key. What it means depends on the row, which is not known here. */
function tombstoneOf(
  kinds: readonly DomainKind[],
  message: Message,
  place: Place,
): WithoutElement<RecordOutcome> | Rejection {
  const key = readKey(message.key);
  const kind = key === null ? undefined : kindNamed(key.kind, kinds);
  if (key === null || kind === undefined) {
    return reject('KEY_MISMATCH', 'the key of a message without a value names no record of this topic');
  }
  place.tenantId = key.tenantId;
  place.format = kind.name;
  return { kind: 'tombstone', ...kind.rowOf(key.tenantId, key.id) };
}
