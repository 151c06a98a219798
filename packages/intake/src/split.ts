import type { Reading } from './json/read-json.ts';
import { isObject, type Json, type JsonObject } from './json/value.ts';
import { type Rejection, reject } from './rejection.ts';

/** One record of a payload. */
export interface Part {
  /** What the normaliser reads. */
  readonly record: JsonObject;
  /** What makes this record this record: the same in every wrapping it may arrive in. */
  readonly content: Json;
  /** Whether some object of `content` may repeat a name; see `canonicalText`. */
  readonly repeatsNames: boolean;
  /** Position of an event within its own envelope, part of its identity; 0 where an envelope holds one. */
  readonly index: number;
}

/** An object that is no record itself but carries records in a list. */
export interface Page {
  readonly list: string;
  /** A member that every record has: what has it is a record, even with a member named like the list. */
  readonly unless: string;
}

/**
 * Splits a payload that is one record, an array of records or a page of them. Arrays and pages leave no trace in
 * identity: a record is the same whether it comes alone or among others.
 */
export function splitRecords(
  reading: Reading,
  page: Page | null,
  unwrap: (record: JsonObject, repeatsNames: boolean) => Part | Rejection | readonly (Part | Rejection)[],
): readonly (Part | Rejection)[] {
  const { value, repeatsNames } = reading;
  return elementsOf(value, page).flatMap((element) =>
    isObject(element) ? unwrap(element, repeatsNames) : reject('SCHEMA_VIOLATION', 'the record is not a JSON object'),
  );
}

export function wholeRecord(record: JsonObject, repeatsNames: boolean): Part {
  return { record, content: record, repeatsNames, index: 0 };
}

function elementsOf(value: Json, page: Page | null): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (page === null || !isObject(value) || value[page.unless] !== undefined) return [value];
  const list = value[page.list];
  return Array.isArray(list) ? list : [value];
}
