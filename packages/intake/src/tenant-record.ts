import { asTenantId, isTimeZone, readGuid, showTime, type TenantId } from '@tenantscope/contract';
import { type Message, openEnvelope } from './envelope.ts';
import { readTime } from './field/time.ts';
import { integerOf, isObject, type Json, type JsonObject, textOf } from './json/value.ts';
import { type DeadLetterReason, isRejection, type Rejection, reject, type Stage, stageOf } from './rejection.ts';

/** A tenant in full, as of a version. A record applies only if its version is higher than the one already known. */
export interface TenantRecord {
  readonly id: TenantId;
  readonly name: string;
  readonly organizationId: string | null;
  readonly azureTenantId: string | null;
  readonly plan: 'api' | 'none';
  /** IANA name; absent where the record does not say it, which means UTC. */
  readonly timeZone?: string;
  readonly version: number;
  /** As served: 24 characters, milliseconds, Z. */
  readonly changedAt: string;
}

export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly changedAt: string;
}

export type TenantOutcome =
  | { readonly kind: 'tenant'; readonly record: TenantRecord }
  | { readonly kind: 'organization'; readonly record: OrganizationRecord }
  | { readonly kind: 'skip'; readonly reason: string }
  | {
      readonly kind: 'rejected';
      readonly reason: DeadLetterReason;
      readonly detail: string;
      readonly stage: Stage;
      readonly tenantId: string | null;
    };

/** Reads one message of tenant.v1, whose key is the id of the tenant or organization it is about. Throws on none. */
export function readTenantRecord(message: Message): TenantOutcome {
  // Compaction deletes by tombstones; tenants are ended by their plan, so there is nothing that one could undo.
  if (message.value === null) return { kind: 'skip', reason: 'a tombstone deletes no tenant and no organization' };
  const read = recordOf(message);
  if (!isRejection(read)) return read;
  const tenantId = readGuid(message.key?.toString('latin1') ?? '');
  return { kind: 'rejected', reason: read.rejected, detail: read.detail, stage: stageOf(read.rejected), tenantId };
}

function recordOf(message: Message): TenantOutcome | Rejection {
  const envelope = openEnvelope(message, largestValueBytes);
  if (isRejection(envelope)) return envelope;
  if (envelope.specversion !== null && envelope.specversion !== '1.0') {
    return reject('UNSUPPORTED_VERSION', 'attribute specversion is not 1.0');
  }
  const kind = kindOfType(envelope.type);
  if (isRejection(kind)) return kind;
  const reading = envelope.payload();
  if (isRejection(reading)) return reading;
  if (!isObject(reading.value)) return reject('SCHEMA_VIOLATION', 'the record is not a JSON object');
  const state = stateOf(reading.value);
  if (isRejection(state)) return state;
  if (message.key !== null && readGuid(message.key.toString('latin1')) !== state.id) {
    return reject('KEY_MISMATCH', 'the key is not the id of the record');
  }
  if (kind === 'organization') return { kind, record: state };
  const tenant = tenantMembersOf(reading.value);
  return isRejection(tenant) ? tenant : { kind, record: { ...state, ...tenant, id: asTenantId(state.id) } };
}

function kindOfType(type: string | null): 'tenant' | 'organization' | Rejection {
  const [, kind, version] = /^tenantscope\.(tenant|organization)\.upserted\.v(\d+)$/.exec(type ?? '') ?? [];
  if (kind !== 'tenant' && kind !== 'organization') {
    return reject('UNKNOWN_TYPE', 'attribute type names no record of this topic');
  }
  return version === '1' ? kind : reject('UNSUPPORTED_VERSION', `attribute type: of ${kind} records version 1 is read`);
}

/** The members that tenants and organizations share. */
function stateOf(record: JsonObject): OrganizationRecord | Rejection {
  const id = guidOf(record.id);
  const name = textOf(record.name);
  const version = typeof record.version === 'number' ? integerOf(record.version) : null;
  const changedAtMs =
    typeof record.changedAt === 'string' && zoned.test(record.changedAt) ? readTime(record.changedAt) : null;
  if (id === null) return violation('id', 'a GUID');
  if (typeof record.name !== 'string' || name === null || name.length > longestName) {
    return violation('name', `a text of 1 to ${longestName} characters`);
  }
  if (version === null || version < 1) return violation('version', 'an integer from 1 to 2^53 - 1');
  if (changedAtMs === null) return violation('changedAt', 'a time with a zone');
  return { id, name, version, changedAt: showTime(changedAtMs) };
}

function tenantMembersOf(
  record: JsonObject,
): Pick<TenantRecord, 'organizationId' | 'azureTenantId' | 'plan' | 'timeZone'> | Rejection {
  const organizationId = guidOf(record.organizationId);
  const azureTenantId = guidOf(record.azureTenantId);
  const { plan, timeZone } = record;
  if (organizationId === null && !isAbsent(record.organizationId)) return violation('organizationId', 'a GUID or null');
  if (azureTenantId === null && !isAbsent(record.azureTenantId)) return violation('azureTenantId', 'a GUID or null');
  if (plan !== 'api' && plan !== 'none') return violation('plan', 'api or none');
  // Left out rather than made UTC: records from before zones keep the digest they had.
  if (isAbsent(timeZone)) return { organizationId, azureTenantId, plan };
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) return violation('timeZone', 'an IANA time zone or null');
  return { organizationId, azureTenantId, plan, timeZone };
}

function guidOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? readGuid(value) : null;
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

function violation(member: string, wanted: string): Rejection {
  return reject('SCHEMA_VIOLATION', `member ${member} is not ${wanted}`);
}

/** Our own producers say the zone; only providers' raw records may leave it out. */
const zoned = /(?:Z|[+-]\d\d:\d\d)$/i;
const longestName = 256;
const largestValueBytes = 65_536;
