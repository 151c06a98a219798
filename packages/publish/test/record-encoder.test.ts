import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeRecord, type RecordInput } from '../src/record-encoder.ts';

// Required before a client of the product replaces it.
const original = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (
  record: RecordInput,
) => { readonly buffer: Buffer; size(): number };

const text = fc.string({ unit: 'binary', maxLength: 300 });
const bytes = fc.uint8Array({ maxLength: 20_000 }).map((array) => Buffer.from(array));
const content = fc.oneof(text, bytes);
const nullable = fc.option(content, { nil: null });
const record = fc.record({
  offsetDelta: fc.nat({ max: 100_000 }),
  timestampDelta: fc.integer({ min: -(2 ** 30) + 1, max: 2 ** 30 - 1 }),
  key: nullable,
  value: nullable,
  headers: fc.dictionary(text, fc.oneof(content, fc.array(content, { maxLength: 3 })), { maxKeys: 12 }),
});

test('a record has the bytes that kafkajs gives it', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(record, (input) => {
      const [own, other] = [encodeRecord(input), original(input)];
      expect(own.buffer.equals(other.buffer)).toBe(true);
      expect(own.size()).toBe(other.size());
      expect(own.buf).toBe(own.buffer);
    }),
    { numRuns: 500 },
  );
});

test('a record has the defaults of kafkajs, and lengths at the limits of their encoding', () => {
  for (const value of [
    undefined,
    '',
    'é'.repeat(31),
    'x'.repeat(63),
    'x'.repeat(64),
    Buffer.alloc(8_191),
    Buffer.alloc(8_192),
    Buffer.alloc(1_048_576),
  ])
    expect(encodeRecord({ value }).buffer.equals(original({ value }).buffer), String(value?.length)).toBe(true);
  expect(encodeRecord({}).buffer).toEqual(original({}).buffer);
});

test('a header without a value, of which kafkajs makes an error, is encoded as null', () => {
  expect(() => original({ headers: { a: null } })).toThrow();
  expect(encodeRecord({ headers: { a: null } }).buffer.subarray(-4)).toEqual(Buffer.from([0x02, 0x02, 0x61, 0x01]));
});
