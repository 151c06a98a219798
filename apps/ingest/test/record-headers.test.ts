import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { KafkaRecord } from '../src/kafka/kafka-reader.ts';
import { packRecords, toMessage, unpackRecords } from '../src/kafka/packed-records.ts';
import { decodeRecord, readBatchHeader, toBatchContext } from '../src/kafka/record-batch.ts';
import { encodeHeaders, lastHeader, listHeaders } from '../src/kafka/record-headers.ts';
import { encodeBatch } from './encoded-batch.ts';

const require = createRequire(import.meta.url);
type Headers = Record<string, string | Buffer | null | (string | Buffer)[]>;
interface Written {
  offsetDelta?: number;
  timestampDelta?: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: Headers;
}

/** kafkajs's own writer. */
const write = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: Written) => { buffer: Buffer };

function decode(record: Written) {
  const { buffer } = write(record);
  const batch = encodeBatch({
    firstOffset: 9_007_199_254_740n,
    recordCount: 1,
    lastOffsetDelta: 200,
    codecNumber: 0,
    content: buffer,
  });
  const header = readBatchHeader(batch);
  return decodeRecord({ buffer, offset: 0 }, header, toBatchContext(header));
}

const createRecord = (headers: Headers): KafkaRecord => {
  const one = decode({ key: Buffer.from('k'), value: Buffer.from('v'), headers });
  return { offset: 0n, producedAtMs: null, key: one.key, value: one.value, headers: one.headers };
};

test('a decoded record equals the one that was encoded', () => {
  for (const timestampDelta of [0, 1, -1, 63, 64, -64, -65, 2 ** 31, -(2 ** 33), 2 ** 40]) {
    const one = decode({ offsetDelta: 129, timestampDelta, key: null, value: Buffer.from('é'), headers: {} });
    expect(one).toMatchObject({
      offset: '9007199254869',
      timestamp: String(1_795_000_000_000 + timestampDelta),
      key: null,
    });
    expect(one.value?.toString()).toBe('é');
    expect(listHeaders(one.headers)).toEqual([]);
  }
});

test('decoded headers have the order, the repetitions and the bytes of the encoded ones', () => {
  const long = 'x'.repeat(300);
  const { headers } = createRecord({ b: 'ä', a: ['1', '2'], [long]: long, empty: '' });
  expect(listHeaders(headers).map(([name, value]) => [name, value?.toString()])).toEqual([
    ['b', 'ä'],
    ['a', '1'],
    ['a', '2'],
    [long, long],
    ['empty', ''],
  ]);
  expect(lastHeader(headers, 'a')).toBe('2');
  expect(lastHeader(headers, 'c')).toBeUndefined();
});

test('packed records contain the headers that readers need, in any case, and each distinct set once', () => {
  const one = { CE_Type: 't', 'Content-Type': 'application/json', ce_tenantid: ['a', 'b'], ce_id: '1', 'x-type': 'no' };
  const records = [
    createRecord(one),
    createRecord({ ...one, ce_id: '2' }),
    createRecord({ ...one, CE_Type: 'u' }),
    createRecord({}),
  ];
  const packed = packRecords(records);
  expect(packed.headerSets).toEqual([
    { ce_type: ['t'], 'content-type': ['application/json'], ce_tenantid: ['a', 'b'] },
    { ce_type: ['u'], 'content-type': ['application/json'], ce_tenantid: ['a', 'b'] },
    {},
  ]);
  expect([...packed.headerSetIndexes]).toEqual([0, 0, 1, 2]);
  expect([...unpackRecords(packed)].map(({ headers }) => headers)).toEqual(
    records.map((record) => toMessage(record).headers),
  );
});

test('a header that is repeated 300,000 times is read in less than two seconds of processor time', {
  tags: 'exhaustive',
}, () => {
  const repeated = Array.from({ length: 300_000 }, (_, index) => ['ce_type', `type ${index % 3}`] as const);
  const record = {
    offset: 0n,
    producedAtMs: null,
    key: null,
    value: Buffer.from('{}'),
    headers: encodeHeaders(repeated),
  };
  const started = process.cpuUsage();
  expect(toMessage(record).headers).toEqual({ ce_type: ['type 0', 'type 1'] });
  expect([...unpackRecords(packRecords([record]))][0]?.headers).toEqual({ ce_type: ['type 0', 'type 1'] });
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(2_000_000);
});
