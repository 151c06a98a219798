// @module-tag exhaustive
import { describe, expect, test } from 'vitest';
import { decodeFetchedRecords, type FetchedRecord } from '../src/kafka/fetched-records.ts';
import { kafkajs } from '../src/kafka/kafkajs-patched.ts';
import { listHeaders } from '../src/kafka/record-headers.ts';
import { describeUndecodableBatch } from '../src/kafka/undecodable-batch.ts';
import { checkDamagedBatches } from './damaged-batches.ts';
import { compressBatch, compressors, encodeBatch, encodeLegacyMessage, encodeRecords } from './encoded-batch.ts';

const mebibyte = 1_048_576;
const maxBatchBytes = 4 * mebibyte;
const decode = (bytes: Buffer, remainingBytes = maxBatchBytes) =>
  decodeFetchedRecords(bytes, { remainingBytes, maxBatchBytes });
const view = (records: readonly FetchedRecord[]) =>
  records.map(({ offset, key, value, headers, undecodable }) =>
    undecodable === undefined
      ? [Number(offset), key?.toString() ?? null, value?.toString() ?? null, listHeaders(headers).map(String)]
      : [Number(offset), undecodable.problem],
  );
const problemOf = async (bytes: Buffer) => (await decode(bytes)).at(-1)?.undecodable?.problem;

const two = [
  { key: Buffer.from('k'), value: Buffer.from('one'), headers: { ce_type: 't', b: '' } },
  { key: null, value: null, headers: {} },
];

test('the patched client is the one whose decoder was replaced', () => {
  expect(kafkajs.CompressionTypes.ZSTD).toBe(4);
});

test.each(Object.keys(compressors))('the records of a batch (%s) are decoded as they were written', async (name) => {
  const bytes = Buffer.concat([compressBatch(two, name, 10n), compressBatch(two, name, 20n)]);
  const expected = [
    [10, 'k', 'one', ['ce_type,t', 'b,']],
    [11, null, null, []],
  ];
  const [first] = await decode(bytes);
  expect(first).toMatchObject({ timestamp: '1795000000000', isControlRecord: false });
  expect(view(await decode(bytes))).toEqual([
    ...expected,
    ...expected.map(([offset, ...rest]) => [Number(offset) + 10, ...rest]),
  ]);
});

test('a batch above the bound ends the partition, and the batches before it are decoded', {
  tags: 'exhaustive',
}, async () => {
  const large = [{ key: Buffer.from('key'), value: Buffer.alloc(8 * mebibyte, ' '), headers: { ce_source: '/c/1' } }];
  for (const name of ['gzip', 'zstd', 'framed snappy', 'lz4']) {
    const poison = compressBatch(large, name, 12n);
    const records = await decode(Buffer.concat([compressBatch(two, name, 10n), poison, compressBatch(two, name, 13n)]));
    expect(view(records).map(([offset]) => offset)).toEqual([10, 11, 12]);
    const undecodable = records[2]?.undecodable;
    expect(undecodable).toMatchObject({
      firstOffset: 12n,
      lastOffset: 12n,
      header: { recordCount: 1, producerId: -1n, maxTimestampMs: 1_795_000_000_000 },
    });
    expect(undecodable?.problem).toBe(`its ${undecodable?.codec} content is larger than 4194304 bytes`);
    expect(undecodable?.bytes).toEqual(poison);
  }
});

