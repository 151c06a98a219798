import { expect, test } from 'vitest';
import { findFirstRecord, parseBatchHeaders } from '../src/log-end/batch-headers.ts';

interface Batch {
  first: number;
  last?: number;
  count?: number;
  producer?: number;
  attributes?: number;
  timestamp?: number;
  body?: number;
}

const transactional = 0x10;
const control = 0x20;

function batch({ first, last = first, count = last - first + 1, producer = -1, ...rest }: Batch): Buffer {
  const { attributes = 0, timestamp = 1_000 + first, body = 40 } = rest;
  const bytes = Buffer.alloc(61 + body, 0xff);
  bytes.writeBigInt64BE(BigInt(first), 0);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes.writeInt8(2, 16);
  bytes.writeInt16BE(attributes, 21);
  bytes.writeInt32BE(last - first, 23);
  bytes.writeBigInt64BE(BigInt(timestamp), 27);
  bytes.writeBigInt64BE(BigInt(timestamp + 500), 35);
  bytes.writeBigInt64BE(BigInt(producer), 43);
  bytes.writeInt32BE(count, 57);
  return bytes;
}

const find = (
  batches: readonly Batch[],
  position: number,
  aborted: readonly [producer: number, first: number][] = [],
) =>
  findFirstRecord(
    parseBatchHeaders(Buffer.concat(batches.map(batch))),
    aborted.map(([producerId, firstOffset]) => ({ producerId: BigInt(producerId), firstOffset: BigInt(firstOffset) })),
    BigInt(position),
  );

test('the first record is that of the first batch, with its time', () => {
  expect(find([{ first: 7, last: 9 }, { first: 10 }], 7)).toEqual({ offset: 7n, timestampMs: 1_007 });
});

test('a position inside a batch is the first record', () => {
  expect(find([{ first: 5, last: 9 }], 8)).toEqual({ offset: 8n, timestampMs: 1_005 });
});

test('transaction markers are no records', () => {
  expect(find([{ first: 3, attributes: control | transactional, producer: 1 }], 3)).toBeNull();
});

test('records of an aborted transaction are skipped up to its marker, and those of other producers are not', () => {
  const abortedBatch = { first: 3, last: 4, attributes: transactional, producer: 1 };
  const marker = { first: 5, attributes: control | transactional, producer: 1 };
  expect(find([abortedBatch, marker], 3, [[1, 3]])).toBeNull();
  const next = { first: 6, attributes: transactional, producer: 1 };
  expect(find([abortedBatch, marker, next], 3, [[1, 3]])?.offset).toBe(6n);
  const other = { first: 3, attributes: transactional, producer: 2 };
  expect(find([other], 3, [[1, 3]])?.offset).toBe(3n);
});

test('an empty batch, and the rest of a compacted batch behind the position, are no records', () => {
  expect(find([{ first: 3, last: 6, count: 0 }], 3)).toBeNull();
  expect(find([{ first: 3, last: 9, count: 2 }], 6)).toBeNull();
  expect(find([{ first: 3, last: 9, count: 2 }, { first: 10 }], 6)?.offset).toBe(10n);
});

test('the time of a batch is the broker time where the topic uses it, and null where the batch has no time', () => {
  expect(find([{ first: 1, attributes: 0x08 }], 1)?.timestampMs).toBe(1_501);
  expect(find([{ first: 1, timestamp: -1 }], 1)?.timestampMs).toBeNull();
});

test('a batch that is truncated after its header is read, and a shorter one is not', () => {
  const bytes = batch({ first: 4, body: 1_000 });
  expect(parseBatchHeaders(bytes.subarray(0, 61))).toHaveLength(1);
  expect(parseBatchHeaders(bytes.subarray(0, 60))).toEqual([]);
});
