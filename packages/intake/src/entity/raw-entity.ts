import { hash } from 'node:crypto';
import { entityKinds, type TenantId } from '@tenantscope/contract';
import { broken, recordId } from '../domain/payload.ts';
import { readKey } from '../domain/record-key.ts';
import type { Message } from '../envelope.ts';
import { bounded, makeVisible } from '../field/text.ts';
import { canonicalText } from '../json/canonical.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { plain } from '../json/write.ts';
import { type OfElement, type RawArrival, type RawTopic, readRawMessage } from '../raw-message.ts';
import { readerOfTypes } from '../raw-type.ts';
import type { ReadingContext } from '../reading-context.ts';
import type { EntityPart } from '../record-outcome.ts';
import { isRejection, type Rejection, reject } from '../rejection.ts';
import { type Part, splitRecords, wholeRecord } from '../split.ts';
import { asAliases } from './aliases.ts';
import { entityId } from './domain-entity.ts';
import { type EntityFormatName, entityFormatNamed, entityFormats } from './source-format.ts';
import type { SourceObject } from './source-object.ts';

type Said = { readonly kind: 'part'; readonly part: EntityPart };

/**
 * Reads one message of raw.entity: objects of a provider's directory, drives and stores, each a part of an entity with a version of its own:
 * its last modification in milliseconds where it says one, else the event's time.
 */
export function readRawEntity(message: Message, context: ReadingContext): OfElement<Said>[] {
  return readRawMessage(topicOf(context), message, context);
}

function topicOf(context: ReadingContext): RawTopic<EntityFormatName, Said> {
  return {
    formatOfType,
    formatNamed: () => ({ split: (reading) => splitRecords(reading, { list: 'value', unless: 'id' }, wholeRecord) }),
    keyFault,
    read: (part, arrival) => partsOf(part, arrival, context.tenantOf(arrival.tenantId)?.azureTenantId ?? null),
  };
}

const formatOfType = readerOfTypes(entityFormats);

function keyFault(bytes: Buffer, tenantId: TenantId): Rejection | null {
  const key = readKey(bytes);
  const names = key !== null && key.tenantId === tenantId && entityKinds.some((kind) => isKind(key.kind, kind));
  return names
    ? null
    : reject('KEY_MISMATCH', 'the key is not the tenant id, a kind of entity and an id, parted by slashes');
}

function partsOf(
  part: Part,
  arrival: RawArrival<EntityFormatName>,
  azureTenantId: string | null,
): readonly Said[] | Rejection {
  const objects = entityFormatNamed(arrival.format).read(plain(part.record) as JsonObject, azureTenantId);
  const key = readKey(arrival.key);
  if (key !== null && !objects.some(({ kind }) => isKind(key.kind, kind))) {
    return reject('KEY_MISMATCH', 'the key names another kind of entity than the object');
  }
  const digest = hash('sha256', canonicalText(part.content, part.repeatsNames), 'buffer');
  const said: Said[] = [];
  for (const object of objects) {
    const id = idOf(object, arrival, key);
    if (isRejection(id)) return id;
    const changedAtMs = object.modifiedAtMs ?? arrival.timeMs;
    if (changedAtMs === null) {
      return reject('MISSING_TIMESTAMP', 'neither the object nor the attribute time says when it was modified');
    }
    const facts = fitted(object.facts);
    const shared = {
      tenantId: arrival.tenantId,
      entityKind: object.kind,
      id,
      part: object.which === null ? arrival.format : `${arrival.format}:${object.which}`,
      version: changedAtMs,
      digest,
      changedAtMs,
    };
    const gone = object.ending === 'removed';
    if (gone) said.push({ kind: 'part', part: { ...shared, isRemoval: true, facts: {}, aliases: [] } });
    // What was removed in a delta is told by nothing but its id; what was soft-deleted is told in full.
    if (!gone || facts.displayName != null || facts.name != null) {
      const aliases = asAliases(object.names).filter((name) => name !== id.toLowerCase());
      said.push({ kind: 'part', part: { ...shared, isRemoval: false, facts, aliases } });
    }
  }
  return said;
}

/** The object's own id, or the key's where the object names none or the collector knows better. */
function idOf(
  object: SourceObject,
  { format, count }: RawArrival<EntityFormatName>,
  key: ReturnType<typeof readKey>,
): string | Rejection {
  const keyed = key !== null && isKind(key.kind, object.kind) ? entityId(key.id) : null;
  const own = object.id === null ? null : entityId(object.id);
  if (own === null || entityFormatNamed(format).keyDecides) {
    return plainId(keyed ?? own);
  }
  const isNamed = keyed === null || keyed === own || asAliases(object.names).includes(keyed.toLowerCase());
  return isNamed || count > 1 ? plainId(own) : reject('KEY_MISMATCH', 'the key names another entity than the object');
}

/** Ids are part of addresses, so not every text is one. */
function plainId(id: string | null): string | Rejection {
  if (id === null)
    return reject('SCHEMA_VIOLATION', 'neither the object nor the key says which entity it is a part of');
  return recordId.safeParse(id).success ? id : broken('id', 'expected 1 to 300 plain characters');
}

function isKind(spelled: string, kind: string): boolean {
  return spelled.replaceAll('-', '').toLowerCase() === kind.toLowerCase();
}

/** Without what is not known, with nothing hidden in texts, nothing without an end. */
function fitted(facts: JsonObject): Record<string, Json> {
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, kept(value as Json, name === 'instructions')]));
}

function kept(value: Json, isLong: boolean): Json {
  const limit = isLong ? longestProse : longestText;
  if (typeof value === 'string') return bounded(makeVisible(bounded(value, limit)), limit);
  if (Array.isArray(value))
    return value
      .filter((item) => item !== null)
      .slice(0, mostItems)
      .map((item) => kept(item, false));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, kept(member ?? null, false)]));
}

const longestText = 8_192;
const longestProse = 262_144;
/** Of one object. Counts are taken of them all; records show fewer. */
const mostItems = 1_000;