test('the reason of the lane names offsets, problem, producer and the command that skips the batch', async () => {
  const small = [
    {
      key: Buffer.from('k'),
      value: Buffer.from('v'),
      headers: { ce_source: '/c/1', ce_tenantid: 'a', token: 'secret' },
    },
  ];
  const content = encodeRecords(small);
  // One record more than there is.
  const wrong = encodeBatch({ firstOffset: 7n, recordCount: 2, codecNumber: 0, producerId: 4_001n, content });
  const undecodable = (await decode(wrong))[0]?.undecodable;
  expect(undecodable?.firstRecord).toEqual({ key: 'k', headers: { ce_source: '/c/1', ce_tenantid: 'a' } });
  const lane = { cluster: 'main', topic: 'topic', partition: 3 };
  expect(undecodable && describeUndecodableBatch(lane, undecodable)).toBe(
    'batch at offsets 7 to 8 cannot be decoded: the length of a record is 0 ' +
      `(${wrong.length} bytes, 2 records, producer 4001 epoch 0, produced at 2026-11-18T11:06:40.000Z, ce_source /c/1, ce_tenantid a); ` +
      'skip it with "tenantscope lanes skip topic/3 --to 9 --reason TEXT"',
  );
  expect(undecodable && describeUndecodableBatch({ ...lane, cluster: 'partner' }, undecodable)).toContain(
    '"tenantscope lanes skip topic/3 --cluster partner --to 9 --reason TEXT"',
  );
});

test('the reason of the lane shows invisible characters of the first record', async () => {
  const content = encodeRecords([
    { key: Buffer.from('k\0'), value: Buffer.from('v'), headers: { ce_source: '/c/\0' } },
  ]);
  const wrong = encodeBatch({ firstOffset: 7n, recordCount: 2, codecNumber: 0, content });
  expect((await decode(wrong))[0]?.undecodable?.firstRecord).toEqual({
    key: 'k\\u{0}',
    headers: { ce_source: '/c/\\u{0}' },
  });
});

describe('a batch that is not what its header claims', () => {
  const content = encodeRecords(two);
  test.each([
    ['fewer records', { recordCount: 1 }, /bytes follow its 1 records/],
    ['more records', { recordCount: 3 }, /the length of a record is 0/],
    ['two billion records', { recordCount: 2 ** 31 - 1 }, /it has 2147483647 records, more than 16384/],
    ['offsets beyond its last offset', { recordCount: 2, lastOffsetDelta: 0 }, /a record has the offset 1/],
    ['an unknown codec', { recordCount: 2, codecNumber: 6 }, /its codec 6 is unknown/],
    ['another codec', { recordCount: 2, codecNumber: 4 }, /its zstd content is corrupt/],
    ['truncated content', { recordCount: 2, content: content.subarray(0, 10) }, /the length of a record is/],
    ['an empty record', { recordCount: 1, content: Buffer.from([0]) }, /the length of a record is 0/],
    ['a varint without an end', { recordCount: 1, content: Buffer.alloc(5_000, 0xff) }, /longer than ten bytes/],
    [
      'a negative length of a value',
      { recordCount: 1, content: Buffer.from([14, 0, 0, 0, 1, 5, 0, 0]) },
      /key or value/,
    ],
    [
      'a million headers',
      { recordCount: 1, content: Buffer.from([18, 0, 0, 0, 1, 1, 0x80, 0x89, 0x7a, 0]) },
      /headers/,
    ],
    [
      'more headers than memory holds',
      { recordCount: 1, content: Buffer.from([28, 0, 0, 0, 1, 1, ...Array(8).fill(0xff), 0x7f]) },
      /headers/,
    ],
    ['a header that is too long', { recordCount: 1, content: Buffer.from([16, 0, 0, 0, 1, 1, 2, 40, 0]) }, /headers/],
  ])('cannot be decoded: %s', async (_, difference, problem) => {
    expect(await problemOf(encodeBatch({ codecNumber: 0, content, ...difference }))).toMatch(problem);
  });
});

test('a batch of more records than the bound allows cannot be decoded', async () => {
  const many = Array.from({ length: 20_000 }, () => ({}));
  expect(await problemOf(compressBatch(many, 'zstd'))).toBe('it has 20000 records, more than 16384');
});

test('a response is decoded no further than its budget, and at least one batch', async () => {
  const half = [{ value: Buffer.alloc(2.5 * mebibyte, ' ') }];
  const batch = (offset: bigint) => compressBatch(half, 'zstd', offset);
  const budget = { remainingBytes: maxBatchBytes, maxBatchBytes };
  const bytes = Buffer.concat([batch(0n), batch(1n), batch(2n)]);
  expect((await decodeFetchedRecords(bytes, budget)).map(({ offset }) => offset)).toEqual(['0', '1']);
  // The next partition of the same response waits for the next fetch.
  expect(await decodeFetchedRecords(bytes, budget)).toEqual([]);
});

