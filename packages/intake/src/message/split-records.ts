import type { ParsedJson } from '../json/read-json.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { describeUnrecognized } from '../source/describe-unrecognized.ts';
import { findRecords, maxElements } from '../source/find-records.ts';
import { omitShipperMembers } from '../source/shipper-members.ts';
import type { SourceShape } from '../source/source-shapes.ts';
import { isRejection, type Rejection, reject } from './rejection.ts';
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
  /** Whether `source` is the JSON text of `content`: nothing was left out, renamed or decoded. */
  readonly isVerbatim: boolean;
}

/** The record or records that one object carries by the provider's own rules. */
export type Unwrap = (
  object: JsonObject,
  hasDuplicateNames: boolean,
  text: Buffer,
) => SplitRecord | Rejection | readonly (SplitRecord | Rejection)[];

/**
 * Splits a payload into records and removes what collectors and shippers put around and next to them. Neither affects
 * identity: a record is the same whether it comes alone, among others or in a wrapper.
 */
export function splitRecords(
  parsed: ParsedJson,
  { shape, unwrap = toSplitRecord }: { readonly shape: SourceShape; readonly unwrap?: Unwrap | undefined },
): readonly (SplitRecord | Rejection)[] {
  const found = findRecords(parsed, shape);
  if (found.length > maxElements) return found.map(() => notRead);
  const records: (SplitRecord | Rejection)[] = [];
  for (const { value, hasDuplicateNames, text } of found) {
    if (!isObject(value)) {
      records.push(reject('SCHEMA_VIOLATION', 'the record is not a JSON object'));
      continue;
    }
    const own = unwrap(omitShipperMembers(value), hasDuplicateNames, text);
    // Only the value itself has this text: whatever changes a record creates another object.
    if ('value' in own) records.push(own.content === value ? { ...own, isVerbatim: true } : own);
    else if (isRejection(own)) records.push(describeUnrecognized(own, value, shape));
    else for (const each of own) records.push(isRejection(each) ? describeUnrecognized(each, value, shape) : each);
  }
  return records;
}

/** @param text of the record */
export function toSplitRecord(record: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  return { value: record, content: record, hasDuplicateNames, index: 0, source: toSource(text), isVerbatim: false };
}

/** In place of each record of a message that has too many: none of them is read. */
const notRead = reject('TOO_LARGE', `the message has more than ${maxElements} records`);
