import { type EntityKind, formatTime } from '@tenantscope/contract';
import { toEpochMs } from '../field/time.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';

/** One provider object's contribution to one entity. */
export interface SourceObject {
  readonly kind: EntityKind;
  /** The id of the entity, where the object has it; otherwise the message's key must have it. */
  readonly id: string | null;
  /** Distinguishes several parts of one format, such as the grants of an app; null where an entity has one. */
  readonly discriminator: string | null;
  readonly facts: JsonObject;
  /** Other names of the entity. */
  readonly names: readonly (string | null)[];
  /** Its last modification; null where unknown. */
  readonly modifiedAtMs: number | null;
  readonly lifecycle: 'live' | 'removed';
  /** When it was removed; null where unknown. */
  readonly deletedAtMs: number | null;
}

/** How one format is read: a pure function of the object and the tenant. Some objects contribute to two entities. */
export type SourceReader = (record: JsonObject, azureTenantId: string | null) => readonly SourceObject[];

/** @param given overrides of the defaults: one part, no modification time, live unless the object is removed */
export function sourceObject(
  record: JsonObject,
  given: Pick<SourceObject, 'kind' | 'id' | 'facts'> & Partial<SourceObject>,
): SourceObject {
  const ending = isRemoved(record) ? 'removed' : 'live';
  const deletedAtMs = toEpochMs(record.deletedDateTime);
  return { discriminator: null, names: [], modifiedAtMs: null, lifecycle: ending, deletedAtMs, ...given };
}

/** Removed in a delta, soft-deleted in the directory, or with the facet of a deleted item. */
function isRemoved(record: JsonObject): boolean {
  return isObject(record['@removed']) || isObject(record.deleted) || toServedTime(record.deletedDateTime) !== null;
}

/** A provider's time in the served format; null where invalid, such as the year 1. */
export function toServedTime(value: Json | undefined): string | null {
  const instant = toEpochMs(value);
  return instant === null ? null : formatTime(instant);
}

/** The listed value that matches, case-insensitively; `fallback` where no value matches. */
export function matchValue<Word extends string>(
  values: readonly Word[],
  word: string | null,
  fallback: Word | null = null,
): Word | null {
  if (word === null) return null;
  return values.find((value) => value.toLowerCase() === word.toLowerCase()) ?? fallback;
}

/** `hidden` means that the tenant's licence does not show the risk. */
export function toRiskLevel(word: string | null): string | null {
  return matchValue(['none', 'low', 'medium', 'high', 'unknown'], word, 'unknown');
}

export function toRiskState(word: string | null): string | null {
  return matchValue(['none', 'confirmedSafe', 'remediated', 'dismissed', 'atRisk', 'confirmedCompromised'], word);
}
