import type { Message } from '@tenantscope/intake';
import { readReplayedElement } from '../dead-letter/replay-headers.ts';
import type { KafkaRecord } from './kafka-reader.ts';
import { equalsIgnoringCase, walkHeaders } from './record-headers.ts';

const activityHeaders = ['content-type', 'ce_specversion', 'ce_type', 'ce_tenantid', 'ce_tenantfrom'];
/** A mutable record without a modification time of its own has that of its event. Left out above: it differs from record to record. */
const recordHeaders = [...activityHeaders, 'ce_time'];
type SelectedHeaders = Record<string, string[]>;

/**
 * Records as one block of bytes and a few numbers, so that a worker thread takes them over without a copy. (A Buffer posted as it is
 * brings along a clone of its whole backing store, which is the fetch response.) Headers repeat from record to record: each distinct set
 * is stored once.
 */
export interface PackedRecords {
  bytes: ArrayBuffer;
  /** Lengths of key and value alternately; -1 is null. */
  lengths: Int32Array;
  headerSets: SelectedHeaders[];
  headerSetIndexes: Uint32Array;
  /** The one element that is replayed; -1 is all. */
  onlyElements: Int32Array;
}

export function packRecords(records: readonly KafkaRecord[]): PackedRecords {
  let size = 0;
  for (const { key, value } of records) size += (key?.length ?? 0) + (value?.length ?? 0);
  const packed: PackedRecords = {
    bytes: new ArrayBuffer(size),
    lengths: new Int32Array(records.length * 2),
    headerSets: [],
    headerSetIndexes: new Uint32Array(records.length),
    onlyElements: new Int32Array(records.length),
  };
  const bytes = new Uint8Array(packed.bytes);
  const setNumbers = new Map<string, number>();
  let end = 0;
  const put = (part: Buffer | null, at: number) => {
    packed.lengths[at] = part?.length ?? -1;
    if (part === null) return;
    bytes.set(part, end);
    end += part.length;
  };
  records.forEach((record, index) => {
    put(record.key, index * 2);
    put(record.value, index * 2 + 1);
    packed.onlyElements[index] = readReplayedElement(record) ?? -1;
    const signature = computeHeaderSignature(record.headers);
    let number = setNumbers.get(signature);
    if (number === undefined) {
      number = packed.headerSets.push(readHeaders(record.headers, activityHeaders)) - 1;
      setNumbers.set(signature, number);
    }
    packed.headerSetIndexes[index] = number;
  });
  return packed;
}

export function* unpackRecords(packed: PackedRecords): Generator<Message & { onlyElement: number | null }> {
  let at = 0;
  const take = (length: number): Buffer | null => {
    if (length < 0) return null;
    at += length;
    return Buffer.from(packed.bytes, at - length, length);
  };
  for (let index = 0; index < packed.headerSetIndexes.length; index++) {
    const key = take(packed.lengths[index * 2] ?? -1);
    const value = take(packed.lengths[index * 2 + 1] ?? -1);
    const element = packed.onlyElements[index] ?? -1;
    yield {
      key,
      value,
      headers: packed.headerSets[packed.headerSetIndexes[index] ?? 0] ?? {},
      onlyElement: element < 0 ? null : element,
    };
  }
}

/** The message of a mutable record, as its reader expects it. */
export function toMessage({ key, value, headers }: KafkaRecord): Message {
  return { key, value, headers: readHeaders(headers, recordHeaders) };
}

/** Selects the same headers from parsed ones. */
export function selectHeaders(headers: readonly (readonly [name: string, value: Buffer])[]): SelectedHeaders {
  const needed: SelectedHeaders = {};
  for (const [anyCase, value] of headers) {
    const name = anyCase.toLowerCase();
    if (recordHeaders.includes(name)) addValue(needed, name, value.toString('utf8'));
  }
  return needed;
}

/** The bytes of the selected headers, with the lengths of names and values: equal for equal sets and for no others. */
function computeHeaderSignature(headers: Buffer): string {
  let signature = '';
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
    if (findHeaderName(activityHeaders, headers, nameAt, nameLength) === null || valueLength < 0) return;
    signature += `${nameLength},${valueLength},${headers.toString('latin1', valueAt, valueAt + valueLength)}`;
  });
  return signature;
}

function readHeaders(headers: Buffer, names: readonly string[]): SelectedHeaders {
  const needed: SelectedHeaders = {};
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
    const name = findHeaderName(names, headers, nameAt, nameLength);
    if (name === null || valueLength < 0) return;
    addValue(needed, name, headers.toString('utf8', valueAt, valueAt + valueLength));
  });
  return needed;
}

/** A name with two values is not trusted, so that a third changes nothing: a record may repeat one a million times. */
function addValue(needed: SelectedHeaders, name: string, value: string): void {
  needed[name] ??= [];
  const values = needed[name];
  if (values.length < 2 && !values.includes(value)) values.push(value);
}

function findHeaderName(names: readonly string[], headers: Buffer, at: number, length: number): string | null {
  for (const name of names) if (name.length === length && equalsIgnoringCase(headers, at, name)) return name;
  return null;
}
