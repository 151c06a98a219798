import { asTenantId, readGuid, type TenantId } from '@tenantscope/contract';
import { type Envelope, type Message, openEnvelope } from './envelope.ts';
import { readTime } from './field/time.ts';
import type { Reading } from './json/read-json.ts';
import { type Json, type JsonObject, textOf } from './json/value.ts';
import type { AppLookup, ReadingContext } from './reading-context.ts';
import type { RejectedRecord } from './record-outcome.ts';
import { isRejection, type Rejection, reject, stageOf } from './rejection.ts';
import type { Part } from './split.ts';

/** A topic that carries providers' own records, each in one of several formats. */
export interface RawTopic<Name extends string, Said> {
  readonly formatOfType: (type: string | null) => Name | Rejection;
  /** What is wrong with a key; a message may have none. */
  readonly keyFault: (key: Buffer, tenantId: TenantId) => Rejection | null;
  readonly formatNamed: (name: Name) => RawFormat;
  /** What one record of the message says, at least one thing. */
  readonly read: (part: Part, arrival: RawArrival<Name>) => readonly Said[] | Rejection;
}

export interface RawFormat {
  /** Takes a payload apart into single records, undoing whatever a collector wrapped around them. */
  readonly split: (reading: Reading) => readonly (Part | Rejection)[];
  /** The Microsoft tenant a record says it belongs to; absent for other providers. */
  readonly organizationOf?: (record: JsonObject) => Json | undefined;
}

/** Where a record came from. */
export interface RawArrival<Name extends string> {
  readonly tenantId: TenantId;
  readonly format: Name;
  readonly key: Buffer | null;
  /** Records in the message. */
  readonly count: number;
  /** Epoch ms of the event's own time, where it says one. */
  readonly timeMs: number | null;
  readonly nowMs: number;
  readonly appOf: AppLookup | undefined;
}

/** `element` is a record's position among the records of its message. */
export type OfElement<Said> = (Said | RejectedRecord) & { readonly element: number };

/**
 * Reads one message of a topic of raw records: CloudEvents 1.0 in either content mode around a payload of one of the
 * topic's formats. The attribute `tenantid` alone says whose the records are.
 *
 * A message that cannot be taken apart is one rejection. The outcomes depend on nothing but the message and the context.
 * Throws on no message whatever.
 */
export function readRawMessage<Name extends string, Said extends { readonly kind: string }>(
  topic: RawTopic<Name, Said>,
  message: Message,
  context: ReadingContext,
): OfElement<Said>[] {
  const element = context.onlyElement ?? 0;
  const envelope = openEnvelope(message, context.maxValueBytes);
  if (isRejection(envelope)) return [setAside(envelope, element, { tenantId: null, format: null })];
  const addressee = addresseeOf(topic, envelope, message.key, context);
  if (isRejection(addressee)) {
    const format = topic.formatOfType(envelope.type);
    const tenantId = readGuid(envelope.tenantid ?? '');
    return [setAside(addressee, element, { tenantId, format: isRejection(format) ? null : format })];
  }
  const reading = envelope.payload();
  if (isRejection(reading)) return [setAside(reading, element, addressee)];
  const format = topic.formatNamed(addressee.format);
  const parts = format.split(reading);
  const fault = countFault(parts.length, element);
  if (fault !== null) return [setAside(fault, element, addressee)];
  const arrival = {
    tenantId: addressee.tenantId,
    format: addressee.format,
    key: message.key,
    count: parts.length,
    timeMs: envelope.time === null ? null : readTime(envelope.time),
    nowMs: context.nowMs,
    appOf: context.appOf,
  };
  const outcomesOf = (part: Part | Rejection, index: number): OfElement<Said>[] => {
    const said = isRejection(part)
      ? part
      : (organizationFault(part, format, addressee.azureTenantId) ?? topic.read(part, arrival));
    if (isRejection(said)) return [setAside(said, index, addressee)];
    return said.map((each) => ({ ...each, element: index }));
  };
  if (context.onlyElement !== null) return outcomesOf(parts[element] as Part | Rejection, element);
  return parts.flatMap(outcomesOf);
}

interface Addressee<Name extends string> {
  readonly tenantId: TenantId;
  readonly azureTenantId: string | null;
  readonly format: Name;
}

/** Checks the envelope: version, type, tenant, key. */
function addresseeOf<Name extends string>(
  topic: RawTopic<Name, unknown>,
  { specversion, type, tenantid }: Envelope,
  key: Buffer | null,
  context: ReadingContext,
): Addressee<Name> | Rejection {
  // Absent is read as 1.0, as an absent content type is read as JSON: there is nothing else that it could mean.
  if (specversion !== null && specversion !== '1.0') {
    return reject('UNSUPPORTED_VERSION', 'attribute specversion is not 1.0');
  }
  const format = topic.formatOfType(type);
  if (isRejection(format)) return format;
  if (tenantid === null || tenantid === '') return reject('MISSING_TENANT', 'attribute tenantid is missing');
  const guid = readGuid(tenantid);
  const tenant = guid === null ? undefined : context.tenantOf(guid);
  if (guid === null || tenant === undefined) return reject('UNKNOWN_TENANT', 'attribute tenantid names no tenant');
  const tenantId = asTenantId(guid);
  const fault = key === null ? null : topic.keyFault(key, tenantId);
  return fault ?? { tenantId, azureTenantId: tenant.azureTenantId, format };
}

function countFault(count: number, element: number): Rejection | null {
  if (count === 0) return reject('EMPTY_PAYLOAD', 'the list of records is empty');
  if (count > mostElements) return reject('TOO_LARGE', `the message holds more than ${mostElements} records`);
  return element < count ? null : reject('SCHEMA_VIOLATION', `the message holds no element ${element}`);
}

/** A record of another Microsoft tenant is never written, whoever addressed it. Texts that are no GUID prove nothing. */
function organizationFault(part: Part, format: RawFormat, azureTenantId: string | null): Rejection | null {
  if (azureTenantId === null || format.organizationOf === undefined) return null;
  const organization = readGuid(textOf(format.organizationOf(part.record)) ?? '');
  if (organization === null || organization === azureTenantId.toLowerCase()) return null;
  return reject('TENANT_MISMATCH', 'the record belongs to another Microsoft tenant than its addressee');
}

function setAside(
  { rejected, detail }: Rejection,
  element: number,
  { tenantId, format }: { readonly tenantId: string | null; readonly format: string | null },
): RejectedRecord & { readonly element: number } {
  return { kind: 'rejected', element, reason: rejected, detail, stage: stageOf(rejected), tenantId, format };
}

/** One MiB of empty objects would be 350,000 dead letters; one MiB of the shortest real records is 2,000. */
const mostElements = 10_000;
