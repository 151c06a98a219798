import { type EntityKind, showTime } from '@tenantscope/contract';
import { timeOf } from '../field/time.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';

/** What one object of a provider says of one entity. */
export interface SourceObject {
  readonly kind: EntityKind;
  /** The entity it is a part of, where the object says so itself; where it does not, the message's key has to. */
  readonly id: string | null;
  /** Tells several parts of one format apart, such as the grants of an app; null where an entity has one. */
  readonly which: string | null;
  readonly facts: JsonObject;
  /** Other names of the entity. */
  readonly names: readonly (string | null)[];
  /** Its last modification; null where it does not say one. */
  readonly modifiedAtMs: number | null;
  readonly ending: 'live' | 'removed';
}

/** How one format is read: a pure function of the object and of whose it is. Some say something of two entities. */
export type SourceFormat = (record: JsonObject, azureTenantId: string | null) => readonly SourceObject[];

/** @param given everything but what most objects share: one part, no modification time, live unless it says that it is not */
export function sourceObject(
  record: JsonObject,
  given: Pick<SourceObject, 'kind' | 'id' | 'facts'> & Partial<SourceObject>,
): SourceObject {
  const ending = isGone(record) ? 'removed' : 'live';
  return { which: null, names: [], modifiedAtMs: null, ending, ...given };
}

/** Removed in a delta, soft-deleted in the directory, or with the facet of a deleted item. */
function isGone(record: JsonObject): boolean {
  return isObject(record['@removed']) || isObject(record.deleted) || moment(record.deletedDateTime) !== null;
}

/** A provider's time as it is served; unreadable ones, such as the year 1, are not known. */
export function moment(value: Json | undefined): string | null {
  const instant = timeOf(value);
  return instant === null ? null : showTime(instant);
}

/** The word in our spelling, where it is one of these; null or `otherwise` where it is not. */
export function oneOf<Word extends string>(
  values: readonly Word[],
  word: string | null,
  otherwise: Word | null = null,
): Word | null {
  if (word === null) return null;
  return values.find((value) => value.toLowerCase() === word.toLowerCase()) ?? otherwise;
}

/** `hidden` risk is risk that the tenant's licence does not show. */
export function riskLevelOf(word: string | null): string | null {
  return oneOf(['none', 'low', 'medium', 'high', 'unknown'], word, 'unknown');
}

export function riskStateOf(word: string | null): string | null {
  return oneOf(['none', 'confirmedSafe', 'remediated', 'dismissed', 'atRisk', 'confirmedCompromised'], word);
}
