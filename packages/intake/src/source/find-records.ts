import type { ParsedJson } from '../json/read-json.ts';
import { sliceElements, sliceMember } from '../json/slice.ts';
import { isObject, type Json, type JsonObject } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { decodeValue } from './decode-value.ts';
import type { SourceShape } from './source-shapes.ts';

/**
 * The records of a payload, without whatever collectors and shippers put around them: pages, arrays, JSON text in a string,
 * wrapper members up to three levels deep. Of several wrappers the first that contains a record counts. What is no record and
 * contains none is returned as it is, so that its reader names what is missing. Of a list that is too long only the count is
 * right.
 *
 * A payload that is a record costs one look-up for each of its naming members (20 to 60 ns).
 */
export function findRecords(payload: ParsedJson, shape: SourceShape): readonly ParsedJson[] {
  const { value } = payload;
  if (isObject(value) && isNamed(value, shape)) return [payload];
  if (Array.isArray(value) && value.length > maxElements) return value.map(() => payload);
  const found = findInside({ shape, decodedBytes: 0 }, payload, 0);
  if (found !== null) return found;
  return Array.isArray(value) ? listElements(payload) : listPage(payload, shape);
}

/** Whether a record of the shape has these members. */
export function isNamed(value: JsonObject, { names }: SourceShape): boolean {
  for (const group of names) {
    let count = 0;
    while (count < group.length && value[group[count] as string] !== undefined) count++;
    if (count === group.length) return true;
  }
  return false;
}

interface Search {
  readonly shape: SourceShape;
  /** Bytes that base64 text of this payload was decoded to, so that a megabyte of small archives stays one of memory. */
  decodedBytes: number;
}

/**
 * The records that a value is or contains; null where there is none.
 *
 * @param level how many wrapper members lead to the value
 */
function findInside(search: Search, outer: ParsedJson, level: number): readonly ParsedJson[] | null {
  const { value } = outer;
  if (typeof value === 'string') {
    const decoded = readText(search, value);
    return decoded === null ? null : findInside(search, decoded, level);
  }
  if (Array.isArray(value)) return findInElements(search, outer, level);
  if (!isObject(value)) return null;
  if (isNamed(value, search.shape)) return [outer];
  if (level === maxLevels) return null;
  for (const wrapper of wrappers) {
    const inner = openWrapper(outer, value, wrapper);
    const records = inner === null ? null : findInside(search, inner, level + 1);
    if (records !== null) return records;
  }
  const list = search.shape.page?.list;
  if (list === undefined || !Array.isArray(value[list])) return null;
  return findInside(search, openMember(outer, value, list), level + 1);
}

/** All elements where at least one contains a record: the others are reported, not lost. */
function findInElements(search: Search, list: ParsedJson, level: number): readonly ParsedJson[] | null {
  const found: ParsedJson[] = [];
  let hasRecord = false;
  for (const element of listElements(list)) {
    // Lists of lists are no shape of any shipper.
    const records = Array.isArray(element.value) ? null : findInside(search, element, level);
    if (records === null) found.push(element);
    else {
      hasRecord = true;
      for (const record of records) found.push(record);
    }
  }
  return hasRecord ? found : null;
}

function openWrapper(outer: ParsedJson, value: JsonObject, { name, parent, child }: Wrapper): ParsedJson | null {
  if (value[name] !== undefined) return openMember(outer, value, name);
  if (parent === null || child === null) return null;
  const middle = value[parent];
  if (!isObject(middle) || middle[child] === undefined) return null;
  return openMember(openMember(outer, value, parent), middle, child);
}

/** JSON text of an object or a list, several lines of it, or base64 of either; null for any other text. */
function readText(search: Search, text: string): ParsedJson | null {
  if (!startsContainer.test(text)) return startsBase64.test(text) ? decodeBase64(search, text) : null;
  const decoded = decodeValue(Buffer.from(text), 'the text', Number.POSITIVE_INFINITY);
  return isRejection(decoded) ? null : decoded;
}

function decodeBase64(search: Search, text: string): ParsedJson | null {
  const remaining = maxDecodedBytes - search.decodedBytes;
  if (remaining <= 0 || !base64.test(text)) return null;
  const decoded = decodeValue(Buffer.from(text, 'base64'), 'the data', remaining);
  search.decodedBytes += isRejection(decoded) ? costOfFailure : decoded.text.length;
  return isRejection(decoded) ? null : decoded;
}

/** The provider's own page, whatever its elements are; else the payload itself. */
function listPage(payload: ParsedJson, { page }: SourceShape): readonly ParsedJson[] {
  const { value } = payload;
  if (page === null || !isObject(value) || value[page.recordMember] !== undefined) return [payload];
  return Array.isArray(value[page.list]) ? listElements(openMember(payload, value, page.list)) : [payload];
}

function openMember(outer: ParsedJson, value: JsonObject, name: string): ParsedJson {
  const { hasDuplicateNames, text } = outer;
  return { value: value[name] as Json, hasDuplicateNames, text: sliceMember(text, name) as Buffer };
}

/** @param list an array */
function listElements({ value, hasDuplicateNames, text }: ParsedJson): ParsedJson[] {
  const texts = sliceElements(text);
  return (value as readonly Json[]).map((each, index) => ({
    value: each,
    hasDuplicateNames,
    text: texts[index] as Buffer,
  }));
}

/** A member that wraps records: by its name as one key, or nested in another. */
interface Wrapper {
  readonly name: string;
  readonly parent: string | null;
  readonly child: string | null;
}

/** In the order in which they are tried. */
const wrappers: readonly Wrapper[] =
  'records value items events message message.data log _raw event event.original payload detail data data.events'
    .split(' ')
    .map((name) => {
      const [parent, child] = name.split('.');
      return {
        name,
        parent: child === undefined ? null : (parent as string),
        child: child ?? null,
      };
    });
/** Of one message. One MiB of empty objects would be 350,000 dead letters; one MiB of the shortest real records is 2,000. */
export const maxElements = 10_000;
const maxLevels = 3;
const maxDecodedBytes = 1_048_576;
/** An archive that is not valid, or too large, was decompressed too: at most sixteen of them. */
const costOfFailure = 65_536;
const startsContainer = /^\s*[[{]/;
/** Base64 of a text that begins with `{`, `[` or a byte order mark, or of gzip: Pub/Sub's data, bytes of Kafka Connect. */
const startsBase64 = /^(?:e[w-z]|W[w-z]|77u\/|H4s)/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
