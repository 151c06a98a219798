import type { Message } from '@tenantscope/intake';
import type { ArrivedRecord } from './reader.ts';
import { isName, walkHeaders } from './record-headers.ts';
import { replayedElementOf } from './replay.ts';

const neededHeaders = ['content-type', 'ce_specversion', 'ce_type', 'ce_tenantid'];
/** A mutable record without a modification time of its own has that of its event. Left out above: it differs from record to record. */
const headersOfRecords = [...neededHeaders, 'ce_time'];
type NeededHeaders = Record<string, string[]>;

/**
 * Records as one block of bytes and a few numbers, so that a worker thread takes them over without a copy. (A Buffer posted as it is
 * brings along a clone of its whole backing store, which is the fetch response.) Headers repeat from record to record: each distinct set
 * is kept once.
 */
export interface PackedRecords {
  bytes: ArrayBuffer;
  /** Lengths of key and value in turn; -1 is null. */
  lengths: Int32Array;
  headerSets: NeededHeaders[];
  headerSetOf: Uint32Array;
  /** The one element that a replay is about; -1 is all. */
  onlyElements: Int32Array;
}

export function packRecords(records: readonly ArrivedRecord[]): PackedRecords {
  let size = 0;
  for (const { key, value } of records) size += (key?.length ?? 0) + (value?.length ?? 0);
  const packed: PackedRecords = {
    bytes: new ArrayBuffer(size),
    lengths: new Int32Array(records.length * 2),
    headerSets: [],
    headerSetOf: new Uint32Array(records.length),
    onlyElements: new Int32Array(records.length),
  };
  const bytes = new Uint8Array(packed.bytes);
  const known = new Map<string, number>();
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
    packed.onlyElements[index] = replayedElementOf(record) ?? -1;
    const signature = signatureOf(record.headers);
    let number = known.get(signature);
    if (number === undefined) {
      number = packed.headerSets.push(neededOf(record.headers, neededHeaders)) - 1;
      known.set(signature, number);
    }
    packed.headerSetOf[index] = number;
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
  for (let index = 0; index < packed.headerSetOf.length; index++) {
    const key = take(packed.lengths[index * 2] ?? -1);
    const value = take(packed.lengths[index * 2 + 1] ?? -1);
    const element = packed.onlyElements[index] ?? -1;
    yield {
      key,
      value,
      headers: packed.headerSets[packed.headerSetOf[index] ?? 0] ?? {},
      onlyElement: element < 0 ? null : element,
    };
  }
}

/** A mutable record as the reading of its message takes it. */
export function messageOf({ key, value, headers }: ArrivedRecord): Message {
  return { key, value, headers: neededOf(headers, headersOfRecords) };
}

/** The same of headers that were taken apart already. */
export function neededAmong(headers: readonly (readonly [name: string, value: Buffer])[]): NeededHeaders {
  const needed: NeededHeaders = {};
  for (const [anyCase, value] of headers) {
    const name = anyCase.toLowerCase();
    if (headersOfRecords.includes(name)) needed[name] = [...(needed[name] ?? []), value.toString('utf8')];
  }
  return needed;
}

/** The bytes of the needed headers, with their names and lengths: equal for equal sets and for no others. */
function signatureOf(headers: Buffer): string {
  let signature = '';
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
    if (nameAmong(neededHeaders, headers, nameAt, nameLength) === null || valueLength < 0) return;
    signature += `${nameLength},${valueLength},${headers.toString('latin1', valueAt, valueAt + valueLength)}`;
  });
  return signature;
}

function neededOf(headers: Buffer, names: readonly string[]): NeededHeaders {
  const needed: NeededHeaders = {};
  walkHeaders(headers, (nameAt, nameLength, valueAt, valueLength) => {
    const name = nameAmong(names, headers, nameAt, nameLength);
    if (name === null || valueLength < 0) return;
    needed[name] = [...(needed[name] ?? []), headers.toString('utf8', valueAt, valueAt + valueLength)];
  });
  return needed;
}

function nameAmong(names: readonly string[], headers: Buffer, at: number, length: number): string | null {
  for (const name of names) if (name.length === length && isName(headers, at, name)) return name;
  return null;
}
