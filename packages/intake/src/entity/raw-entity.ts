import { hash } from 'node:crypto';
import { entityKinds, type TenantId } from '@tenantscope/contract';
import { recordId, rejectMember } from '../domain/payload.ts';
import { parseRecordKey } from '../domain/record-key.ts';
import { makeVisible, truncateText } from '../field/text.ts';
import { checkModificationTime } from '../field/version.ts';
import { canonicalizeJson } from '../json/canonical.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { toPlainJson } from '../json/write-json.ts';
import type { Message } from '../message/envelope.ts';
import { createEventTypeReader } from '../message/event-type.ts';
import { type RawRecordOrigin, type RawTopic, readRawMessage, type WithElement } from '../message/raw-message.ts';
import type { ReadingContext } from '../message/reading-context.ts';
import type { EntityPart } from '../message/record-outcome.ts';
import { isRejection, type Rejection, reject } from '../message/rejection.ts';
import type { SplitRecord } from '../message/split-records.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { normaliseAliases } from './aliases.ts';
import { normaliseEntityId } from './domain-entity.ts';
import { type EntityFormatName, entityFormats, getEntityFormat } from './source-formats.ts';
import type { SourceObject } from './source-object.ts';

type PartOutcome = { readonly kind: 'part'; readonly part: EntityPart };

/**
 * Reads one message of raw.entity: objects of a provider's directory, drives and stores. Each is a part of an entity with a
 * version of its own: its last modification in milliseconds where it has one, else the event's time.
 */
export function readRawEntity(message: Message, context: ReadingContext): WithElement<PartOutcome>[] {
  return readRawMessage(createTopic(context), message, context);
}

function createTopic(context: ReadingContext): RawTopic<EntityFormatName, PartOutcome> {
  return {
    readFormat: formatOfType,
    getFormat: (name) => ({ shape: sourceShapes[name] }),
    checkKey,
    read: (part, origin) =>
      readParts(part, origin, context.findTenant(origin.tenantId)?.azureTenantId ?? null, context.nowMs),
  };
}

const formatOfType = createEventTypeReader(entityFormats);

function checkKey(bytes: Buffer, tenantId: TenantId): Rejection | null {
  const key = parseRecordKey(bytes);
  const names = key !== null && key.tenantId === tenantId && entityKinds.some((kind) => isKind(key.kind, kind));
  return names
    ? null
    : reject('KEY_MISMATCH', 'the key is not the tenant id, a kind of entity and an id, separated by slashes');
}

function readParts(
  part: SplitRecord,
  origin: RawRecordOrigin<EntityFormatName>,
  azureTenantId: string | null,
  nowMs: number,
): readonly PartOutcome[] | Rejection {
  const objects = getEntityFormat(origin.format).read(toPlainJson(part.value) as JsonObject, azureTenantId);
  const key = parseRecordKey(origin.key);
  if (key !== null && !objects.some(({ kind }) => isKind(key.kind, kind))) {
    return reject('KEY_MISMATCH', 'the key names another kind of entity than the object');
  }
  const digest = hash('sha256', canonicalizeJson(part.content, part.hasDuplicateNames), 'buffer');
  const outcomes: PartOutcome[] = [];
  for (const object of objects) {
    const id = readId(object, origin, key);
    if (isRejection(id)) return id;
    const changedAtMs = object.modifiedAtMs ?? origin.timeMs;
    if (changedAtMs === null) {
      return reject('MISSING_TIMESTAMP', 'neither the object nor the attribute time has a modification time');
    }
    // Its last modification precedes its removal, which would be lost to the state of that modification.
    const removedAtMs = Math.max(changedAtMs, origin.timeMs ?? 0);
    const gone = object.lifecycle === 'removed';
    const future = checkModificationTime(gone ? removedAtMs : changedAtMs, nowMs);
    if (future !== null) return future;
    const facts = sanitizeFacts(object.facts);
    const shared = {
      tenantId: origin.tenantId,
      entityKind: object.kind,
      id,
      part: namePart(origin.format, object.discriminator),
      version: changedAtMs,
      digest,
      changedAtMs,
    };
    if (gone) {
      const removal = { version: removedAtMs, changedAtMs: object.deletedAtMs ?? removedAtMs, facts: {}, aliases: [] };
      outcomes.push({ kind: 'part', part: { ...shared, ...removal, isRemoval: true } });
    }
    // An object removed in a delta has nothing but its id; a soft-deleted object is complete.
    if (!gone || facts.displayName != null || facts.name != null) {
      const aliases = normaliseAliases(object.names).filter((name) => name !== id.toLowerCase());
      outcomes.push({ kind: 'part', part: { ...shared, isRemoval: false, facts, aliases } });
    }
  }
  return outcomes;
}

/** A part's name is in an index, whose entries have at most 2,704 bytes with the id of the entity. The database refuses a NUL in it. */
function namePart(format: EntityFormatName, discriminator: string | null): string {
  if (discriminator === null) return format;
  const visible = makeVisible(discriminator);
  return `${format}:${Buffer.byteLength(visible) > maxDiscriminatorBytes ? hash('sha256', discriminator) : visible}`;
}

const maxDiscriminatorBytes = 1_000;

/** The object's own id, or the key's where the object has no id or the key takes precedence. */
function readId(
  object: SourceObject,
  { format, count }: RawRecordOrigin<EntityFormatName>,
  key: ReturnType<typeof parseRecordKey>,
): string | Rejection {
  const keyed = key !== null && isKind(key.kind, object.kind) ? normaliseEntityId(key.id) : null;
  const own = object.id === null ? null : normaliseEntityId(object.id);
  if (own === null || getEntityFormat(format).isKeyedByMessage) {
    return checkId(keyed ?? own);
  }
  const isNamed = keyed === null || keyed === own || normaliseAliases(object.names).includes(keyed.toLowerCase());
  return isNamed || count > 1 ? checkId(own) : reject('KEY_MISMATCH', 'the key names another entity than the object');
}

/** Ids are part of URLs, so not every text is valid. */
function checkId(id: string | null): string | Rejection {
  if (id === null) return reject('SCHEMA_VIOLATION', 'neither the object nor the key has the id of an entity');
  return recordId.safeParse(id).success ? id : rejectMember('id', 'expected 1 to 300 plain characters');
}

function isKind(spelled: string, kind: string): boolean {
  return spelled.replaceAll('-', '').toLowerCase() === kind.toLowerCase();
}

/** Removes unknown values, makes invisible characters visible, and limits texts and lists. */
function sanitizeFacts(facts: JsonObject): Record<string, Json> {
  const present = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, sanitize(value as Json, name === 'instructions')]));
}

function sanitize(value: Json, isLong: boolean): Json {
  const limit = isLong ? maxProseLength : maxTextLength;
  if (typeof value === 'string') return truncateText(makeVisible(truncateText(value, limit)), limit);
  if (Array.isArray(value))
    return value
      .filter((item) => item !== null)
      .slice(0, maxItems)
      .map((item) => sanitize(item, false));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sanitize(member ?? null, false)]));
}

const maxTextLength = 8_192;
const maxProseLength = 262_144;
/** Per object. Counts include all items; records show fewer. */
const maxItems = 1_000;
