import { asTenantId, parseGuid, type TenantId } from '@tenantscope/contract';
import { readTime } from '../field/time.ts';
import { type Json, type JsonObject, toText } from '../json/value.ts';
import { decodeValue } from '../source/decode-value.ts';
import { describeUnrecognized } from '../source/describe-unrecognized.ts';
import { isNamed, maxElements } from '../source/find-records.ts';
import type { SourceShape } from '../source/source-shapes.ts';
import { type Envelope, type Message, openEnvelope } from './envelope.ts';
import type { AppLookup, PrincipalLookup, ReadingContext } from './reading-context.ts';
import type { RejectedRecord } from './record-outcome.ts';
import { type RecordTenant, readRecordTenant } from './record-tenant.ts';
import { getStage, isRejection, type Rejection, reject, rejectOtherCell, wholeMessage } from './rejection.ts';
import type { SourceFrame } from './source-text.ts';
import { type SplitRecord, splitRecords, type Unwrap } from './split-records.ts';

/** A topic that carries providers' own records, each in one of several formats. */
export interface RawTopic<Name extends string, Outcome> {
  readonly readFormat: (type: string | null) => Name | Rejection;
  /** Checks the key; called only for a message with a key. */
  readonly checkKey: (key: Buffer, tenantId: TenantId) => Rejection | null;
  readonly getFormat: (name: Name) => RawFormat;
  /** Reads one record of the message; gives at least one outcome. */
  readonly read: (record: SplitRecord, origin: RawRecordOrigin<Name>) => readonly Outcome[] | Rejection;
}

export interface RawFormat {
  readonly shape: SourceShape;
  /** Removes the provider's own frame of a record, or splits an envelope of several; absent where there is none. */
  readonly unwrap?: Unwrap | undefined;
  /** The Microsoft tenant that a record names as its own; absent for other providers. */
  readonly readOrganization?: (record: JsonObject) => Json | undefined;
}

/** Where a record came from. */
export interface RawRecordOrigin<Name extends string> {
  readonly tenantId: TenantId;
  readonly format: Name;
  readonly key: Buffer | null;
  /** Records in the message. */
  readonly count: number;
  /** Epoch ms of the event's own time, null where it has no time. */
  readonly timeMs: number | null;
  readonly nowMs: number;
  readonly findApp: AppLookup | undefined;
  readonly findPrincipal: PrincipalLookup | undefined;
}

/** `element` is a record's position among the records of its message; `wholeMessage` where no record was read. */
export type WithElement<Outcome> = (Outcome | RejectedRecord) & { readonly element: number };

/**
 * Reads one message of a topic of raw records: CloudEvents 1.0 in either content mode around a payload of one of the
 * topic's formats. The attribute `tenantid` alone decides which tenant the records belong to; or `tenantfrom`, which names the member that does.
 *
 * A message that cannot be split is one rejection. The outcomes depend on nothing but the message and the context.
 * Never throws.
 */
export function readRawMessage<Name extends string, Outcome extends { readonly kind: string }>(
  topic: RawTopic<Name, Outcome>,
  message: Message,
  context: ReadingContext,
): WithElement<Outcome>[] {
  const element = context.onlyElement ?? wholeMessage;
  const envelope = openEnvelope(message, context.maxValueBytes);
  if (isRejection(envelope)) return [toRejectedRecord(envelope, element, { tenantId: null, format: null })];
  const addressee = readAddressee(topic, envelope, message.key, context);
  if (isRejection(addressee)) {
    const format = topic.readFormat(envelope.type);
    const tenantId = parseGuid(envelope.tenantid ?? '');
    return [toRejectedRecord(addressee, element, { tenantId, format: isRejection(format) ? null : format })];
  }
  const parsed = envelope.payload(decodeValue);
  if (isRejection(parsed)) return [toRejectedRecord(parsed, element, toTarget(addressee))];
  const format = topic.getFormat(addressee.format);
  const records = splitRecords(parsed, format);
  const fault = checkCount(records.length, element);
  if (fault !== null) return [toRejectedRecord(fault, element, toTarget(addressee))];
  context.countBytes?.(measureSources(records));
  const { tenantPath } = addressee;
  const timeMs = envelope.time === null ? null : readTime(envelope.time);
  const toOrigin = ({ tenantId, azureTenantId }: RecordTenant) => ({
    tenantId,
    azureTenantId,
    format: addressee.format,
    key: message.key,
    count: records.length,
    timeMs,
    nowMs: context.nowMs,
    findApp: context.findApp,
    findPrincipal: context.findPrincipal,
  });
  const fixed = addressee.tenant === null ? null : toOrigin(addressee.tenant);
  const findOrigin = (record: SplitRecord) => {
    if (fixed !== null) return fixed;
    const tenant = readRecordTenant(record, parsed.value, tenantPath ?? '', context);
    if (isRejection(tenant)) return tenant;
    const wrongKey = message.key === null ? null : topic.checkKey(message.key, tenant.tenantId);
    return wrongKey ?? toOrigin(tenant);
  };
  const readOutcomes = (record: SplitRecord | Rejection, index: number): WithElement<Outcome>[] => {
    const origin = isRejection(record) ? record : findOrigin(record);
    const outcomes =
      isRejection(record) || isRejection(origin)
        ? (origin as Rejection)
        : (checkOrganization(record, format, origin.azureTenantId) ??
          describeFailure(topic.read(record, origin), record, format));
    if (isRejection(outcomes)) {
      const isSingle = records.length === 1 && context.onlyElement === null;
      const place = isSingle && isUnrecognized(record, outcomes, format) ? wholeMessage : index;
      const tenantId = isRejection(origin) ? (fixed?.tenantId ?? null) : origin.tenantId;
      return [toRejectedRecord(outcomes, place, { tenantId, format: addressee.format })];
    }
    return outcomes.map((each) => ({ ...each, element: index }));
  };
  if (context.onlyElement !== null) return readOutcomes(records[element] as SplitRecord | Rejection, element);
  return records.length === 1 ? readOutcomes(records[0] as SplitRecord | Rejection, 0) : records.flatMap(readOutcomes);
}

