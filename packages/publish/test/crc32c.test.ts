import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../src/crc32c.ts';

const original = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/crc32C.js') as (
  bytes: Uint8Array,
) => number;

test('the checksum is that of RFC 3720', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  expect(crc32c(Buffer.alloc(0))).toBe(0);
});

test('the checksum of any bytes is that of kafkajs', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => crc32c(bytes) === original(bytes)));
});