test('a batch that the response truncates is left for the next fetch', async () => {
  const bytes = Buffer.concat([compressBatch(two, 'zstd', 0n), compressBatch(two, 'zstd', 2n)]);
  for (const missing of [1, 20, 60]) expect(await decode(bytes.subarray(0, bytes.length - missing))).toHaveLength(2);
  expect(await decode(Buffer.alloc(0))).toEqual([]);
});

test('an unknown record format or a size that is too small ends the partition', async () => {
  const future = compressBatch(two, 'uncompressed', 5n);
  future.writeInt8(3, 16);
  expect(view(await decode(future))).toEqual([[5, 'its record format 3 is unknown']]);
  const small = compressBatch(two, 'uncompressed', 5n);
  small.writeInt32BE(-3, 8);
  expect(await problemOf(small)).toMatch(/its header has 17 bytes/);
});

test('an undecodable batch of an aborted transaction names its producer, so that the client skips it', async () => {
  const content = Buffer.from('no zstd');
  const batch = encodeBatch({ recordCount: 2, codecNumber: 4, attributes: 0x10, producerId: 9n, content });
  expect((await decode(batch))[0]).toMatchObject({
    offset: '1',
    batchContext: { producerId: '9', inTransaction: true },
  });
});

describe('messages of the formats before Kafka 0.11', () => {
  const values = ['a', 'b', 'c'].map((text) => Buffer.from(text));

  test.each([0, 1] as const)('format %i is decoded, plain and compressed', async (magic) => {
    const inner = values.map((value, index) =>
      encodeLegacyMessage({ magic, offset: magic === 0 ? BigInt(40 + index) : BigInt(index), value }),
    );
    for (const { codec, compress } of Object.values(compressors)) {
      if (codec === 'uncompressed') continue;
      const codecNumber = { gzip: 1, snappy: 2, lz4: 3, zstd: 4 }[codec];
      const wrapper = encodeLegacyMessage({ magic, offset: 42n, codecNumber, value: compress(Buffer.concat(inner)) });
      const next = encodeLegacyMessage({ magic, offset: 43n, value: Buffer.from('d') });
      expect(view(await decode(Buffer.concat([wrapper, next]))).map(([offset, , value]) => [offset, value])).toEqual([
        [40, 'a'],
        [41, 'b'],
        [42, 'c'],
        [43, 'd'],
      ]);
    }
  });

  test('nested compression, damaged lengths and content above the bound cannot be decoded', async () => {
    const wrap = (value: Buffer) => encodeLegacyMessage({ magic: 1, offset: 9n, codecNumber: 1, value });
    const gzip = compressors.gzip as (typeof compressors)[string];
    const nested = wrap(
      gzip.compress(encodeLegacyMessage({ magic: 1, offset: 0n, codecNumber: 1, value: Buffer.from('x') })),
    );
    expect(await problemOf(nested)).toMatch(/compressed again/);
    expect(await problemOf(wrap(gzip.compress(Buffer.alloc(8 * mebibyte))))).toMatch(/larger than 4194304 bytes/);
    expect(await problemOf(wrap(gzip.compress(Buffer.alloc(0))))).toMatch(/message set is empty/);
    const message = encodeLegacyMessage({ magic: 1, offset: 0n, value: Buffer.from('x') });
    for (const length of [-2, -20, 2, 2 ** 31 - 1]) {
      message.writeInt32BE(length, 26);
      expect(await problemOf(message)).toMatch(/length/);
    }
    const tiny = encodeLegacyMessage({ magic: 1, offset: 0n, value: Buffer.alloc(0) });
    expect(await problemOf(wrap(gzip.compress(Buffer.concat(Array(20_000).fill(tiny)))))).toMatch(/16384 records/);
  });
});

test(
  'damaged batches are decoded within the bound or end their partition, and never throw',
  { tags: 'exhaustive' },
  () => checkDamagedBatches({ numRuns: 150 }),
);