/** Bytes of the records, and of what neighbours among them share. */
function measureSources(records: readonly (SplitRecord | Rejection)[]): number {
  let bytes = 0;
  let shared: SourceFrame | null = null;
  for (const record of records) {
    if (isRejection(record)) continue;
    const { text, frame } = record.source;
    bytes += text.length;
    if (frame !== null && frame !== shared) bytes += frame.before.length + frame.after.length;
    shared = frame;
  }
  return bytes;
}

interface Addressee<Name extends string> {
  readonly format: Name;
  /** Of all records; null where each has its own in a member. */
  readonly tenant: RecordTenant | null;
  readonly tenantPath: string | null;
}

const toTarget = ({ tenant, format }: Addressee<string>) => ({ tenantId: tenant?.tenantId ?? null, format });

/** Checks the envelope: version, type, tenant, key. */
function readAddressee<Name extends string>(
  topic: RawTopic<Name, unknown>,
  { specversion, type, tenantid, tenantfrom }: Envelope,
  key: Buffer | null,
  context: ReadingContext,
): Addressee<Name> | Rejection {
  // An absent version is read as 1.0, as an absent content type is read as JSON: it cannot mean anything else.
  if (specversion !== null && specversion !== '1.0') {
    return reject('UNSUPPORTED_VERSION', 'attribute specversion is not 1.0');
  }
  const format = topic.readFormat(type);
  if (isRejection(format)) return format;
  if (tenantfrom !== null && tenantfrom !== '') {
    if (tenantid !== null) return reject('SCHEMA_VIOLATION', 'attributes tenantid and tenantfrom exclude each other');
    return { format, tenant: null, tenantPath: tenantfrom };
  }
  if (tenantid === null || tenantid === '') return reject('MISSING_TENANT', 'attribute tenantid is missing');
  const guid = parseGuid(tenantid);
  const tenant = guid === null ? undefined : context.findTenant(guid);
  if (guid === null || tenant === undefined) return reject('UNKNOWN_TENANT', 'attribute tenantid names no tenant');
  const tenantId = asTenantId(guid);
  if (tenant.isClosed) return reject('TENANT_CLOSED', 'the tenant was closed');
  if (tenant.otherCell !== undefined) return rejectOtherCell(tenant.otherCell);
  const fault = key === null ? null : topic.checkKey(key, tenantId);
  return fault ?? { format, tenant: { tenantId, azureTenantId: tenant.azureTenantId }, tenantPath: null };
}

function checkCount(count: number, element: number): Rejection | null {
  if (count === 0) return reject('EMPTY_PAYLOAD', 'the list of records is empty');
  if (count > maxElements) return reject('TOO_LARGE', `the message has more than ${maxElements} records`);
  return element < count ? null : reject('SCHEMA_VIOLATION', `the message has no element ${element}`);
}

/**
 * A record of another Microsoft tenant is never written, even if the sender addressed it to this tenant. A text that is not
 * a GUID proves nothing.
 */
function checkOrganization(record: SplitRecord, format: RawFormat, azureTenantId: string | null): Rejection | null {
  if (azureTenantId === null || format.readOrganization === undefined) return null;
  const organization = parseGuid(toText(format.readOrganization(record.value)) ?? '');
  if (organization === null || organization === azureTenantId.toLowerCase()) return null;
  return reject('TENANT_MISMATCH', 'the record belongs to another Microsoft tenant than its addressee');
}

/**
 * Whether the value may wrap records that a later version finds: then a replay must read all of them, not the first. A record
 * that has an operation and no time is a record.
 */
function isUnrecognized(record: SplitRecord | Rejection, { rejected }: Rejection, { shape }: RawFormat): boolean {
  return isRejection(record) || (rejected !== 'MISSING_TIMESTAMP' && !isNamed(record.value, shape));
}

function describeFailure<Outcome>(
  outcomes: readonly Outcome[] | Rejection,
  record: SplitRecord,
  { shape }: RawFormat,
): readonly Outcome[] | Rejection {
  return isRejection(outcomes) ? describeUnrecognized(outcomes, record.value, shape) : outcomes;
}

function toRejectedRecord(
  { rejected, detail }: Rejection,
  element: number,
  { tenantId, format }: { readonly tenantId: string | null; readonly format: string | null },
): RejectedRecord & { readonly element: number } {
  return { kind: 'rejected', element, reason: rejected, detail, stage: getStage(rejected), tenantId, format };
}
