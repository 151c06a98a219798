// @module-tag exhaustive
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';
import { describe, expect, test } from 'vitest';
import { BatchError } from '../src/kafka/batch-error.ts';
import { decompress, decompressBeginning } from '../src/kafka/decompression.ts';
import { checkDamagedContent } from './damaged-batches.ts';
import { compressors, frameSnappy } from './encoded-batch.ts';

const mebibyte = 1_048_576;
const limit = 4 * mebibyte;
const every = Object.entries(compressors);

describe.each(every)('%s', (_, { codec, compress }) => {
  test('content is decompressed unchanged up to the bound, and refused one byte above it', async () => {
    const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * index) % 251));
    expect(await decompress(codec, compress(content), content.length)).toEqual(content);
    if (codec === 'uncompressed') return;
    const tooLarge = `its ${codec} content is larger than ${content.length - 1} bytes`;
    await expect(decompress(codec, compress(content), content.length - 1)).rejects.toThrow(new BatchError(tooLarge));
  });

  test('empty content is decompressed', async () => {
    expect(await decompress(codec, compress(Buffer.alloc(0)), limit)).toEqual(Buffer.alloc(0));
  });

  test.runIf(codec !== 'uncompressed')('truncated content is refused at every length', async () => {
    const compressed = compress(Buffer.from('tenantscope '.repeat(100)));
    for (let length = 0; length < compressed.length; length++) {
      const failure = await decompress(codec, compressed.subarray(0, length), limit).catch((error: unknown) => error);
      // A frame that ends between two blocks decompresses to less; the records then are fewer than the batch claims.
      if (Buffer.isBuffer(failure)) expect(failure.length).toBeLessThan(1_200);
      else expect(failure).toBeInstanceOf(BatchError);
    }
  });
});

/** The most that each format reaches: 64 bytes from 3 in snappy, 255 from 1 in lz4, more than 1,000 in the others. */
test.each([
  ['gzip', () => gzipSync(Buffer.alloc(64 * mebibyte, ' ')), 1_000],
  ['snappy', () => compressSync(Buffer.alloc(64 * mebibyte, ' ')), 20],
  ['snappy', () => frameSnappy(...Array(64).fill(compressSync(Buffer.alloc(mebibyte, ' ')))), 20],
  ['lz4', () => compressFrameSync(Buffer.alloc(64 * mebibyte, ' ')), 250],
  ['zstd', () => zstdCompressSync(Buffer.alloc(64 * mebibyte, ' ')), 1_000],
] as const)(
  '64 MiB of blanks in %s are refused without the memory for them',
  {
    tags: 'exhaustive',
  },
  async (codec, compress, ratio) => {
    const bomb = compress();
    expect((64 * mebibyte) / bomb.length).toBeGreaterThan(ratio);
    let greatest = 0;
    const before = process.memoryUsage.rss();
    const timer = setInterval(() => {
      greatest = Math.max(greatest, process.memoryUsage.rss() - before);
    }, 1);
    await expect(decompress(codec, bomb, limit)).rejects.toThrow(`its ${codec} content is larger than ${limit} bytes`);
    clearInterval(timer);
    expect(Math.max(greatest, process.memoryUsage.rss() - before)).toBeLessThan(32 * mebibyte);
  },
);

test('claimed sizes are not allocated', async () => {
  const oneGibibyte = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x04, 0x00, 0x61]);
  const unbounded = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  for (const block of [oneGibibyte, unbounded]) {
    await expect(decompress('snappy', block, limit)).rejects.toThrow('larger than');
    await expect(decompress('snappy', frameSnappy(block), limit)).rejects.toThrow('larger than');
  }
  // Below the bound, and a lie: the content is one byte.
  await expect(decompress('snappy', Buffer.from([0x80, 0x80, 0x40, 0x00, 0x61]), limit)).rejects.toThrow('corrupt');
  const lz4 = compressFrameSync(Buffer.from('abc'));
  const claimed = Buffer.concat([lz4.subarray(0, 4), Buffer.from([0x68]), lz4.subarray(5, 6), Buffer.alloc(8, 0x7f)]);
  await expect(decompress('lz4', Buffer.concat([claimed, lz4.subarray(6)]), limit)).rejects.toThrow(BatchError);
});

test('a window of 128 MiB, as at the highest level of zstd, is accepted', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
  expect(await decompress('zstd', zstdCompressSync(Buffer.from('abc'), { params }), limit)).toEqual(Buffer.from('abc'));
});

test('content in several frames is decompressed whole', async () => {
  const parts = ['one ', 'two ', 'three'].map((text) => Buffer.from(text));
  for (const [codec, compress] of [
    ['gzip', gzipSync],
    ['lz4', compressFrameSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const frames = Buffer.concat(parts.map((part) => compress(part)));
    expect((await decompress(codec, frames, limit)).toString()).toBe('one two three');
    await expect(decompress(codec, frames, 12)).rejects.toThrow('larger than 12 bytes');
  }
});

test.each([
  ['zstd', 1_000, (count: number) => Buffer.concat(Array(count).fill(zstdCompressSync(Buffer.from('x'))))],
  ['lz4', 1_000, (count: number) => Buffer.concat(Array(count).fill(compressFrameSync(Buffer.from('x'))))],
  ['snappy', 4_096, (count: number) => frameSnappy(...Array(count).fill(compressSync(Buffer.from('x'))))],
] as const)(
  'content in %s is refused in more than %d parts, since each costs a call',
  async (codec, most, compress) => {
    expect(await decompress(codec, compress(most), limit)).toEqual(Buffer.from('x'.repeat(most)));
    const tooMany = new BatchError(`its ${codec} content is in more than ${most} parts`);
    await expect(decompress(codec, compress(most + 1), limit)).rejects.toThrow(tooMany);
  },
);

test('a block of a snappy frame that has no length, or a negative one, ends the reading', async () => {
  for (const length of [0, -1, -4, -8, -(2 ** 31)]) {
    const block = Buffer.alloc(4);
    block.writeInt32BE(length);
    await expect(decompress('snappy', Buffer.concat([frameSnappy(), block]), limit)).rejects.toThrow('corrupt');
  }
});

test('an lz4 dictionary, which Kafka does not have, is refused', async () => {
  const frame = compressFrameSync(Buffer.from('abc'));
  frame[4] = (frame[4] ?? 0) | 0x01;
  await expect(decompress('lz4', frame, limit)).rejects.toThrow('requires a dictionary');
});

test('the beginning of content above the bound can be read where the codec allows it', async () => {
  const content = Buffer.concat([Buffer.from('beginning'), Buffer.alloc(8 * mebibyte)]);
  for (const [codec, compressed] of [
    ['gzip', gzipSync(content)],
    ['zstd', zstdCompressSync(content)],
    ['snappy', frameSnappy(compressSync(content.subarray(0, 1_000)))],
  ] as const) {
    const beginning = await decompressBeginning(codec, compressed, 1_000);
    expect(beginning?.toString('utf8', 0, 9)).toBe('beginning');
    expect(beginning?.length).toBeLessThanOrEqual(200_000);
  }
  expect(await decompressBeginning('lz4', compressFrameSync(content), 1_000)).toBeNull();
  expect(await decompressBeginning('gzip', Buffer.from('no gzip'), 1_000)).toBeNull();
});

test('damaged content is decompressed within the bound or refused', () => checkDamagedContent({ numRuns: 300 }));
