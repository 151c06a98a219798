import type { ParsedJson } from '../json/read-json.ts';
import { sliceElements, sliceMember } from '../json/slice.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { type Rejection, reject } from './rejection.ts';
import { type SourceText, toSource } from './source-text.ts';

/** One record of a payload. */
export interface SplitRecord {
  /** The record as the normaliser reads it. */
  readonly value: JsonObject;
  /** The content that identifies the record: the same in every wrapping it may arrive in. */
  readonly content: Json;
  /** Whether some object of `content` may repeat a name; see `canonicalText`. */
  readonly hasDuplicateNames: boolean;
  /** Position of an event within its own envelope, part of its identity; 0 where an envelope holds one. */
  readonly index: number;
  /** The record as received; what wraps it is left out. */
  readonly source: SourceText;
}

/** An object that is not a record itself but carries records in a list. */
export interface Page {
  readonly list: string;
  /** A member that every record has: an object with it is a record, even with a member named like the list. */
  readonly recordMember: string;
}

/**
 * Splits a payload that is one record, an array of records or a page of them. Arrays and pages do not affect identity: a
 * record is the same whether it comes alone or among others.
 */
export function splitRecords(
  parsed: ParsedJson,
  page: Page | null,
  unwrap: (
    record: JsonObject,
    hasDuplicateNames: boolean,
    text: Buffer,
  ) => SplitRecord | Rejection | readonly (SplitRecord | Rejection)[],
): readonly (SplitRecord | Rejection)[] {
  return listElements(parsed, page).flatMap(({ value, text }) =>
    isObject(value)
      ? unwrap(value, parsed.hasDuplicateNames, text)
      : reject('SCHEMA_VIOLATION', 'the record is not a JSON object'),
  );
}

/** @param text of the record */
export function toSplitRecord(record: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  return { value: record, content: record, hasDuplicateNames, index: 0, source: toSource(text) };
}

interface Element {
  readonly value: Json;
  readonly text: Buffer;
}

function listElements({ value, text }: ParsedJson, page: Page | null): readonly Element[] {
  if (Array.isArray(value)) return toElements(value, text);
  if (page === null || !isObject(value) || value[page.recordMember] !== undefined) return [{ value, text }];
  const list = value[page.list];
  return Array.isArray(list) ? toElements(list, sliceMember(text, page.list) as Buffer) : [{ value, text }];
}

function toElements(values: readonly Json[], text: Buffer): Element[] {
  const texts = sliceElements(text);
  return values.map((value, index) => ({ value, text: texts[index] as Buffer }));
}
