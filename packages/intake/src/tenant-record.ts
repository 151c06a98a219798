import { asTenantId, formatTime, isTimeZone, parseGuid, type TenantId } from '@tenantscope/contract';
import { makeVisible } from './field/text.ts';
import { readTime } from './field/time.ts';
import { checkVersion } from './field/version.ts';
import { isObject, type Json, type JsonObject, toInteger, toText } from './json/value.ts';
import { type Message, openEnvelope } from './message/envelope.ts';
import {
  type DeadLetterReason,
  getStage,
  isRejection,
  type Rejection,
  reject,
  type Stage,
} from './message/rejection.ts';

/** A tenant in full, as of a version. A record applies only if its version is higher than the stored one. */
export interface TenantRecord {
  readonly id: TenantId;
  readonly name: string;
  readonly organizationId: string | null;
  readonly azureTenantId: string | null;
  readonly plan: 'api' | 'none';
  /** IANA name; absent where the record has no time zone, which means UTC. */
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

/** Reads one message of tenant.v1, whose key is the id of its tenant or organization. Never throws. */
export function readTenantRecord(message: Message, nowMs: number): TenantOutcome {
  // Compaction deletes by tombstones; tenants end by their plan, so a tombstone has nothing to delete.
  if (message.value === null) return { kind: 'skip', reason: 'a tombstone deletes no tenant and no organization' };
  const read = parseRecord(message, nowMs);
  if (!isRejection(read)) return read;
  const tenantId = parseGuid(message.key?.toString('latin1') ?? '');
  return { kind: 'rejected', reason: read.rejected, detail: read.detail, stage: getStage(read.rejected), tenantId };
}

function parseRecord(message: Message, nowMs: number): TenantOutcome | Rejection {
  const envelope = openEnvelope(message, maxValueBytes);
  if (isRejection(envelope)) return envelope;
  if (envelope.specversion !== null && envelope.specversion !== '1.0') {
    return reject('UNSUPPORTED_VERSION', 'attribute specversion is not 1.0');
  }
  const kind = parseKind(envelope.type);
  if (isRejection(kind)) return kind;
  const parsed = envelope.payload();
  if (isRejection(parsed)) return parsed;
  if (!isObject(parsed.value)) return reject('SCHEMA_VIOLATION', 'the record is not a JSON object');
  const state = parseState(parsed.value);
  if (isRejection(state)) return state;
  if (message.key !== null && parseGuid(message.key.toString('latin1')) !== state.id) {
    return reject('KEY_MISMATCH', 'the key is not the id of the record');
  }
  const future = checkVersion(state.version, nowMs);
  if (future !== null) return future;
  if (kind === 'organization') return { kind, record: state };
  const tenant = parseTenantMembers(parsed.value);
  return isRejection(tenant) ? tenant : { kind, record: { ...state, ...tenant, id: asTenantId(state.id) } };
}

function parseKind(type: string | null): 'tenant' | 'organization' | Rejection {
  const [, kind, version] = /^tenantscope\.(tenant|organization)\.upserted\.v(\d+)$/.exec(type ?? '') ?? [];
  if (kind !== 'tenant' && kind !== 'organization') {
    return reject('UNKNOWN_TYPE', 'attribute type is not a record of this topic');
  }
  return version === '1'
    ? kind
    : reject('UNSUPPORTED_VERSION', `attribute type: only version 1 of ${kind} records is supported`);
}

/** The members that tenants and organizations share. */
function parseState(record: JsonObject): OrganizationRecord | Rejection {
  const id = toGuid(record.id);
  // The database refuses a NUL, which would stop the lane of all tenants.
  const name = makeVisible((typeof record.name === 'string' ? toText(record.name) : null) ?? '');
  const version = typeof record.version === 'number' ? toInteger(record.version) : null;
  const changedAtMs =
    typeof record.changedAt === 'string' && zoned.test(record.changedAt) ? readTime(record.changedAt) : null;
  if (id === null) return violation('id', 'a GUID');
  if (name === '' || name.length > maxNameLength) {
    return violation('name', `a text of 1 to ${maxNameLength} characters`);
  }
  if (version === null || version < 1) return violation('version', 'an integer from 1 to 2^53 - 1');
  if (changedAtMs === null) return violation('changedAt', 'a time with a zone');
  return { id, name, version, changedAt: formatTime(changedAtMs) };
}

function parseTenantMembers(
  record: JsonObject,
): Pick<TenantRecord, 'organizationId' | 'azureTenantId' | 'plan' | 'timeZone'> | Rejection {
  const organizationId = toGuid(record.organizationId);
  const azureTenantId = toGuid(record.azureTenantId);
  const { plan, timeZone } = record;
  if (organizationId === null && !isAbsent(record.organizationId)) return violation('organizationId', 'a GUID or null');
  if (azureTenantId === null && !isAbsent(record.azureTenantId)) return violation('azureTenantId', 'a GUID or null');
  if (plan !== 'api' && plan !== 'none') return violation('plan', ['api', 'none'].join(' or '));
  // Left out instead of set to UTC, so that records from before time zones have the same digest as before.
  if (isAbsent(timeZone)) return { organizationId, azureTenantId, plan };
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) return violation('timeZone', 'an IANA time zone or null');
  return { organizationId, azureTenantId, plan, timeZone };
}

function toGuid(value: Json | undefined): string | null {
  return typeof value === 'string' ? parseGuid(value) : null;
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

function violation(member: string, expected: string): Rejection {
  return reject('SCHEMA_VIOLATION', `member ${member} is not ${expected}`);
}

/** The platform's own producers must send the zone; only providers' raw records may omit it. */
const zoned = /(?:Z|[+-]\d\d:\d\d)$/i;
const maxNameLength = 256;
const maxValueBytes = 65_536;
